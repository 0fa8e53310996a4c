import type { Search } from '../../listing/search.ts';
import type { CreatedRow } from '../ledger/rows/shown-rows.ts';
import { covers, traitsOf } from './key-traits.ts';

/** More witnesses than this are not searched for. */
const MOST = 6;

/** Rows that this run created, and the traits of their codes; undefined if there are none. */
export interface Witnesses {
  readonly rows: readonly CreatedRow[];
  readonly traits: number | undefined;
}

/**
 * Chooses created rows whose codes together have the traits of other codes. A search that finds
 * them under their codes, with their ids, shows that the list has what this run created, and that
 * the service does not change codes with these traits.
 */
export function witnessesAmong(created: Iterable<CreatedRow>, codes: readonly string[]): Witnesses {
  const wanted = codes.reduce((all, code) => all | traitsOf(code), 0);
  const rows: CreatedRow[] = [];
  let traits: number | undefined;
  for (const one of created) {
    const own = traitsOf(one.key);
    if (traits !== undefined && (own & wanted & ~traits) === 0) continue;
    rows.push(one);
    traits = (traits ?? 0) | own;
    if (covers(traits, wanted) || rows.length === MOST) break;
  }
  return { rows, traits };
}

/** @throws ProcError if the list cannot be read */
export async function areShown(rows: readonly CreatedRow[], search: Search): Promise<boolean> {
  for (const { key, id } of rows) {
    const found = await search.find(key);
    if (found.kind === 'unproved' || !found.ids.includes(id)) return false;
  }
  return rows.length > 0;
}
