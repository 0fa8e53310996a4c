const FIRST_SIZE = 1 << 12;
/** Keys are stored one after another in blocks of this many bytes. */
const BLOCK = 1 << 20;
/** Keys that may take more bytes than this are stored as text. */
const LONGEST = 1 << 16;

/**
 * The exact keys of the rows seen so far. With hashes alone, a row whose hash collides would be missing
 * from the list. Bytes take a quarter of the memory of strings.
 */
export class RowKeys {
  readonly #long = new Set<string>();
  readonly #blocks: Buffer[] = [];
  readonly #bytes = Buffer.alloc(LONGEST);
  readonly #encoder = new TextEncoder();
  #used = BLOCK;
  /** The position of each key among all blocks, plus 1. 0 is an empty slot. */
  #places = new Uint32Array(FIRST_SIZE);
  #hashes = new Uint32Array(FIRST_SIZE);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count + this.#long.size === 0;
  }

  has(key: string): boolean {
    return !this.#note(key, false);
  }

  /** @returns false if the key was there already */
  add(key: string): boolean {
    return this.#note(key, true);
  }

  #note(key: string, isAdded: boolean): boolean {
    // UTF-8 would encode every lone surrogate as the same bytes.
    const text = key.isWellFormed() ? key : JSON.stringify(key);
    if (text.length * 3 > LONGEST) {
      const isNew = !this.#long.has(text);
      if (isAdded) this.#long.add(text);
      return isNew;
    }
    const { written: length } = this.#encoder.encodeInto(text, this.#bytes);
    if (this.#count * 2 >= this.#places.length) this.#grow();
    const hash = hashOf(this.#bytes, length);
    const mask = this.#places.length - 1;
    let at = hash & mask;
    for (; this.#places[at] !== 0; at = (at + 1) & mask) {
      if (this.#hashes[at] === hash && this.#isAt(this.#places[at]! - 1, length)) return false;
    }
    if (!isAdded) return true;
    this.#places[at] = this.#keep(length) + 1;
    this.#hashes[at] = hash;
    this.#count++;
    return true;
  }

  #isAt(place: number, length: number): boolean {
    const block = this.#blocks[Math.floor(place / BLOCK)]!;
    const from = place % BLOCK;
    return (
      block.readUInt16LE(from) === length &&
      block.compare(this.#bytes, 0, length, from + 2, from + 2 + length) === 0
    );
  }

  #keep(length: number): number {
    if (this.#used + 2 + length > BLOCK) {
      this.#blocks.push(Buffer.alloc(BLOCK));
      this.#used = 0;
    }
    const block = this.#blocks.at(-1)!;
    const from = this.#used;
    block.writeUInt16LE(length, from);
    this.#bytes.copy(block, from + 2, 0, length);
    this.#used += 2 + length;
    return (this.#blocks.length - 1) * BLOCK + from;
  }

  #grow(): void {
    const [places, hashes] = [this.#places, this.#hashes];
    this.#places = new Uint32Array(places.length * 2);
    this.#hashes = new Uint32Array(places.length * 2);
    const mask = this.#places.length - 1;
    for (const [index, place] of places.entries()) {
      if (place === 0) continue;
      let at = hashes[index]! & mask;
      while (this.#places[at] !== 0) at = (at + 1) & mask;
      this.#places[at] = place;
      this.#hashes[at] = hashes[index]!;
    }
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}
