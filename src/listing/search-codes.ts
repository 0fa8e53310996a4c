import type { EndpointSpec } from '../core/endpoint.ts';
import type { Say } from '../core/io.ts';
import type { Row } from '../core/result.ts';
import { textOf } from '../core/text/raw-number.ts';
import { listPages } from './list-pages.ts';
import type { ListSource } from './list-reader.ts';
import { codedList, Listing } from './listing.ts';
import { scan } from './scan.ts';
import { Search } from './search.ts';

export interface FoundRows {
  readonly rows: readonly Row[];
  /** It is proved that no other row of the list matches. */
  readonly isProved: boolean;
}

/** A search costs about as many requests as reading this many rows. */
const ROWS_PER_SEARCH = 1_000;
/** For more codes, reading the list takes fewer requests, even with a million rows (10,000 pages). */
const MOST_CODES = 800;

/**
 * Rows with these codes, by binary search in the sorted list.
 *
 * @param onRows called with the rows of each page that the search reads
 * @returns undefined if reading the list takes fewer requests, or if the search cannot prove its result
 */
export async function searchCodes(
  endpoint: EndpointSpec,
  codes: ReadonlySet<string>,
  { target, read }: ListSource,
  onRows?: (rows: readonly Row[]) => void,
): Promise<readonly Row[] | undefined> {
  if (codes.size === 0 || codes.size > MOST_CODES) return undefined;
  const seen = new Map<unknown, Row>();
  const noting: ListSource['read'] = async (spec, query) => {
    const rows = await read(spec, query);
    onRows?.(rows);
    for (const row of rows)
      if (codes.has(textOf(row.code) ?? '')) seen.set(textOf(row.id) ?? row.id, row);
    return rows;
  };
  const listing = new Listing(codedList(endpoint), { target, read: noting });
  const search = new Search(listing);
  // Reading a short list takes fewer requests than testing its order.
  if (!(await listing.hasRowsFrom(codes.size * ROWS_PER_SEARCH))) return undefined;
  if (!(await search.isUsable())) return undefined;
  for (const code of codes) {
    if ((await search.find(code)).kind === 'unproved') return undefined;
  }
  return [...seen.values()];
}

interface FoundRow {
  readonly id: string;
  readonly code: string;
  readonly name: string | undefined;
}

/**
 * Reports every row that has an id and one of these codes.
 *
 * @returns true if codes that were not reported provably do not exist
 * @throws ProcError if the list cannot be read
 */
export async function findCodes(
  endpoint: EndpointSpec,
  codes: ReadonlySet<string>,
  source: ListSource,
  onFound: (code: string, item: FoundRow) => void,
): Promise<boolean> {
  const searched = await searchCodes(endpoint, codes, source);
  for (const row of searched ?? []) {
    const code = textOf(row.code) ?? '';
    onFound(code, { id: textOf(row.id) ?? '', code, name: textOf(row.name) });
  }
  if (searched !== undefined) return true;
  let isReferable = true;
  const isWhole = await scan(new Listing(codedList(endpoint), source), (rows) => {
    for (const { id, code, name } of rows) {
      if (code === null || !codes.has(code)) continue;
      if (id === undefined) isReferable = false;
      else onFound(code, { id, code, name: name ?? undefined });
    }
  });
  return isWhole && isReferable;
}

interface WantedRows {
  readonly spec: EndpointSpec;
  readonly field: string;
  readonly value: string;
}

/**
 * All rows of a list with exactly this value in a field. Searches by code if it can, otherwise reads page
 * by page. Warns if the list may be incomplete.
 */
export async function findRows(
  { spec, field, value }: WantedRows,
  source: ListSource,
  say: Say,
  onRows?: (rows: readonly Row[]) => void,
): Promise<FoundRows> {
  const searched =
    field === 'code' ? await searchCodes(spec, new Set([value]), source, onRows) : undefined;
  if (searched !== undefined) return { rows: searched, isProved: true };
  const found: Row[] = [];
  const pages = listPages(spec, { stableSort: 'code' }, async () => source);
  for await (const rows of pages.rows) {
    onRows?.(rows);
    found.push(...rows.filter((row) => row[field] === value));
  }
  const failure = pages.failure();
  if (failure !== undefined) say({ kind: 'warning', text: failure.message });
  return { rows: found, isProved: pages.complete() };
}
