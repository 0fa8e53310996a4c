import type { EndpointSpec } from '../core/endpoint.ts';
import type { FoundRows, Say } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { listPages } from './list-pages.ts';
import type { ListSource } from './list-reader.ts';
import { searchCodes } from './search-codes.ts';

/**
 * All rows of a list with exactly this value in a field. Searches by code if it can, otherwise reads page
 * by page. Warns if the list may be incomplete.
 */
export async function findRows(
  spec: EndpointSpec,
  field: string,
  value: string,
  source: ListSource,
  say: Say,
  onRows?: (rows: readonly Row[]) => void,
): Promise<FoundRows> {
  const searched =
    field === 'code' ? await searchCodes(spec, new Set([value]), source, onRows) : undefined;
  if (searched !== undefined) return { rows: searched, isProved: true, isSearched: true };
  const found: Row[] = [];
  const pages = listPages(spec, { stableSort: 'code' }, async () => source);
  for await (const rows of pages.rows) {
    onRows?.(rows);
    found.push(...rows.filter((row) => row[field] === value));
  }
  const failure = pages.failure();
  if (failure !== undefined) say({ kind: 'warning', text: failure.message });
  return { rows: found, isProved: pages.complete(), isSearched: false };
}
