import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../core/errors.ts';
import { cannotUse } from '../core/machine-errors.ts';

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
