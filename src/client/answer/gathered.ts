/**
 * Bytes that arrive in pieces, in one buffer: a piece of its own costs a hundred bytes however small it
 * is, so that a service which sends one byte at a time would take memory far beyond any limit of size.
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

  /** All of them; it is empty afterwards. Most answers are one piece, which is not copied. */
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
