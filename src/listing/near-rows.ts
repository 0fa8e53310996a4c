import type { Near } from '../core/problem/row-problem.ts';
import { closeness } from '../core/text/nearest.ts';

interface Named {
  readonly id?: unknown;
  readonly code?: unknown;
  readonly key?: unknown;
  readonly name?: unknown;
  readonly title?: unknown;
}

const NAMED = 3;
/** For longer lists, only the first rows are kept, and the text says so. */
const MOST_KEPT = 50_000;
/** An import may have thousands of references that do not exist. */
const MOST_ASKED = 50;

/** Keeps the names of the rows that a look-up reads, to tell the nearest if it finds nothing. */
export class NearRows {
  readonly #noun: string;
  readonly #kept: Named[] = [];
  #count = 0;
  #asked = 0;

  /** @param noun plural, e.g. `orders` */
  constructor(noun: string) {
    this.#noun = noun;
  }

  add(rows: Iterable<Named>): this {
    for (const { id, code, key, name, title } of rows) {
      this.#count++;
      if (this.#kept.length < MOST_KEPT) this.#kept.push({ id, code, key, name, title });
    }
    return this;
  }

  /** At most three rows, the nearest first; compares ids, codes, keys, names and their words. */
  nearest(text: string): readonly Named[] {
    return this.#kept
      .map((row) => ({ row, far: closeness(text, labelsOf(row)) }))
      .filter(({ far }) => far < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.far - b.far)
      .slice(0, NAMED)
      .map(({ row }) => row);
  }

  /** Undefined if there is nothing to say. */
  describe(text: string, extent: Near['extent']): Near | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const rows = this.nearest(text).map(shown);
    if (extent === 'searched' && rows.length === 0) return undefined;
    const compared = this.#count > MOST_KEPT ? { compared: MOST_KEPT } : {};
    return { noun: this.#noun, extent, count: this.#count, ...compared, rows };
  }
}

function labelsOf({ id, code, key, name, title }: Named): readonly string[] {
  return [id, code, key, name, title].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

function shown({ id, code, key, name, title }: Named): string {
  const word = code ?? key ?? id;
  const label = name ?? title;
  return label === undefined || label === null || label === '' ? `${word}` : `${word} (${label})`;
}

export function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
