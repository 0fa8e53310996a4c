import type { Ports } from '../../../core/ports.ts';
import type { Listed } from '../../../listing/page.ts';
import { scan } from '../../../listing/scan.ts';
import { Search } from '../../../listing/search.ts';
import type { Journal } from '../../ledger/journal.ts';
import { listingFor } from '../../plan/catalogue/open-listing.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

export interface Wanted {
  readonly row: number;
  readonly code: string | null;
  /** JSON text. */
  readonly body: string;
}

export interface Seen {
  /** The record with one of the wanted ids; undefined if the list does not contain it. */
  listed(id: string): Listed | undefined;
  /**
   * Ids of all records that may be the row: records with its code, or with its name if the row has
   * no code.
   */
  alike(row: Wanted): readonly string[];
  readonly isComplete: boolean;
}

/**
 * Looks up rows in the list: a single row with a search for its code if possible, several rows by
 * reading the whole list.
 *
 * @param ids also look for the records with these ids
 * @throws ProcError if the list cannot be read
 */
export async function lookUp(
  rows: readonly Wanted[],
  target: ImportTarget,
  journal: Journal,
  ports: Ports<'api' | 'self'>,
  ids: readonly string[] = [],
): Promise<Seen> {
  const listing = await listingFor(target, journal, ports);
  const code = rows.length === 1 ? rows[0]!.code : null;
  if (code !== null) {
    const search = new Search(listing);
    const found = (await search.isUsable()) ? await search.find(code) : undefined;
    if (found?.kind === 'proved' && ids.every((id) => found.ids.includes(id))) {
      const listed = (id: string) => (ids.includes(id) ? { id, code, name: null } : undefined);
      return { listed, alike: () => found.ids, isComplete: true };
    }
  }
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const key = keyOf(row, target);
    if (key !== undefined) found.set(key, new Set());
  }
  const wanted = new Set(ids);
  const listed = new Map<string, Listed>();
  const isComplete = await scan(listing, (page) => {
    for (const row of page) {
      if (row.id === undefined) continue;
      if (wanted.has(row.id)) listed.set(row.id, row);
      if (row.code !== null) found.get(`code ${row.code}`)?.add(row.id);
      if (row.name !== null) found.get(`name ${row.name}`)?.add(row.id);
    }
  });
  const alike = (row: Wanted) => {
    const key = keyOf(row, target);
    return key === undefined ? [] : [...(found.get(key) ?? [])];
  };
  return { listed: (id) => listed.get(id), alike, isComplete };
}

/**
 * The key that finds the row in the list: `code AR-1`, or `name Bolt` if the row has no code.
 * Undefined if the row has neither.
 */
export function keyOf({ code, body }: Wanted, { listing }: ImportTarget): string | undefined {
  if (code !== null) return `code ${code}`;
  const name = (JSON.parse(body) as Record<string, unknown>)[listing!.nameField];
  return typeof name === 'string' ? `name ${name}` : undefined;
}
