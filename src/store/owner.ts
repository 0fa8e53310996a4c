import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

/**
 * Refuses a folder of another user, also for root: its owner could read and replace the files of
 * proc. Accepts a missing folder, and any folder on Windows.
 *
 * @param variable the environment variable that names another folder
 * @throws ProcError `config_insecure`
 */
export function ownFolder(folder: string, variable: string): string {
  const own = geteuid?.();
  if (own === undefined) return folder;
  let uid: number | undefined;
  try {
    uid = statSync(folder, { throwIfNoEntry: false })?.uid;
  } catch {
    // The code that uses the folder will report this error.
  }
  if (uid === undefined || uid === own) return folder;
  throw new ProcError('config_insecure', `${folder} belongs to another user (uid ${uid})`, {
    hint: `Set ${variable} to a folder of your own, or change the owner: sudo chown -R ${own} ${inShell(folder)}`,
  });
}

const STICKY = 0o1000;
const OTHERS_WRITE = 0o022;

/**
 * Refuses a state folder in which group or others could replace files. Accepts a missing folder, and any folder on
 * Windows.
 *
 * @returns what to warn of, where permissions have no effect
 * @throws ProcError `config_insecure`
 */
export function privateFolder(folder: string): string | undefined {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if (geteuid === undefined || (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0)
    return undefined;
  const file = join(folder, `.try.${Math.random().toString(36).slice(2, 10)}.tmp`);
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    if ((statSync(file).mode & OTHERS_WRITE) !== 0)
      return `permissions have no effect in ${folder}: others on this machine may be able to change the record of writes`;
  } catch {
    // The code that uses the folder will report this error.
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
  throw new ProcError('config_insecure', `others may write to the folder ${folder}`, {
    hint: `Set PROC_STATE_DIR to a folder in it: ${inShell(join(folder, 'proc'))}. Or: chmod go-w ${inShell(folder)}`,
  });
}
