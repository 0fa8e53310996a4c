import type { RecordResult } from '../../core/result.ts';
import type { Config } from '../keys.ts';
import type { Settings } from '../read/open-settings.ts';

interface ConfigChange {
  /** Changes a draft of the configuration, or throws. Called before `confirm`, and again for the change. */
  change(draft: Config): void;
  result(after: Config): RecordResult;
  confirm?(): Promise<void>;
  done?(after: Config): void | Promise<void>;
}

/** @throws ProcError the error of the change, before anything is asked or written */
export async function changeConfig(
  settings: Settings,
  { change, result, confirm, done }: ConfigChange,
): Promise<RecordResult> {
  await settings.preview((draft) => change(draft));
  await confirm?.();
  const after = await settings.update((draft) => change(draft));
  await done?.(after);
  return result(after);
}
