import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The mode of a file that is for this user alone. */
export const PRIVATE = 0o600;

/** A file that appears whole or not at all: written beside its place, then renamed over it. */
export interface WholeFile {
  write(piece: string | Uint8Array): void;
  /** Puts the file in its place; by then what it holds is on the disk. */
  commit(): void;
  /** Leaves no trace; what was there before stays. */
  abort(): void;
}

/**
 * The one way in which proc writes a file that is not a database.
 *
 * @param mode given, it is the file's mode exactly; otherwise the umask decides.
 * @param isDurable false: whole or not at all, but a loss of power may bring the one before back.
 * @throws the error of the system, from each of its functions too; it names the file beside.
 */
export function openWholeFile(path: string, mode?: number, isDurable = true): WholeFile {
  // O_EXCL makes a guessed name harmless; loading node:crypto for it would cost every command.
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
      // A write may take a part only.
      for (let at = 0; at < bytes.length; ) at += writeSync(file!, bytes, at);
    },
    commit() {
      if (isDurable) fsyncSync(file!);
      close();
      renameSync(temporary, path);
    },
    abort,
  };
}

/**
 * Writes a file from one text or piece by piece.
 *
 * @throws as {@link openWholeFile}; nothing is left then
 */
export function writeWholeFile(
  path: string,
  content: string | Iterable<string | Uint8Array>,
  mode?: number,
  isDurable?: boolean,
): void {
  const file = openWholeFile(path, mode, isDurable);
  try {
    for (const piece of typeof content === 'string' ? [content] : content) file.write(piece);
    file.commit();
  } catch (thrown) {
    file.abort();
    throw thrown;
  }
}
