import { access, constants, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import { openWholeFile } from '../store/whole-file.ts';

/** A file that appears whole or not at all. */
export interface OutFile {
  write(text: string | Uint8Array): Promise<void>;
  /** Puts the file in its place. */
  commit(): Promise<void>;
  /** Leaves no trace; what was there before stays. */
  abort(): Promise<void>;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function unwritable(file: string, thrown: unknown): ProcError {
  const reason = REASONS[systemCode(thrown) ?? ''] ?? messageOf(thrown);
  return new ProcError('unwritable_output', `--out ${file} cannot be written: ${reason}`, {
    hint: 'Name a file in a folder that exists and that you may write to',
    cause: thrown,
  });
}

/**
 * Looks whether `--out` can be written, before anything is sent.
 *
 * @returns the file that a link leads to, and the mode that an existing file has.
 * @throws ProcError `unwritable_output`
 */
export async function checkOutFile(
  file: string,
): Promise<{ real: string; mode: number | undefined }> {
  try {
    const real = await realpath(file).catch((thrown: unknown) => {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return file;
    });
    const existing = await stat(real).catch((thrown: unknown) => {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return undefined;
    });
    if (existing !== undefined && !existing.isFile()) {
      const what = existing.isDirectory() ? 'a folder' : 'not a regular file';
      throw new ProcError('unwritable_output', `--out ${file} is ${what}`, {
        hint: 'Name a file, or leave out --out to write to standard output',
      });
    }
    if (existing !== undefined) await access(real, constants.W_OK);
    await access(dirname(real), constants.W_OK);
    return { real, mode: existing?.mode };
  } catch (thrown) {
    throw thrown instanceof ProcError ? thrown : unwritable(file, thrown);
  }
}

/** Opens the file of `--out`; one that is there keeps its mode, and a link leads to it. */
export async function openOutFile(file: string): Promise<OutFile> {
  const { real, mode } = await checkOutFile(file);
  const naming = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      throw unwritable(file, thrown);
    }
  };
  const opened = naming(() => openWholeFile(real, mode));
  return {
    write: async (text) => naming(() => opened.write(text)),
    commit: async () => naming(() => opened.commit()),
    abort: async () => opened.abort(),
  };
}
