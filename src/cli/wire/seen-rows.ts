import type { Row } from '../../core/result.ts';

const MOST_OF_A_NOUN = 200;

export class SeenRows {
  readonly #nouns = new Map<string, readonly Row[]>();

  note(noun: string, value: unknown): void {
    const rows = (Array.isArray(value) ? value : [value]) as readonly Row[];
    this.#nouns.set(noun, [...(this.#nouns.get(noun) ?? []), ...rows].slice(-MOST_OF_A_NOUN));
  }

  get all(): ReadonlyMap<string, readonly Row[]> {
    return this.#nouns;
  }
}
