import { closeness } from '../core/text/nearest.ts';

type Named = Partial<Record<'id' | 'code' | 'key' | 'name' | 'title', unknown>>;

/** The rows of a list that are nearest to a text. */
export interface Near {
  /** `nearest orders: PO-00042 (Chains)` */
  readonly text: string;
  /** `PO-00042 (Chains)` */
  readonly rows: readonly string[];
}

const NAMED = 3;
/** Of longer lists, only the first rows are kept. */
const MOST_KEPT = 50_000;
/** A search of so many rows takes most of a second, and an import may have thousands of wrong references. */
const MOST_ASKED = 5;

/** Keeps the names of the rows that a look-up reads, to tell the nearest if it finds nothing. */
export class NearRows {
  readonly #noun: string;
  readonly #kept: Named[] = [];
  #asked = 0;

  /** @param noun plural, e.g. `orders` */
  constructor(noun: string) {
    this.#noun = noun;
  }

  add(rows: Iterable<Named>): this {
    for (const { id, code, key, name, title } of rows) {
      if (this.#kept.length === MOST_KEPT) break;
      this.#kept.push({ id, code, key, name, title });
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

  /** Undefined if no row is similar, or after too many questions. */
  describe(text: string): Near | undefined {
    if (++this.#asked > MOST_ASKED) return undefined;
    const rows = this.nearest(text).map(shown);
    if (rows.length === 0) return undefined;
    return { text: `nearest ${this.#noun}: ${rows.join(', ')}`, rows };
  }
}

function labelsOf({ id, code, key, name, title }: Named): readonly string[] {
  return [id, code, key, name, title].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

function shown({ id, code, key, name, title }: Named): string {
  const label = name ?? title;
  const word = `${code ?? key ?? id}`;
  return label === undefined || label === null || label === '' ? word : `${word} (${label})`;
}
