import { homedir, platform } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Env } from '../core/io.ts';
import { closedFolder, ownFolder } from '../store/folder.ts';

/**
 * `PROC_CONFIG_DIR`, or `proc` in `XDG_CONFIG_HOME`, `~/.config` (also on macOS) or `%APPDATA%` (Windows).
 *
 * @throws ProcError `config_insecure` if the folder belongs to another user
 */
export function configDir(env: Env): string {
  const usual = { windows: ['APPDATA', 'Roaming'], xdg: ['XDG_CONFIG_HOME', '.config'] } as const;
  return ownFolder(folderOf(env, 'PROC_CONFIG_DIR', usual), 'PROC_CONFIG_DIR');
}

/**
 * For data that proc writes itself: history, imports, the sandbox. `PROC_STATE_DIR`, or `proc` in
 * `XDG_STATE_HOME`, `~/.local/state` or `%LOCALAPPDATA%` (Windows).
 *
 * @throws ProcError `config_insecure` if the folder belongs to another user, or others can write to it
 */
export function stateDir(env: Env): string {
  const usual = {
    windows: ['LOCALAPPDATA', 'Local'],
    xdg: ['XDG_STATE_HOME', '.local/state'],
  } as const;
  const variable = 'PROC_STATE_DIR';
  return closedFolder(ownFolder(folderOf(env, variable, usual), variable), variable);
}

/** For each system, the variable that names the folder, and the folder below the home folder. */
interface Usual {
  readonly windows: readonly [variable: string, folder: string];
  readonly xdg: readonly [variable: string, folder: string];
}

function folderOf(env: Env, variable: string, { windows, xdg }: Usual): string {
  const own = env[variable];
  if (own) return resolve(own);
  const home = env.HOME || env.USERPROFILE || homedir();
  if (platform() === 'win32')
    return join(env[windows[0]] || join(home, 'AppData', windows[1]), 'proc');
  const named = env[xdg[0]];
  // The XDG specification asks to ignore relative paths.
  return join(named && isAbsolute(named) ? named : join(home, xdg[1]), 'proc');
}

export function configFile(env: Env): string {
  return join(configDir(env), 'config.json');
}
