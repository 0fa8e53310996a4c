import { type FileHandle, open } from 'node:fs/promises';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { READ_BYTES } from './limits.ts';

/** A stream of bytes. */
export interface ByteSource {
  /** Reads at most `length` bytes into `target` at `offset`; returns 0 only at the end. */
  read(target: Buffer, offset: number, length: number): Promise<number>;
  /** Why the source ended too early, e.g. damaged gzip. All bytes that were read are good. */
  readonly problem?: Problem | undefined;
  close(): Promise<void>;
}

/**
 * Reads ahead: the next piece arrives while the caller works on the current one. Throws system
 * errors.
 */
export async function fileBytes(path: string): Promise<ByteSource> {
  const handle: FileHandle = await open(path, 'r');
  const ahead = Buffer.allocUnsafe(READ_BYTES);
  let start = 0;
  let end = 0;
  let coming: Promise<{ readonly bytesRead: number }> | undefined;
  const readOn = () => {
    coming = handle.read(ahead, 0, ahead.length, null);
    // The next `read` throws this error. Without a handler here, Node might end the process first.
    coming.catch(() => undefined);
  };
  return {
    async read(target, offset, length) {
      if (start === end) {
        if (coming === undefined) readOn();
        start = 0;
        end = (await coming!).bytesRead;
      }
      const copied = ahead.copy(target, offset, start, Math.min(end, start + length));
      start += copied;
      if (start === end && copied > 0) readOn();
      return copied;
    },
    async close() {
      await coming?.catch(() => undefined);
      await handle.close();
    },
  };
}

export function skipping(source: ByteSource, count: number): ByteSource {
  let left = count;
  return {
    async read(target, offset, length) {
      while (left > 0) {
        const got = await source.read(target, offset, Math.min(left, length));
        if (got === 0) return 0;
        left -= got;
      }
      return source.read(target, offset, length);
    },
    get problem() {
      return source.problem;
    },
    close: () => source.close(),
  };
}

/** For old Mac files, whose lines end with a return: replaces each return by a line feed. */
export function returnsAsFeeds(source: ByteSource): ByteSource {
  return {
    async read(target, offset, length) {
      const got = await source.read(target, offset, length);
      const bytes = target.subarray(offset, offset + got);
      for (let at = bytes.indexOf(0x0d); at >= 0; at = bytes.indexOf(0x0d, at + 1))
        bytes[at] = 0x0a;
      return got;
    },
    get problem() {
      return source.problem;
    },
    close: () => source.close(),
  };
}

export async function firstBytes(source: ByteSource, length: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = await source.read(target, filled, length - filled);
    if (got === 0) break;
    filled += got;
  }
  return target.subarray(0, filled);
}
