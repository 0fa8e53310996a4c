import { mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';

/**
 * Creates a folder and its parents, for this user only. Node's `recursive` option would loop
 * forever in `/proc`, where mkdir fails with ENOENT.
 *
 * @returns the created folders, topmost first
 * @throws the system's error
 */
export function createFolder(path: string): readonly string[] {
  const folder = resolve(path);
  if (isFolder(folder)) return [];
  const above = dirname(folder);
  const made = isFolder(above) || above === folder ? [] : createFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process may create the folder at the same time.
    if (systemCode(thrown) === 'EEXIST' && isFolder(folder)) return made;
    throw thrown;
  }
  return [...made, folder];
}

/**
 * Creates the folder if it is missing, and checks that a file can be written in it.
 *
 * @throws ProcError `state_unwritable`
 */
export function makeFolder(folder: string): void {
  tryFolder(folder);
}

/**
 * Checks that {@link makeFolder} would succeed: creates the folder and removes it again.
 *
 * @throws ProcError `state_unwritable`
 */
export function checkFolder(folder: string): void {
  for (const made of [...tryFolder(folder)].reverse()) {
    try {
      rmdirSync(made);
    } catch {
      // Another process already uses the folder.
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
      `cannot use the folder ${folder}: ${reasonOf(thrown)}`,
      {
        hint: 'Check who owns the folder, or set PROC_STATE_DIR to another one. proc records writes there before it sends them.',
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
      return 'a file or a broken symbolic link has this name';
    default:
      return messageOf(thrown);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
