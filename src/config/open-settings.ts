import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env } from '../core/ports.ts';
import type { RecordResult } from '../core/result.ts';
import type { KeyedTarget } from '../core/service-target.ts';
import { readConfig } from './config-file.ts';
import type { Config } from './keys.ts';
import { configDir, configFile, stateDir } from './paths.ts';
import { readSources, resolveTarget } from './resolve-target.ts';
import type { Sources } from './select-target.ts';
import { previewConfig, updateConfig } from './update-config.ts';

/** @throws ProcError the error of the change, or of the configuration that would result */
export type SaveConfig = (change: (draft: Config) => void) => Promise<Config>;

/** Every call reads the files again: nothing is cached. */
export interface Settings {
  readonly path: string;
  readonly configDir: string;
  readonly stateDir: string;
  config(): Config;
  /** The configuration that `update` would write. Changes nothing. */
  readonly preview: SaveConfig;
  /** Changes the file under its lock. */
  readonly update: SaveConfig;
  sources(): Sources;
  target(needCredential: boolean): Promise<KeyedTarget>;
}

export interface SettingsInput {
  readonly env: Env;
  readonly flags: Pick<GlobalFlags, 'profile' | 'env'>;
}

export function openSettings(input: SettingsInput): Settings {
  const { env, flags } = input;
  return {
    path: configFile(env),
    configDir: configDir(env),
    stateDir: stateDir(env),
    config: () => readConfig(env),
    preview: async (change) => previewConfig(env, change),
    update: (change) => updateConfig(env, change),
    sources: () => readSources({ flags, env }),
    target: (needCredential) => resolveTarget({ flags, env, needCredential }),
  };
}

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
