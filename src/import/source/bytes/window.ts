import type { ByteSource } from './byte-source.ts';
import { READ_BYTES } from './limits.ts';

/**
 * The part of a source that is looked at: `bytes` from `start` to `end`. It is filled in place, so
 * nothing may point into it once more is read.
 */
export class Window {
  bytes: Buffer = Buffer.allocUnsafe(2 * READ_BYTES);
  start = 0;
  end = 0;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Forgets what lies before `start` and reads on. False at the end of the source. */
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

  /** Why the source ended early, if it did. */
  get problem(): string | undefined {
    return this.#source.problem;
  }
}
