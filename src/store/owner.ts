import { mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

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
export function ownFolder(folder: string, variable: string): string {
  const own = geteuid?.();
  const uid = own === undefined ? undefined : statOf(folder)?.uid;
  if (uid === undefined || uid === own) return folder;
  throw new ProcError('config_insecure', `${folder} belongs to another user (uid ${uid})`, {
    hint: `Set ${variable} to a folder of your own, or change the owner: sudo chown -R ${own} ${inShell(folder)}`,
  });
}

/** Refuses a folder in which group or others could replace the files of proc. @throws ProcError `config_insecure` */
export function closedFolder(folder: string, variable: string): string {
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
