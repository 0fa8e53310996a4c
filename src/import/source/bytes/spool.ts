import { isAscii } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf, ProcError } from '../../../core/errors.ts';
import type { Source } from '../record.ts';
import { fileBytes } from './byte-source.ts';
import { KEPT_FREE_BYTES, MAX_SPOOL_BYTES, READ_BYTES } from './limits.ts';

export interface Digest {
  readonly hash: string;
  /** All bytes are ASCII, so UTF-8 and Windows-1252 give the same text. */
  readonly isAscii: boolean;
}

export async function digestFile(path: string): Promise<Digest> {
  const hash = createHash('sha256');
  const source = await fileBytes(path);
  try {
    // One buffer for the whole file: a stream would leave megabytes of garbage.
    const buffer = Buffer.allocUnsafe(2 * READ_BYTES);
    let ascii = true;
    for (;;) {
      const got = await source.read(buffer, 0, buffer.length);
      if (got === 0) return { hash: hash.digest('hex'), isAscii: ascii };
      const piece = buffer.subarray(0, got);
      hash.update(piece);
      ascii &&= isAscii(piece);
    }
  } finally {
    await source.close();
  }
}

interface Spool extends Digest {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies standard input or a pipe to a private file, so that the import can be resumed. On return,
 * the copy is on the disk.
 *
 * @throws `state_unwritable`; `invalid_input` if the input is too large; errors of the stream
 */
export async function spool(
  stream: Readable,
  folder: string,
  { mostBytes = MAX_SPOOL_BYTES, keptFree = KEPT_FREE_BYTES } = {},
): Promise<Spool> {
  const path = join(folder, `input-${randomUUID()}`);
  const hash = createHash('sha256');
  let bytes = 0;
  let ascii = true;
  let checkedAt = -CHECK_EVERY;
  try {
    await using handle = await open(path, 'wx', 0o600).catch((error) => unwritable(path, error));
    for await (const chunk of stream) {
      const piece = Buffer.from(chunk);
      if (bytes + piece.length > mostBytes) throw tooLarge(mostBytes);
      if (bytes - checkedAt >= CHECK_EVERY) {
        await checkSpace(folder, keptFree);
        checkedAt = bytes;
      }
      hash.update(piece);
      ascii &&= isAscii(piece);
      await handle.writeFile(piece).catch((error) => unwritable(path, error));
      bytes += piece.length;
    }
    await handle.datasync().catch((error) => unwritable(path, error));
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  }
  return { path, bytes, hash: hash.digest('hex'), isAscii: ascii };
}

const CHECK_EVERY = 32 << 20;

async function checkSpace(folder: string, keptFree: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= keptFree) return;
  throw new ProcError(
    'state_unwritable',
    `cannot store the input in ${folder}: less than ${megabytes(keptFree)} free`,
    {
      hint: 'Free some disk space, or save the input to a file and import that file.',
    },
  );
}

function tooLarge(mostBytes: number): ProcError {
  return new ProcError(
    'invalid_input',
    `the input is larger than ${megabytes(mostBytes)}, the limit for a pipe or a device; nothing was sent`,
    {
      hint: 'Save the input to a file and import that file: files have no size limit.',
    },
  );
}

function megabytes(bytes: number): string {
  return bytes >= 2 ** 30 ? `${bytes / 2 ** 30} GiB` : `${bytes / 2 ** 20} MiB`;
}

function unwritable(path: string, error: unknown): never {
  throw new ProcError(
    'state_unwritable',
    `cannot store the input in ${path}: ${messageOf(error)}`,
    {
      hint: 'Free some disk space, or import a file instead of a pipe.',
      cause: error,
    },
  );
}

/** The user's own files stay. */
export function removeSpool(
  { path, original = path }: Pick<Source, 'path' | 'original'>,
  folder: string,
): void {
  for (const file of [path, original]) {
    if (file.startsWith(folder)) rmSync(file, { force: true });
  }
}
