import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import { openWholeFile } from '../store/whole-file.ts';

export interface Sink {
  /** Writes text that is already safe, or bytes. */
  write(text: string | Uint8Array): Promise<void>;
  /** Writes text of the service unchanged; on a terminal control characters become visible. */
  writeData(text: string): Promise<void>;
  /** Whether the reader has closed the stream. */
  closed(): boolean;
  commit(): Promise<void>;
  /** Removes the temporary file; an existing file stays unchanged. */
  abort(): Promise<void>;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'the folder in the path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** @throws ProcError `unwritable_output` instead of an error of the system */
function naming<T>(file: string, work: () => T, flag = '--out'): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ProcError) throw cause;
    const reason = REASONS[systemCode(cause) ?? ''] ?? messageOf(cause);
    throw new ProcError('unwritable_output', `cannot write ${flag} ${file}: ${reason}`, {
      hint: 'Use a file in an existing folder that you may write to',
      cause,
      ...(systemCode(cause) === 'ENOSPC' ? { retry: 'later' } : {}),
    });
  }
}

/**
 * Checks that a file can be written.
 *
 * @param flag the flag that names the file, for errors
 * @returns the path with symbolic links resolved, and the mode of an existing file
 * @throws ProcError `unwritable_output`
 */
export function checkOutFile(file: string, flag = '--out') {
  return naming(
    file,
    () => {
      const real = existsSync(file) ? realpathSync(file) : file;
      const existing = statSync(real, { throwIfNoEntry: false });
      if (existing !== undefined && !existing.isFile()) {
        const what = existing.isDirectory() ? 'a folder' : 'not a regular file';
        throw new ProcError('unwritable_output', `${flag} ${file} is ${what}`);
      }
      if (existing !== undefined) accessSync(real, constants.W_OK);
      accessSync(`${dirname(real)}/`, constants.W_OK);
      return { real, mode: existing?.mode };
    },
    flag,
  );
}

/** An existing file keeps its mode; a symbolic link is followed. */
export function openOutFile(file: string, flag = '--out'): Sink {
  const { real, mode } = checkOutFile(file, flag);
  const opened = naming(file, () => openWholeFile(real, mode), flag);
  const write = async (text: string | Uint8Array) => naming(file, () => opened.write(text), flag);
  return {
    write,
    writeData: write,
    closed: () => false,
    commit: async () => naming(file, () => opened.commit(), flag),
    abort: async () => opened.abort(),
  };
}

/**
 * Writes a file whole or not at all.
 *
 * @throws ProcError `unwritable_output`, or what `work` throws; an existing file stays unchanged
 */
export async function writeOutFile(
  path: string,
  flag: string,
  work: (write: Sink['write']) => Promise<void>,
): Promise<void> {
  const file = openOutFile(path, flag);
  try {
    await work(file.write);
    await file.commit();
  } catch (thrown) {
    await file.abort();
    throw thrown;
  }
}
