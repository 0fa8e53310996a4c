import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { geteuid } from 'node:process';
import { cannotUse, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { inShell } from '../core/wording.ts';

/** Group or others may write. */
const OPEN = 0o022;
/** In a folder with this bit, only the owner of a file can remove or rename it. */
const STICKY = 0o1000;

/**
 * Refuses a folder of another user, also for root: its owner could read and replace the files of
 * proc. Accepts a missing folder, and any folder on Windows.
 *
 * @param variable the environment variable that names another folder
 * @throws ProcError `config_insecure`
 */
function ownFolder(folder: string, variable: string): string {
  const own = geteuid?.();
  const uid = own === undefined ? undefined : statOf(folder)?.uid;
  if (uid === undefined || uid === own) return folder;
  throw new ProcError('config_insecure', `${folder} belongs to another user (uid ${uid})`, {
    hint: `Set ${variable} to a folder of your own, or change the owner: sudo chown -R ${own} ${inShell(folder)}`,
  });
}

/** Refuses a folder in which group or others could replace the files of proc. @throws ProcError `config_insecure` */
function closedFolder(folder: string, variable: string): string {
  if (!isOpen(folder) || !obeysModes(folder)) return folder;
  throw new ProcError('config_insecure', `others can write to the folder ${folder}`, {
    hint: `Set ${variable}=${inShell(join(folder, 'proc'))}, which proc creates for you alone, or run: chmod go-w ${inShell(folder)}`,
  });
}

/** Why others could replace the files in a folder that is accepted: its file system has no permissions. */
export function doubtOf(folder: string): string | undefined {
  if (!isOpen(folder)) return undefined;
  return `others may write to ${folder}: chmod has no effect there`;
}

function isOpen(folder: string): boolean {
  const mode = geteuid === undefined ? 0 : (statOf(folder)?.mode ?? 0);
  return (mode & OPEN) !== 0 && (mode & STICKY) === 0;
}

/** Whether a new folder gets the mode that was asked for. */
function obeysModes(folder: string): boolean {
  try {
    const made = mkdtempSync(join(folder, '.try.'));
    const { mode } = statSync(made);
    rmdirSync(made);
    return (mode & OPEN) === 0;
  } catch {
    // The code that uses the folder will report this error.
    return false;
  }
}

function statOf(folder: string) {
  try {
    return statSync(folder);
  } catch {
    // The folder is missing, or the code that uses it will report this error.
    return undefined;
  }
}

/**
 * Creates a folder and its parents, for this user only. Node's `recursive` option would loop
 * forever in `/proc`, where mkdir fails with ENOENT.
 *
 * @throws the system's error
 */
export function createFolder(path: string): void {
  const folder = resolve(path);
  const isFolder = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder()) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process may create the folder at the same time.
    if (systemCode(thrown) !== 'EEXIST' || !isFolder()) throw thrown;
  }
}

/**
 * Creates the folder if it is missing, and checks that a file can be written in it.
 *
 * @throws ProcError `state_unwritable`, `disk_full`
 */
export function makeFolder(folder: string): void {
  try {
    createFolder(folder);
    const file = join(folder, `.try.${Math.random().toString(36).slice(2, 10)}.tmp`);
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    rmSync(file, { force: true });
  } catch (thrown) {
    throw cannotUse(folder, thrown);
  }
}

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
