import type { Listed } from '../../listing/page.ts';
import type { Verified } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { ShownRows } from '../ledger/rows/shown-rows.ts';
import { rowsIn } from '../report/words.ts';

/** Maximum number of codes in the result. */
const NAMED = 10;

/**
 * What the list shows after a run: the rows that the run created, and duplicates. A duplicate is a
 * new record that has the code of a created row and that this run did not create.
 */
export class Seen {
  readonly #catalogue: Journal['catalogue'];
  readonly #shown: ShownRows;
  readonly #duplicates = new Map<string, string[]>();

  constructor(journal: Journal) {
    this.#catalogue = journal.catalogue;
    this.#shown = journal.shownRows();
  }

  add(rows: readonly Listed[]): void {
    for (const { id, code } of rows) {
      if (code === null || id === undefined) continue;
      const ours = this.#shown.createdWith(code);
      if (ours.includes(id)) this.#shown.add(id);
      else if (ours.length > 0 && !this.#catalogue.has(id)) this.#note(code, id, ours);
    }
  }

  hasOurs(): boolean {
    return !this.#shown.isEmpty;
  }

  /** @param isComplete whether the list is provably complete; only then can a row be missing */
  verdict(isComplete: boolean): Verified {
    const named = [...this.#duplicates].slice(0, NAMED).map(([code, ids]) => ({ code, ids }));
    const found = { twice: this.#duplicates.size, named };
    if (!isComplete) return { isComplete, ...found };
    const { count, first } = this.#shown.missing(NAMED);
    if (count === 0) return { isComplete, ...found };
    return { isComplete: false, ...found, hidden: count, notListed: first };
  }

  #note(code: string, id: string, ours: readonly string[]): void {
    const ids = this.#duplicates.get(code);
    if (ids === undefined) this.#duplicates.set(code, [...ours, id]);
    else if (!ids.includes(id)) ids.push(id);
  }
}

export function twiceText({ twice, named }: Verified): string | undefined {
  if (twice === 0) return undefined;
  const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
  return `${rowsIn(twice, 'code now exists', 'codes now exist')} more than once, because they were also created elsewhere at the same time: ${someOf(shown, twice)}`;
}

export function hiddenText({ hidden = 0, notListed = [] }: Verified): string | undefined {
  if (hidden === 0) return undefined;
  return `the list does not show ${rowsIn(hidden, 'created row', 'created rows')} under the code that was sent: ${someCodes(notListed, hidden)}`;
}

/** `AR-1 (itm-1), AR-2 (itm-2), …` */
export function someCodes(
  rows: readonly { readonly code: string; readonly id: string }[],
  count: number,
): string {
  return someOf(
    rows.slice(0, 3).map(({ code, id }) => `${code} (${id})`),
    count,
  );
}

function someOf(shown: readonly string[], count: number): string {
  return `${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}
