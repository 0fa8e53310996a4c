import type { Problem } from '../../../core/problem/row-problem.ts';
import type { ByteSource } from './byte-source.ts';
import { READ_BYTES } from './limits.ts';

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
