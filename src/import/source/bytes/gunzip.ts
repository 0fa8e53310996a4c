import { createGunzip } from 'node:zlib';
import { systemCode } from '../../../core/errors.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import type { ByteSource } from './byte-source.ts';

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
