import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** Settings are small; more than this is something else. */
const MOST_BYTES = 4 << 20;

/** A file that is none: a folder, a pipe, a device. Reading it might never end. */
class NotAFile extends Error {}

/**
 * Reads a settings file whole.
 *
 * @throws NotAFile, or the system's error (`ENOENT`)
 */
export function readRegularFile(path: string): { readonly text: string; readonly stats: Stats } {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new NotAFile('it is a folder');
    if (!stats.isFile()) throw new NotAFile('it is not a regular file');
    if (stats.size > MOST_BYTES) throw new NotAFile('it is larger than 4 MiB');
    return { text: readFileSync(file, 'utf8'), stats };
  } finally {
    closeSync(file);
  }
}
