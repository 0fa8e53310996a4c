import type { Row } from '../../core/result.ts';

/** The most rows of a noun kept for completion. */
const MOST = 200;

/** The rows shown by this command, by noun. */
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
