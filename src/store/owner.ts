import { statSync } from 'node:fs';
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
