import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/ports.ts';
import { systemClock } from '../core/time/clock.ts';
import { createFolder } from '../store/folder.ts';
import { type Lock, lockWithin } from '../store/lock.ts';
import { parseConfig, readConfig } from './config-file.ts';
import type { Config } from './keys.ts';
import { configFile } from './paths.ts';

const LOCK_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 15;
const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/**
 * Changes the configuration file under a lock, so that concurrent changes are not lost.
 *
 * @throws ProcError the errors of `readConfig`, with the file unchanged; `state_unwritable` if the
 * file cannot be written or another process holds its lock
 */
export async function updateConfig(
  env: Env,
  change: (draft: Config) => void,
  waitMs = LOCK_WAIT_MS,
): Promise<Config> {
  const path = configFile(env);
  try {
    createFolder(dirname(path));
    const lock = await lockOf(path, waitMs);
    try {
      // Who may read the file is checked before conf opens it.
      readConfig(env);
      const conf = await openConf(path);
      const draft = conf.store;
      change(draft);
      conf.store = draft;
      return draft;
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof ProcError || systemCode(thrown) === undefined) throw thrown;
    throw new ProcError('state_unwritable', `cannot write ${path}: ${messageOf(thrown)}`, {
      hint: 'Check who owns its folder, or set PROC_CONFIG_DIR to another folder',
      cause: thrown,
    });
  }
}

/** @throws ProcError `state_unwritable` if another process holds the lock; otherwise the system's error */
async function lockOf(config: string, waitMs: number): Promise<Lock> {
  // The lock belongs to the real file: several folders may link to it.
  const real = existsSync(config) ? realpathSync(config) : config;
  const path = join(dirname(real), `.${basename(real)}.lock`);
  let lock: Lock | undefined;
  try {
    lock = await lockWithin(path, waitMs, { clock: systemClock, everyMs: LOOK_AGAIN_MS });
  } catch (thrown) {
    throw (thrown as Error).cause ?? thrown;
  }
  if (lock !== undefined) return lock;
  throw new ProcError('state_unwritable', `another process holds ${path}`, {
    hint: `Wait for it to finish. If no proc is running, delete ${path}`,
  });
}

/**
 * Returns the changed configuration and writes nothing.
 *
 * @throws ProcError the error of the change
 */
export function previewConfig(env: Env, change: (draft: Config) => void): Config {
  const draft = readConfig(env);
  change(draft);
  parseConfig(JSON.stringify(draft), configFile(env));
  return draft;
}

/**
 * The library without the signal listeners that it adds when it is loaded. They send the signal again, and a second
 * signal ends proc at once.
 */
async function loadConf() {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const { default: Conf } = await import('conf');
  for (const [index, signal] of SIGNALS.entries()) {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.includes(listener) !== true) process.off(signal, listener);
    }
  }
  return Conf;
}

/** conf owns the file: its place, format and atomic write, and no content that is invalid. */
async function openConf(path: string) {
  const Conf = await loadConf();
  return new Conf<Config>({
    cwd: dirname(path),
    configName: 'config',
    projectName: 'proc',
    projectVersion: '1.0.0',
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
    configFileMode: 0o600,
    deserialize: (text) => parseConfig(text, path),
    serialize: (config) => {
      const text = JSON.stringify(config, undefined, '\t');
      parseConfig(text, path);
      return text;
    },
  });
}
