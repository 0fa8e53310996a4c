/**
 * Collects pieces of bytes in one buffer. A Buffer for each piece costs a hundred bytes, too much if a
 * service sends single bytes.
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

  /** Returns all bytes and empties the buffer. Bytes that came in one piece are not copied. */
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
