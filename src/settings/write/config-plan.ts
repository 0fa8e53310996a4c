import type { LocalPlan } from '../../core/command.ts';
import type { RecordResult } from '../../core/result.ts';
import type { Config } from '../keys.ts';
import type { Settings } from '../read/open-settings.ts';

interface ConfigChange {
  /**
   * Changes a draft of the configuration, or throws. Called for the plan, and again to apply the
   * plan.
   */
  change(draft: Config): void;
  result(after: Config): RecordResult;
  confirm?(): Promise<void>;
  done?(after: Config): void | Promise<void>;
}

/** @throws ProcError the error of the change, before anything is asked or written */
export async function configPlan(
  settings: Settings,
  { change, result, confirm, done }: ConfigChange,
): Promise<LocalPlan> {
  const preview = await settings.preview((draft) => change(draft));
  return {
    would: () => result(preview),
    async apply() {
      await confirm?.();
      const after = await settings.update((draft) => change(draft));
      await done?.(after);
      return result(after);
    },
  };
}
