import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { systemClock } from '../../core/time/clock.ts';
import { createFolder } from '../../store/folder.ts';
import { type Lock, lockWithin } from '../../store/lock.ts';
import { type Config, parseConfig } from '../read/config-schema.ts';
import { readConfig } from '../read/file.ts';
import { configFile } from '../read/paths.ts';

/** Somebody who sets things by hand is done long before. */
const WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 15;

/**
 * Changes the configuration file: read anew, changed and written while no other proc does the same,
 * so that two at once lose nothing. The folder is made 0700 and the file 0600; conf writes beside
 * the file and renames, and goes through a symbolic link instead of replacing it.
 *
 * @throws ProcError what `readConfig` throws, the file then being left as it is;
 *   `state_unwritable` where it cannot be written
 */
export async function updateConfig(
  env: Env,
  change: (draft: Config) => void,
  waitMs = WAIT_MS,
): Promise<Config> {
  const path = configFile(env);
  try {
    createFolder(dirname(path));
    const lock = await lockOf(path, waitMs);
    try {
      const draft = readConfig(env);
      change(draft);
      parseConfig(JSON.stringify(draft), path);
      await write(path, draft);
      return draft;
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof ProcError || systemCode(thrown) === undefined) throw thrown;
    throw new ProcError('state_unwritable', `Cannot write ${path}: ${messageOf(thrown)}`, {
      hint: 'Check that its folder is yours, or set PROC_CONFIG_DIR to another folder',
      cause: thrown,
    });
  }
}

/** @throws ProcError `state_unwritable` where another process keeps it, or the error of the system */
async function lockOf(config: string, waitMs: number): Promise<Lock> {
  // Two folders may link to one file: the lock belongs to the file.
  const real = existsSync(config) ? realpathSync(config) : config;
  const path = join(dirname(real), `.${basename(real)}.lock`);
  let lock: Lock | undefined;
  try {
    lock = await lockWithin(path, waitMs, { clock: systemClock, everyMs: LOOK_AGAIN_MS });
  } catch (thrown) {
    throw (thrown as Error).cause ?? thrown;
  }
  if (lock !== undefined) return lock;
  throw new ProcError('state_unwritable', `Another process holds ${path}`, {
    hint: `Wait for it to end; if none is running, delete ${path}`,
  });
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

/**
 * conf is loaded to write, never to read: with its code come listeners for signals that end the process
 * at once, which an import must outlive.
 */
async function write(path: string, config: Config): Promise<void> {
  const { default: Conf } = await import('conf');
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
