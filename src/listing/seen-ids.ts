const FIRST_SIZE = 1 << 12;

/**
 * A set of ids as 52-bit hashes. A million rows take 16 MB, and about one in 10,000 such lists has a
 * collision.
 */
export class SeenIds {
  #slots = new Float64Array(FIRST_SIZE);
  #count = 0;

  /** @returns false if the id was already there */
  add(id: string): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const at = this.#slotOf(hashOf(id));
    if (this.#slots[at] !== 0) return false;
    this.#slots[at] = hashOf(id);
    this.#count++;
    return true;
  }

  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    let at = hash & mask;
    while (this.#slots[at] !== 0 && this.#slots[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
  }
}

/** Two combined FNV-1a hashes; never 0, which marks an empty slot. */
function hashOf(id: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
  }
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0) + 1;
}
