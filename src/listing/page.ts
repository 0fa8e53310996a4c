import type { Comparator } from './comparators.ts';

/** A row of a listing, as far as bulk looks at it. */
export interface Listed {
  readonly id: string | undefined;
  /** Null where it has none. */
  readonly code: string | null;
  readonly name: string | null;
}

/** One response: rows that stood side by side at one moment. */
export interface Page {
  readonly offset: number;
  readonly rows: readonly Listed[];
  /** Nothing follows: proved. */
  readonly isEnd: boolean;
}

/** Where a code must stand, by one order: on this page, before it, or after it. */
export type Place = 'here' | 'before' | 'after' | 'unclear';

/**
 * Looks where `code` would stand, on a page that stands in this order. `here` only where its neighbours on both sides are on the page (or
 * it is the true beginning or end): then all rows with this code are on it, or there is none.
 */
export function placeOf(page: Page, code: string, { compare }: Comparator): Place {
  const { rows } = page;
  const coded = rows.filter(hasCode);
  if (coded.length === 0) {
    if (page.offset === 0) return page.isEnd ? 'here' : 'after';
    return rows.length === 0 ? 'before' : 'unclear';
  }
  const from = firstWhere(coded, (row) => compare(row.code, code) >= 0);
  // Rows without a code stand all at one side, so that between them and the others is an edge too.
  const startsHere = page.offset === 0 || rows[0]!.code === null;
  if (from === 0 && !startsHere) return 'before';
  const to = firstWhere(coded, (row) => compare(row.code, code) > 0);
  const endsHere = page.isEnd || rows.at(-1)!.code === null;
  if (to === coded.length && !endsHere) return 'after';
  return 'here';
}

/** Whether the page's rows stand in this order, those without a code all at one side. */
export function isInOrder(page: Page, { compare }: Comparator): boolean {
  let last: string | undefined;
  let sides = 0;
  let before: Listed | undefined;
  for (const row of page.rows) {
    if (before !== undefined && (before.code === null) !== (row.code === null)) sides++;
    before = row;
    if (row.code === null) continue;
    if (last !== undefined && compare(last, row.code) > 0) return false;
    last = row.code;
  }
  return sides <= 1;
}

function hasCode(row: Listed): row is Listed & { readonly code: string } {
  return row.code !== null;
}

/** The first index from which on a condition holds, by halving. */
function firstWhere<T>(all: readonly T[], holds: (one: T) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(all[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
