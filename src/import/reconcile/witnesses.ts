import type { Search } from '../../listing/search.ts';
import type { CreatedRow } from '../ledger/rows/shown-rows.ts';
import { covers, formOf } from './key-form.ts';

/** At most this many witnesses are searched for. */
const MOST = 6;

export interface Witnesses {
  readonly rows: readonly CreatedRow[];
  readonly forms: ReadonlySet<string>;
}

/**
 * Chooses created rows whose codes have the same forms as the given codes. If a search finds these
 * rows with their ids, the service does not change codes of these forms.
 */
export function witnessesAmong(created: Iterable<CreatedRow>, codes: readonly string[]): Witnesses {
  const missing = new Set(codes.map(formOf));
  const rows: CreatedRow[] = [];
  const forms = new Set<string>();
  for (const one of created) {
    const own = formOf(one.key);
    const covered = [...missing].filter((form) => covers(new Set([own]), form));
    if (covered.length === 0) continue;
    rows.push(one);
    forms.add(own);
    for (const form of covered) missing.delete(form);
    if (missing.size === 0 || rows.length === MOST) break;
  }
  return { rows, forms };
}

/** @throws ProcError if the list cannot be read */
export async function areShown(rows: readonly CreatedRow[], search: Search): Promise<boolean> {
  for (const { key, id } of rows) {
    const found = await search.find(key);
    if (found.kind === 'unproved' || !found.ids.includes(id)) return false;
  }
  return rows.length > 0;
}
