import type { Row } from '../../core/result.ts';

/** Rows of a noun that are kept for completion. */
const MOST = 200;

/** Rows that were shown, by noun, until the command ends. */
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
