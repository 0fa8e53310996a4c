import { resolve } from 'node:path';
import { cwd } from 'node:process';
import type { Env } from '../ports.ts';

/**
 * The working directory. If it was removed, its former path from `PWD`, or `/`. Absolute paths then still
 * work, and relative paths name files that do not exist.
 */
export function workingFolder(env: Env): string {
  try {
    return cwd();
  } catch {
    return env.PWD?.startsWith('/') === true ? env.PWD : '/';
  }
}

/**
 * Throws if the working directory was removed. Otherwise, writing a file to a relative path would create the
 * directory again.
 */
export function requireWorkingFolder(): void {
  cwd();
}

/**
 * Makes the variables that name proc's own folders absolute, so that their meaning does not depend on the
 * working directory.
 */
export function withAbsoluteFolders(env: Env, from: string): Env {
  const given = ['PROC_CONFIG_DIR', 'PROC_STATE_DIR'].flatMap((name): [string, string][] => {
    const folder = env[name];
    return folder === undefined || folder === '' ? [] : [[name, resolve(from, folder)]];
  });
  return given.length === 0 ? env : { ...env, ...Object.fromEntries(given) };
}
