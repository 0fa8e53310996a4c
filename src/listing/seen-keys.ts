/** Slots per key: a fuller table takes longer to search. */
const SPARE = 1.35;
/** Parts grow one at a time, so that there is never a second copy of everything. */
const PARTS = 32;

/**
 * Remembers up to millions of texts. It keeps only 64 bits of a hash of each, in 9 to 14 bytes: a fifth of the
 * memory of a `Set`. Among a million texts, two different ones count as equal with a chance of 1 in 40 million.
 */
export class SeenKeys {
  readonly #parts = Array.from({ length: PARTS }, () => new Part());

  /** @returns false if the key was there already */
  add(key: string): boolean {
    return this.#find(key, true);
  }

  has(key: string): boolean {
    return !this.#find(key, false);
  }

  #find(key: string, isAdded: boolean): boolean {
    // Zero marks a free slot.
    const place = hashOf(key, 0x811c9dc5) || 1;
    return this.#parts[place % PARTS]!.isNew(place, hashOf(key, 0x9e3779b9), isAdded);
  }
}

/** A hash table with linear probing. A slot has two words. */
class Part {
  #slots = 8;
  #size = 0;
  #words = new Uint32Array(2 * this.#slots);

  isNew(place: number, mark: number, isAdded: boolean): boolean {
    let at = this.#startOf(place);
    for (; this.#words[at] !== 0; at = this.#after(at)) {
      if (this.#words[at] === place && this.#words[at + 1] === mark) return false;
    }
    if (isAdded) {
      this.#words[at] = place;
      this.#words[at + 1] = mark;
      if (++this.#size * SPARE + 8 > this.#slots) this.#grow();
    }
    return true;
  }

  #startOf(place: number): number {
    return 2 * Math.floor((place / 2 ** 32) * this.#slots);
  }

  #after(at: number): number {
    return at + 2 === this.#words.length ? 0 : at + 2;
  }

  #grow(): void {
    const words = this.#words;
    this.#slots = Math.ceil(this.#slots * 1.25);
    this.#words = new Uint32Array(2 * this.#slots);
    for (let from = 0; from < words.length; from += 2) {
      if (words[from] === 0) continue;
      let at = this.#startOf(words[from]!);
      while (this.#words[at] !== 0) at = this.#after(at);
      this.#words[at] = words[from]!;
      this.#words[at + 1] = words[from + 1]!;
    }
  }
}

function hashOf(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) ^ (value >>> 15);
  }
  // Makes every bit of the result depend on every bit of the hash.
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}
