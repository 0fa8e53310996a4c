import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import Conf from 'conf';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { createFolder } from '../../store/folder.ts';
import { type Config, parseConfig } from '../read/config-schema.ts';
import { readConfig } from '../read/file.ts';
import { configFile } from '../read/paths.ts';
import { withLock } from './file-lock.ts';

/**
 * Changes the configuration file: read anew, changed and written while no other proc does the same,
 * so that two at once lose nothing. The folder is made 0700 and the file 0600; conf writes beside
 * the file and renames, and goes through a symbolic link instead of replacing it.
 *
 * @throws ProcError what `readConfig` throws, the file then being left as it is;
 *   `state_unwritable` where it cannot be written
 */
export async function updateConfig(env: Env, change: (draft: Config) => void): Promise<Config> {
  const path = configFile(env);
  try {
    createFolder(dirname(path));
    // Two folders may link to one file: the lock belongs to the file.
    const real = existsSync(path) ? realpathSync(path) : path;
    return await withLock(`${real}.lock`, () => {
      const draft = readConfig(env);
      change(draft);
      parseConfig(JSON.stringify(draft), path);
      write(path, draft);
      return draft;
    });
  } catch (thrown) {
    if (thrown instanceof ProcError || systemCode(thrown) === undefined) throw thrown;
    throw new ProcError('state_unwritable', `Cannot write ${path}: ${messageOf(thrown)}`, {
      hint: 'Check that its folder is yours, or set PROC_CONFIG_DIR to another folder',
      cause: thrown,
    });
  }
}

/**
 * The configuration as a change would leave it; nothing is written.
 *
 * @throws ProcError what the change throws
 */
export function previewConfig(env: Env, change: (draft: Config) => void): Config {
  const draft = readConfig(env);
  change(draft);
  parseConfig(JSON.stringify(draft), configFile(env));
  return draft;
}

function write(path: string, config: Config): void {
  const conf = new Conf<Config>({
    cwd: dirname(path),
    configName: 'config',
    projectName: 'proc',
    projectVersion: '1.0.0',
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
    configFileMode: 0o600,
  });
  conf.store = config;
}
