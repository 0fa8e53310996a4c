import { homedir, platform } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Env } from '../core/io.ts';
import { closedFolder, ownFolder } from '../store/owner.ts';

/**
 * `PROC_CONFIG_DIR`, or `proc` in `XDG_CONFIG_HOME`, `~/.config` (also on macOS) or `%APPDATA%` (Windows).
 *
 * @throws ProcError `config_insecure` if the folder belongs to another user
 */
export function configDir(env: Env): string {
  return ownFolder(configPlace(env), 'PROC_CONFIG_DIR');
}

function configPlace(env: Env): string {
  if (env.PROC_CONFIG_DIR) return resolve(env.PROC_CONFIG_DIR);
  if (platform() === 'win32') {
    return join(env.APPDATA || join(homeDir(env), 'AppData', 'Roaming'), 'proc');
  }
  return join(xdg(env, 'XDG_CONFIG_HOME') ?? join(homeDir(env), '.config'), 'proc');
}

/**
 * For data that proc writes itself: history, imports, the sandbox. `PROC_STATE_DIR`, or `proc` in
 * `XDG_STATE_HOME`, `~/.local/state` or `%LOCALAPPDATA%` (Windows).
 *
 * @throws ProcError `config_insecure` if the folder belongs to another user, or others can write to it
 */
export function stateDir(env: Env): string {
  const variable = 'PROC_STATE_DIR';
  return closedFolder(ownFolder(statePlace(env), variable), variable);
}

function statePlace(env: Env): string {
  if (env.PROC_STATE_DIR) return resolve(env.PROC_STATE_DIR);
  if (platform() === 'win32') {
    return join(env.LOCALAPPDATA || join(homeDir(env), 'AppData', 'Local'), 'proc');
  }
  return join(xdg(env, 'XDG_STATE_HOME') ?? join(homeDir(env), '.local', 'state'), 'proc');
}

export function configFile(env: Env): string {
  return join(configDir(env), 'config.json');
}

function homeDir(env: Env): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** The XDG specification asks to ignore relative paths. */
function xdg(env: Env, name: string): string | undefined {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : undefined;
}
