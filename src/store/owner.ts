import { statSync } from 'node:fs';
import { geteuid } from 'node:process';
import { ProcError } from '../core/errors.ts';
import { inShell } from '../core/text/typed.ts';

/**
 * The folder, unless it belongs to another user: who owns it could read and exchange what proc keeps
 * there, for root too. A folder that does not exist yet is nobody's; Windows has no such owners.
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
    // Whatever is wrong with it, who reads or writes there says so better.
  }
  if (uid === undefined || uid === own) return folder;
  throw new ProcError('config_insecure', `${folder} belongs to another user (uid ${uid})`, {
    hint: `Set ${variable} to a folder of your own, or take it over: sudo chown -R ${own} ${inShell(folder)}`,
  });
}
