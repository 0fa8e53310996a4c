import { createGunzip, type Gunzip, type InflateRaw } from 'node:zlib';
import { systemCode } from '../../core/errors.ts';
import type { ByteSource } from './byte-source.ts';

/** Small, as deflate grows up to a thousandfold: what one step brings lies in memory at once. */
const INPUT_BYTES = 8 << 10;

/**
 * The content of a gzip source. Data that ends in the middle, or is damaged, ends it early: all that
 * could be unpacked before is handed out first, then `problem` is set.
 */
export function gunzip(source: ByteSource): ByteSource {
  return unpacked(source, createGunzip({ chunkSize: 64 << 10 }), 'the gzip data');
}

/** The same for any packing; `what` begins the sentence of a problem. */
export function unpacked(
  source: ByteSource,
  inflate: Gunzip | InflateRaw,
  what: string,
): ByteSource {
  const input = Buffer.allocUnsafe(INPUT_BYTES);
  const ready: Buffer[] = [];
  let problem: string | undefined;
  let ended = false;
  let wake = (): void => undefined;
  inflate.on('data', (chunk: Buffer) => ready.push(chunk));
  inflate.on('end', () => {
    ended = true;
    wake();
  });
  inflate.on('error', (error) => {
    problem =
      systemCode(error) === 'Z_BUF_ERROR'
        ? `${what} ends in the middle`
        : `${what} is damaged from here on`;
    ended = true;
    wake();
  });

  /** Writes one piece of input and waits for all that comes of it. */
  async function step(): Promise<void> {
    const got = await source.read(input, 0, INPUT_BYTES);
    if (ended) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      // At the end only `end` or `error` say that everything is out.
      if (got === 0) inflate.end();
      else inflate.write(input.subarray(0, got), () => resolve());
    });
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
