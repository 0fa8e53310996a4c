import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { systemCode } from '../../../core/errors.ts';
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

/**
 * The most input for one step. Its output is held in memory, and may be a thousand times as large.
 */
const MOST_INPUT_BYTES = 32 << 10;
const LEAST_INPUT_BYTES = 256;
/** The input of each step is chosen so that it produces about this much output. */
const OUTPUT_BYTES = 256 << 10;

/**
 * Unpacks gzip. If the data is damaged, it returns everything before the damage, then sets
 * `problem`.
 */
export function gunzip(source: ByteSource): ByteSource {
  const inflate = createGunzip({ chunkSize: 64 << 10 });
  const input = Buffer.allocUnsafe(MOST_INPUT_BYTES);
  const ready: Buffer[] = [];
  let problem: Problem | undefined;
  let ended = false;
  let take = LEAST_INPUT_BYTES;
  let wake = (): void => undefined;
  inflate.on('data', (chunk: Buffer) => ready.push(chunk));
  inflate.on('end', () => {
    ended = true;
    wake();
  });
  inflate.on('error', (error) => {
    problem =
      systemCode(error) === 'Z_BUF_ERROR'
        ? { code: 'gzip_cut', args: {} }
        : { code: 'gzip_damaged', args: {} };
    ended = true;
    wake();
  });

  async function step(): Promise<void> {
    const got = await source.read(input, 0, take);
    if (ended) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      // After `end()`, the events `end` and `error` resolve the promise.
      if (got === 0) inflate.end();
      else inflate.write(input.subarray(0, got), () => resolve());
    });
    const brought = ready.reduce((sum, { length }) => sum + length, 0);
    const likely = brought === 0 ? 2 * take : Math.floor((got * OUTPUT_BYTES) / brought);
    // Double at most: the next piece may expand much more.
    take = Math.min(MOST_INPUT_BYTES, 2 * take, Math.max(LEAST_INPUT_BYTES, likely));
  }

  return {
    async read(target, offset, length) {
      while (ready.length === 0 && !ended) await step();
      const chunk = ready[0];
      if (chunk === undefined) return 0;
      const copied = chunk.copy(target, offset, 0, length);
      if (copied === chunk.length) ready.shift();
      else ready[0] = chunk.subarray(copied);
      return copied;
    },
    get problem() {
      return ready.length === 0 ? (problem ?? source.problem) : undefined;
    },
    async close() {
      inflate.destroy();
      await source.close();
    },
  };
}

/**
 * A part of a source: `bytes` from `start` to `end`. `fill` overwrites the buffer, so copy what you
 * keep.
 */
export class Window {
  bytes: Buffer = Buffer.allocUnsafe(2 * READ_BYTES);
  start = 0;
  end = 0;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Drops the bytes before `start` and reads more. Returns false at the end of the source. */
  async fill(): Promise<boolean> {
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.end);
      this.end -= this.start;
      this.start = 0;
    }
    if (this.bytes.length - this.end < READ_BYTES) {
      const larger = Buffer.allocUnsafe(2 * this.bytes.length);
      this.bytes.copy(larger, 0, 0, this.end);
      this.bytes = larger;
    }
    const got = await this.#source.read(this.bytes, this.end, READ_BYTES);
    this.end += got;
    return got > 0;
  }

  get problem(): Problem | undefined {
    return this.#source.problem;
  }
}
