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
  #hasNames = false;

  constructor(journal: Journal) {
    this.#catalogue = journal.catalogue;
    this.#shown = journal.shownRows();
  }

  add(rows: readonly Listed[]): void {
    for (const { id, code, name } of rows) {
      const key = code === null || code === '' ? 'name' : 'code';
      const value = key === 'code' ? code : name;
      if (value === null || id === undefined) continue;
      const ours = this.#shown.createdWith(key, value);
      if (ours.includes(id)) this.#shown.add(id);
      else if (ours.length > 0 && !this.#catalogue.has(id)) {
        this.#note(value, id, ours);
        this.#hasNames ||= key === 'name';
      }
    }
  }

  hasOurs(): boolean {
    return !this.#shown.isEmpty;
  }

  /** @param isComplete whether the list is provably complete; only then can a row be missing */
  verdict(isComplete: boolean): Verified {
    const named = [...this.#duplicates].slice(0, NAMED).map(([code, ids]) => ({ code, ids }));
    const byName = this.#hasNames ? { byName: true } : {};
    const found = { twice: this.#duplicates.size, named, ...byName };
    if (!isComplete) return { isComplete, ...found };
    const { count, first } = this.#shown.missing(['code', 'name'], NAMED);
    if (count === 0) return { isComplete, ...found };
    const hidden = { hidden: count, notListed: first.map(({ key, id }) => ({ code: key, id })) };
    const areNames = this.#shown.missing(['name'], 0).count > 0 ? { byName: true } : {};
    return { isComplete: false, ...found, ...areNames, ...hidden };
  }

  #note(code: string, id: string, ours: readonly string[]): void {
    const ids = this.#duplicates.get(code);
    if (ids === undefined) this.#duplicates.set(code, [...ours, id]);
    else if (!ids.includes(id)) ids.push(id);
  }
}

export function twiceText({ twice, named, byName }: Verified): string | undefined {
  if (twice === 0) return undefined;
  const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
  const [one, many] = byName === true ? ['code or name', 'codes or names'] : ['code', 'codes'];
  return `${rowsIn(twice, `${one} now exists`, `${many} now exist`)} more than once, because they were also created elsewhere at the same time: ${someOf(shown, twice)}`;
}

export function hiddenText({ hidden = 0, notListed = [], byName }: Verified): string | undefined {
  if (hidden === 0) return undefined;
  const first = notListed.map(({ code, id }) => ({ key: code, id }));
  return `the list does not show ${createdText(first, hidden, byName === true ? 'code or name' : 'code')}`;
}

/** `2 created rows under the code that was sent: AR-1 (itm-1), AR-2 (itm-2)` */
export function createdText(
  first: readonly { readonly key: string; readonly id: string }[],
  count: number,
  keys: string,
): string {
  const codes = first.map(({ key, id }) => ({ code: key, id }));
  return `${rowsIn(count, 'created row', 'created rows')} under the ${keys} that was sent: ${someCodes(codes, count)}`;
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
