import { cwd } from 'node:process';
import type { Env } from './ports.ts';

/** Where it was removed meanwhile, what the shell says it is: only files in it are then missing. */
export function workingFolder(env: Env): string {
  try {
    return cwd();
  } catch {
    return env.PWD?.startsWith('/') === true ? env.PWD : '/';
  }
}
