import { closeness } from '../core/text/nearest.ts';

/** What was read: the whole list, a part of it, or only the pages where a search expected a code. */
export type Extent = 'whole' | 'part' | 'searched';

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

  /** `nearest of all 500 orders: PO-00042 (Chains)`; undefined if there is nothing to say. */
  describe(text: string, extent: Extent): string | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const near = this.nearest(text).map(shown).join(', ');
    const noun = this.#noun;
    if (extent === 'searched') return near === '' ? undefined : `nearest ${noun}: ${near}`;
    if (this.#count === 0)
      return `the list of ${noun} ${extent === 'whole' ? 'is' : 'seems'} empty`;
    const which =
      this.#count > MOST_KEPT
        ? `the first ${MOST_KEPT} of ${this.#count} ${noun}`
        : extent === 'whole'
          ? this.#count === 1
            ? `the only row of ${noun}`
            : `all ${this.#count} ${noun}`
          : this.#count === 1
            ? 'the only row that was read'
            : `the ${this.#count} ${noun} that were read`;
    const doubt = extent === 'part' ? ' (the list may be incomplete)' : '';
    return near === ''
      ? `none of ${which} is similar${doubt}`
      : `nearest of ${which}${doubt}: ${near}`;
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
