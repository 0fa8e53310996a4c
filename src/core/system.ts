import { resolve } from 'node:path';
import { cwd, getBuiltinModule } from 'node:process';
import type { Env } from './io.ts';

declare const __PROC_VERSION__: string | undefined;

export const VERSION = typeof __PROC_VERSION__ === 'string' ? __PROC_VERSION__ : '0.0.0-dev';

/** An environment variable is off if it is unset, empty, `0` or `false`. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}

/** A module of Node, loaded when first needed. An import at the top of a file would slow every start. */
export const nodeModule = getBuiltinModule;

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
