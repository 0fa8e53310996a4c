import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Comparator } from './comparators.ts';

export interface Listed {
  readonly id: string | undefined;
  readonly code: string | null;
  readonly name: string | null;
}

/** One response: consecutive rows at one moment. */
export interface Page {
  readonly offset: number;
  readonly rows: readonly Listed[];
  /** True if it is proved that nothing follows. */
  readonly isEnd: boolean;
}

type Place = 'here' | 'before' | 'after' | 'unclear';

/**
 * Where `code` belongs relative to a page, in this sort order. `here`: the page has the neighbours on both
 * sides, or the list begins or ends there. Then all rows with this code are on the page.
 */
export function placeOf(page: Page, code: string, { compare }: Comparator): Place {
  const { rows } = page;
  const coded = rows.filter(hasCode);
  if (coded.length === 0) {
    if (page.offset === 0) return page.isEnd ? 'here' : 'after';
    return rows.length === 0 ? 'before' : 'unclear';
  }
  const from = firstWhere(coded, (row) => compare(row.code, code) >= 0);
  // Rows without a code are all at one end of the list. Beyond such a row there are no further codes.
  const startsHere = page.offset === 0 || rows[0]!.code === null;
  if (from === 0 && !startsHere) return 'before';
  const to = firstWhere(coded, (row) => compare(row.code, code) > 0);
  const endsHere = page.isEnd || rows.at(-1)!.code === null;
  if (to === coded.length && !endsHere) return 'after';
  return 'here';
}

/** Whether the page is in this order, with all rows without a code on one side. */
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

/** The first index at which the condition holds, by binary search. The condition must hold from there on. */
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

export interface SortedList {
  readonly endpoint: EndpointSpec;
  /** The value of `sort` for the key field. */
  readonly sort: string;
  readonly idField: string;
  /** The field that identifies rows without a key (`--no-code name`). */
  readonly nameField: string;
}

/** A noun whose records have a key, and its list, if there is one. */
export interface ListedNoun {
  readonly noun: string;
  readonly keyField: string;
  readonly listing?: SortedList;
}

/** A list whose rows are identified by `code`, such as items and orders. */
export function codedList(endpoint: EndpointSpec): ListedNoun {
  const listing = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  return { noun: nounOf(endpoint), keyField: 'code', listing };
}
