import type { LocalPlan } from '../../core/command.ts';
import type { RecordResult } from '../../core/result.ts';
import type { Config } from '../read/config-schema.ts';
import type { Settings } from '../read/open-settings.ts';

interface ConfigChange {
  /** Changes a copy of the configuration, and may throw; runs once for the plan and once to apply it. */
  change(draft: Config): void;
  /** The result, the same for the plan as for the change itself. */
  result(after: Config): RecordResult;
  /** Asks for a confirmation, where one is needed. */
  confirm?(): Promise<void>;
  /** Tells what the user should know once it is done. */
  done?(after: Config): void;
}

/**
 * A change of the configuration file as a plan.
 *
 * @throws ProcError what the change throws, before anything is asked or written
 */
export function configPlan(
  settings: Settings,
  { change, result, confirm, done }: ConfigChange,
): LocalPlan {
  const preview = settings.preview((draft) => change(draft));
  return {
    would: () => result(preview),
    async apply() {
      await confirm?.();
      const after = await settings.update((draft) => change(draft));
      done?.(after);
      return result(after);
    },
  };
}
