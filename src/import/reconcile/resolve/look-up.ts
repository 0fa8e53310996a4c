import type { Ports } from '../../../core/ports.ts';
import type { Listed } from '../../../listing/page.ts';
import { scan } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import type { Journal } from '../../ledger/journal.ts';
import { listingFor } from '../../plan/catalogue/open-listing.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

/** The part of a row by which the list is looked through. */
export interface Wanted {
  readonly row: number;
  readonly code: string | null;
  /** JSON text. */
  readonly body: string;
}

/** What the live list shows. */
export interface Seen {
  /** The row with the id that was asked for; undefined if there is none. */
  readonly listed: Listed | undefined;
  /** Ids of all that may be the row: by its code, or by its name if it has no code. */
  alike(row: Wanted): readonly string[];
  readonly isComplete: boolean;
}

/**
 * Looks rows up in the live list: one by a search for its code, several by reading the list once.
 *
 * @param id of a row of the list that is wanted too
 * @throws ProcError if the list cannot be read
 */
export async function lookUp(
  rows: readonly Wanted[],
  target: ImportTarget,
  journal: Journal,
  ports: Ports<'api' | 'self'>,
  id?: string,
): Promise<Seen> {
  const listing = await listingFor(target, journal, ports);
  const code = rows.length === 1 ? rows[0]!.code : null;
  if (code !== null) {
    const search = new Search(listing);
    const found = (await search.isUsable()) ? await search.find(code) : undefined;
    if (found?.kind === 'proved' && (id === undefined || found.ids.includes(id))) {
      const { ids } = found;
      const listed = id === undefined ? undefined : { id, code, name: null };
      return { listed, alike: () => ids, isComplete: true };
    }
  }
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const key = keyOf(row, target);
    if (key !== undefined) found.set(key, new Set());
  }
  let listed: Listed | undefined;
  const isComplete = await scan(listing, (page) => {
    for (const row of page) {
      if (row.id === undefined) continue;
      if (row.id === id) listed = row;
      if (row.code !== null) found.get(`code ${row.code}`)?.add(row.id);
      if (row.name !== null) found.get(`name ${row.name}`)?.add(row.id);
    }
  });
  const alike = (row: Wanted) => {
    const key = keyOf(row, target);
    return key === undefined ? [] : [...(found.get(key) ?? [])];
  };
  return { listed, alike, isComplete };
}

/** What a row is recognised by in the list; undefined if nothing tells it from others. */
export function keyOf({ code, body }: Wanted, { listing }: ImportTarget): string | undefined {
  if (code !== null) return `code ${code}`;
  const name = (JSON.parse(body) as Record<string, unknown>)[listing!.nameField];
  return typeof name === 'string' ? `name ${name}` : undefined;
}
