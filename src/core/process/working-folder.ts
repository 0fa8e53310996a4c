import { resolve } from 'node:path';
import { cwd } from 'node:process';
import type { Env } from '../io.ts';

/**
 * The working directory. If it was removed: its former path from `PWD`, or `/`. Commands with absolute paths
 * then still work.
 */
export function workingFolder(env: Env): string {
  try {
    return cwd();
  } catch {
    return env.PWD?.startsWith('/') === true ? env.PWD : '/';
  }
}

/** Makes `PROC_CONFIG_DIR` and `PROC_STATE_DIR` absolute. */
export function withAbsoluteFolders(env: Env, from: string): Env {
  const given = ['PROC_CONFIG_DIR', 'PROC_STATE_DIR'].flatMap((name): [string, string][] => {
    const folder = env[name];
    return folder === undefined || folder === '' ? [] : [[name, resolve(from, folder)]];
  });
  return given.length === 0 ? env : { ...env, ...Object.fromEntries(given) };
}
