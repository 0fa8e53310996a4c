import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** More than this is something else than a file of ours. */
const MOST_BYTES = 4 << 20;

/** A file that is none: a folder, a pipe, a device. Reading it might never end. */
class NotAFile extends Error {}

/**
 * Reads a settings or state file whole. All of them are read here: a pipe in the place of one would hold
 * a plain read for ever.
 *
 * @throws NotAFile, or the system's error (`ENOENT`)
 */
export function readRegularFile(
  path: string,
  mostBytes = MOST_BYTES,
): { readonly text: string; readonly stats: Stats } {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
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
