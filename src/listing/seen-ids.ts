/** The set consists of this many tables, so that growing copies one table at a time. */
const TABLES = 64;
const FIRST_SIZE = 64;
const GROWTH = 1.5;
const MOST_FULL = 0.8;

/**
 * A set of ids as 52-bit hashes: 12 MB for a million ids. About one in 10,000 lists of that length has a
 * collision.
 */
export class SeenIds {
  readonly #tables = Array.from({ length: TABLES }, () => new Float64Array(FIRST_SIZE));
  readonly #counts = new Uint32Array(TABLES);

  /** @returns false if the id was already there */
  add(id: string): boolean {
    const hash = hashOf(id);
    const table = hash % TABLES;
    if (this.#counts[table]! >= this.#tables[table]!.length * MOST_FULL) this.#grow(table);
    const slots = this.#tables[table]!;
    const at = slotOf(slots, hash);
    if (slots[at] !== 0) return false;
    slots[at] = hash;
    this.#counts[table]!++;
    return true;
  }

  #grow(table: number): void {
    const before = this.#tables[table]!;
    const slots = new Float64Array(Math.ceil(before.length * GROWTH));
    for (const hash of before) if (hash !== 0) slots[slotOf(slots, hash)] = hash;
    this.#tables[table] = slots;
  }
}

function slotOf(slots: Float64Array, hash: number): number {
  let at = Math.floor(hash / TABLES) % slots.length;
  while (slots[at] !== 0 && slots[at] !== hash) at = at + 1 === slots.length ? 0 : at + 1;
  return at;
}

/** Two combined 32-bit hashes (the first is FNV-1a). Never 0, which marks an empty slot. */
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
