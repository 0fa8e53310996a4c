import type { Row } from '../../core/result.ts';

/** At most this many rows of each noun are kept: the last rows. */
const MOST = 200;

export class SeenRows {
  readonly #nouns = new Map<string, readonly Row[]>();

  note(noun: string, value: unknown): void {
    const rows = (Array.isArray(value) ? value : [value]) as readonly Row[];
    this.#nouns.set(noun, [...(this.#nouns.get(noun) ?? []), ...rows].slice(-MOST));
  }

  get all(): ReadonlyMap<string, readonly Row[]> {
    return this.#nouns;
  }
}
