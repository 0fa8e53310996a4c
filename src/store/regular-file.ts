import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

const MOST_BYTES = 4 << 20;

class NotAFile extends Error {}

/**
 * Reads a small file, e.g. of settings. Accepts only regular files, because reading a pipe could wait forever.
 *
 * @throws NotAFile, or the system's error (`ENOENT`)
 */
export function readRegularFile(
  path: string,
  mostBytes = MOST_BYTES,
): { readonly text: string; readonly stats: Stats } {
  // Without O_NONBLOCK, opening a pipe that has no writer waits forever.
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
