import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';

/**
 * Makes a folder for this user alone, and those above it. Not by Node's `recursive`: below a file
 * system that takes no folders and answers ENOENT (`/proc`), that turns in circles for ever.
 *
 * @returns the folders that were made, the uppermost first.
 * @throws the error of the system
 */
export function createFolder(path: string): readonly string[] {
  const folder = resolve(path);
  if (isFolder(folder)) return [];
  const above = dirname(folder);
  const made = isFolder(above) || above === folder ? [] : createFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Two processes may make it at once.
    if (systemCode(thrown) === 'EEXIST' && isFolder(folder)) return made;
    throw thrown;
  }
  return [...made, folder];
}

/**
 * Makes the folder where it is missing, and looks whether a file can be written there, as a write
 * would need it.
 *
 * @throws ProcError `state_unwritable`
 */
export function makeFolder(folder: string): void {
  tryFolder(folder);
}

/**
 * Whether {@link makeFolder} would succeed, found by doing it; leaves no trace.
 *
 * @throws ProcError `state_unwritable`
 */
export function checkFolder(folder: string): void {
  for (const made of [...tryFolder(folder)].reverse()) {
    try {
      rmdirSync(made);
    } catch {
      // Another process has begun to use it.
      return;
    }
  }
}

function tryFolder(folder: string): readonly string[] {
  try {
    const made = createFolder(folder);
    const file = join(folder, `.try.${Math.random().toString(36).slice(2, 10)}.tmp`);
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
    rmSync(file, { force: true });
    return made;
  } catch (thrown) {
    throw new ProcError(
      'state_unwritable',
      `The folder ${folder} cannot be used: ${reasonOf(thrown)}`,
      {
        hint: 'Writes are recorded there before they are sent. Check that it is yours, or set PROC_STATE_DIR to another folder',
        cause: thrown,
      },
    );
  }
}

function reasonOf(thrown: unknown): string {
  switch (systemCode(thrown)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EEXIST':
      return 'something that is no folder has its name, perhaps a link that leads nowhere';
    default:
      return messageOf(thrown);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
