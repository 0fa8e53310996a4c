import type { Row } from '../../core/result.ts';

/** Only this many rows of each noun are kept, the last ones. */
const MOST = 200;

/** For each noun: the rows that the command has shown. */
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
