import { closeness } from '../core/wording.ts';

type Named = Partial<Record<'id' | 'code' | 'key' | 'name' | 'title', unknown>>;

/** How many rows a message names. */
const NAMED = 3;
/** Of longer lists, only the first rows are kept. */
const MOST_KEPT = 50_000;
/** A search of so many rows takes most of a second, and an import may have thousands of wrong references. */
const MOST_ASKED = 5;

/** Keeps the names of the rows that a look-up reads, to tell the nearest if it finds nothing. */
export class NearRows {
  readonly #noun: string;
  /** By id. */
  readonly #kept = new Map<unknown, Named>();
  #asked = 0;

  /** @param noun plural, e.g. `orders` */
  constructor(noun: string) {
    this.#noun = noun;
  }

  add(rows: Iterable<Named>): this {
    for (const { id, code, key, name, title } of rows) {
      const row = { id, code, key, name, title };
      if (this.#kept.size < MOST_KEPT) this.#kept.set(id ?? row, row);
    }
    return this;
  }

  /** At most three rows, the nearest first; compares ids, codes, keys, names and their words. */
  nearest(text: string): readonly Named[] {
    return [...this.#kept.values()]
      .map((row) => ({ row, far: closeness(text, labelsOf(row)) }))
      .filter(({ far }) => far < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.far - b.far)
      .slice(0, NAMED)
      .map(({ row }) => row);
  }

  /** `nearest orders: PO-00042 (Chains)`; undefined if no row is similar, or after too many questions. */
  describe(text: string): string | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const rows = this.nearest(text).map(rowLabel);
    return rows.length === 0 ? undefined : `nearest ${this.#noun}: ${rows.join(', ')}`;
  }
}

function labelsOf({ id, code, key, name, title }: Named): readonly string[] {
  return [id, code, key, name, title].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

/** `PO-00042 (Chains)` */
function rowLabel({ id, code, key, name, title }: Named): string {
  const label = name ?? title;
  const word = `${code ?? key ?? id}`;
  return label === undefined || label === null || label === '' ? word : `${word} (${label})`;
}
