import { statSync } from 'node:fs';
import { geteuid } from 'node:process';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

/** Whether a file with this owner belongs to the user; false on Windows, which has no such owners. */
export function isOwn(uid: number): boolean {
  return geteuid?.() === uid;
}

/**
 * Returns the folder, unless another user owns it: the owner could read and replace the files of proc
 * there, even those of root. A missing folder has no owner; Windows has no such owners.
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
    // Any other problem is reported better by the code that reads or writes there.
  }
  if (uid === undefined || uid === own) return folder;
  throw new ProcError('config_insecure', `${folder} belongs to another user (uid ${uid})`, {
    hint: `Set ${variable} to a folder of your own, or change the owner: sudo chown -R ${own} ${inShell(folder)}`,
  });
}
