import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** A larger file was not written by proc. */
const MOST_BYTES = 4 << 20;

/** The path is not a regular file but a directory, pipe or device. Reading it might never end. */
class NotAFile extends Error {}

/**
 * Reads a settings or state file. All of them are read with this function, because a plain read of a
 * pipe in place of the file would wait forever.
 *
 * @throws NotAFile, or the system's error (`ENOENT`)
 */
export function readRegularFile(
  path: string,
  mostBytes = MOST_BYTES,
): { readonly text: string; readonly stats: Stats } {
  // O_NONBLOCK: otherwise opening a pipe without a writer waits forever.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new NotAFile('it is a directory');
    if (!stats.isFile()) throw new NotAFile('it is not a regular file');
    if (stats.size > mostBytes) throw new NotAFile(`it is larger than ${mostBytes >> 20} MiB`);
    return { text: readFileSync(file, 'utf8'), stats };
  } finally {
    closeSync(file);
  }
}
