import { closeness } from '../core/text/nearest.ts';

interface Named {
  readonly id?: unknown;
  readonly code?: unknown;
  readonly key?: unknown;
  readonly name?: unknown;
  readonly title?: unknown;
}

/** What was read: the whole list, a part of it, or only the pages where a search expected a code. */
export type Extent = 'whole' | 'part' | 'searched';

export interface Near {
  /** `nearest of all 500 orders: PO-00042 (Chains)` */
  readonly text: string;
  /** E.g. `PO-00042 (Chains)`; empty if no row is similar. */
  readonly rows: readonly string[];
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
  describe(text: string, extent: Extent): Near | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const rows = this.nearest(text).map(shown);
    if (extent === 'searched' && rows.length === 0) return undefined;
    return { text: this.#textOf(rows.join(', '), extent), rows };
  }

  #textOf(near: string, extent: Extent): string {
    const noun = this.#noun;
    const count = this.#count;
    if (extent === 'searched') return `nearest ${noun}: ${near}`;
    if (count === 0) return `the list of ${noun} ${extent === 'whole' ? 'is' : 'seems'} empty`;
    const all = count === 1 ? 'the only row' : `all ${count} ${noun}`;
    const kept = count > MOST_KEPT ? `the first ${MOST_KEPT} of ${count} ${noun}` : all;
    const which =
      extent === 'part' ? `the ${noun} that were read (the list may be incomplete)` : kept;
    return near === '' ? `none of ${which} is similar` : `nearest of ${which}: ${near}`;
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
