import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Windows removes no file that is open, and a disk may fail. Then the file stays: nothing depends on it. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A later command removes it.
  }
}

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

export const PRIVATE = 0o600;

/** Atomic: proc writes a temporary file in the same folder and renames the temporary file at the end. */
export interface WholeFile {
  write(piece: string | Uint8Array): void;
  /** Renames the temporary file. If the file is durable, its content is on disk first. */
  commit(): void;
  /** Removes the temporary file; an existing file stays unchanged. */
  abort(): void;
}

/**
 * For files that nobody must see half-written.
 *
 * @param mode the exact mode of the file; without it the umask decides
 * @throws the system's error, also from the functions of the result; a path in the error is that of the temporary file
 */
export function openWholeFile(path: string, mode?: number): WholeFile {
  // `wx` refuses an existing file, so a guessable name is harmless. Loading node:crypto for a
  // random name would slow every command.
  const suffix = Math.random().toString(36).slice(2, 10);
  const temporary = join(dirname(path), `.${basename(path)}.${suffix}.tmp`);
  let file: number | undefined = openSync(temporary, 'wx', mode ?? 0o666);
  const close = (): void => {
    if (file === undefined) return;
    const open = file;
    file = undefined;
    closeSync(open);
  };
  const abort = (): void => {
    close();
    rmSync(temporary, { force: true });
  };
  try {
    if (mode !== undefined) fchmodSync(file, mode & 0o777);
  } catch (thrown) {
    abort();
    throw thrown;
  }
  return {
    write(piece) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      // A write may be partial.
      for (let at = 0; at < bytes.length; ) at += writeSync(file!, bytes, at);
    },
    commit() {
      fsyncSync(file!);
      close();
      renameSync(temporary, path);
    },
    abort,
  };
}

/** @throws the errors of {@link openWholeFile}, after removing the temporary file */
export function writeWholeFile(
  path: string,
  content: string | Iterable<string | Uint8Array>,
  mode?: number,
): void {
  const file = openWholeFile(path, mode);
  try {
    for (const piece of typeof content === 'string' ? [content] : content) file.write(piece);
    file.commit();
  } catch (thrown) {
    file.abort();
    throw thrown;
  }
}
