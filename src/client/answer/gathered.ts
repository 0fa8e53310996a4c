/**
 * Collects bytes that arrive in pieces into one buffer. A Buffer for each piece would cost a hundred bytes.
 * If a service sent single bytes, an answer would use far more memory than its size limit.
 */
export class Gathered {
  #first: Buffer | undefined;
  #all: Buffer | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    if (this.#size === 0) this.#first = piece;
    else {
      this.#all = this.#roomFor(piece.length);
      piece.copy(this.#all, this.#size);
    }
    this.#size += piece.length;
  }

  /** Returns all bytes and empties the buffer. An answer in one piece, as most are, is not copied. */
  take(): Buffer {
    const bytes = this.#all?.subarray(0, this.#size) ?? this.#first ?? Buffer.alloc(0);
    this.#first = undefined;
    this.#all = undefined;
    this.#size = 0;
    return bytes;
  }

  #roomFor(more: number): Buffer {
    const all = this.#all ?? this.#first!;
    if (this.#all !== undefined && all.length >= this.#size + more) return all;
    const larger = Buffer.allocUnsafe(Math.max(1024, 2 * (this.#size + more)));
    all.copy(larger, 0, 0, this.#size);
    return larger;
  }
}
