import { constants, promises } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import { openWholeFile } from '../store/whole-file.ts';
import { visibleLines } from '../terminal/sanitise.ts';
import { isClosed, requireOpen, writeOut } from '../terminal/write.ts';

export interface Sink {
  /** Writes text that is already safe, or bytes. */
  write(text: string | Uint8Array): Promise<void>;
  /** Writes text of the service unchanged; on a terminal control characters become visible. */
  writeData(text: string): Promise<void>;
  /** Whether the reader has closed the stream. */
  closed(): boolean;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** @throws ProcError `unwritable_output`, also if standard output was closed from the start (`>&-`) */
export async function openSink(
  out: string | undefined,
  stdout: Writable,
  { stdoutIsTerminal }: { readonly stdoutIsTerminal: boolean },
): Promise<Sink> {
  if (out !== undefined) {
    const file = await openOutFile(out);
    return { ...file, writeData: (text) => file.write(text), closed: () => false };
  }
  requireOpen(stdout);
  const write = (text: string | Uint8Array): Promise<void> => writeOut(stdout, text);
  return {
    write,
    writeData: (text) => write(stdoutIsTerminal ? visibleLines(text) : text),
    closed: () => isClosed(stdout),
    commit: nothing,
    abort: nothing,
  };
}

export interface OutFile {
  write(text: string | Uint8Array): Promise<void>;
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

function unwritable(flag: string, file: string, thrown: unknown): ProcError {
  const reason = REASONS[systemCode(thrown) ?? ''] ?? messageOf(thrown);
  return new ProcError('unwritable_output', `cannot write ${flag} ${file}: ${reason}`, {
    hint: 'Use a file in an existing folder that you may write to',
    cause: thrown,
  });
}

/**
 * Checks that a file can be written.
 *
 * @param flag the flag that names the file, for errors
 * @returns the path with symbolic links resolved, and the mode of an existing file
 * @throws ProcError `unwritable_output`
 */
export async function checkOutFile(
  file: string,
  flag = '--out',
): Promise<{ real: string; mode: number | undefined }> {
  try {
    const real = await promises.realpath(file).catch((thrown: unknown) => {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return file;
    });
    const existing = await promises.stat(real).catch((thrown: unknown) => {
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return undefined;
    });
    if (existing !== undefined && !existing.isFile()) {
      const what = existing.isDirectory() ? 'a folder' : 'not a regular file';
      throw new ProcError('unwritable_output', `${flag} ${file} is ${what}`, {
        hint:
          flag === '--out' ? 'Use a file, or remove --out to write to standard output' : undefined,
      });
    }
    if (existing !== undefined) await promises.access(real, constants.W_OK);
    await promises.access(dirname(real), constants.W_OK);
    return { real, mode: existing?.mode };
  } catch (thrown) {
    throw thrown instanceof ProcError ? thrown : unwritable(flag, file, thrown);
  }
}

/** An existing file keeps its mode; a symbolic link is followed. */
async function openOutFile(file: string, flag = '--out'): Promise<OutFile> {
  const { real, mode } = await checkOutFile(file, flag);
  const opened = naming(file, () => openWholeFile(real, mode), flag);
  return {
    write: async (text) => naming(file, () => opened.write(text), flag),
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
  work: (write: OutFile['write']) => Promise<void>,
): Promise<void> {
  const file = await openOutFile(path, flag);
  try {
    await work(file.write);
    await file.commit();
  } catch (thrown) {
    await file.abort();
    throw thrown;
  }
}

/** @throws ProcError `unwritable_output` instead of an error of the system */
function naming<T>(file: string, work: () => T, flag = '--out'): T {
  try {
    return work();
  } catch (thrown) {
    throw unwritable(flag, file, thrown);
  }
}
