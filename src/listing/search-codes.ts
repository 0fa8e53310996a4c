import type { EndpointSpec } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import type { ListSource } from './list-reader.ts';
import { Listing, UntrustedPaging } from './listing.ts';
import { Search } from './search.ts';
import { codedList } from './sorted-list.ts';

/** A search costs about as many requests as reading this many rows. */
const ROWS_PER_SEARCH = 1_000;
/** For more codes, reading the list takes fewer requests, even with a million rows (10,000 pages). */
export const MOST_CODES = 800;

/**
 * Rows with these codes, by binary search in the sorted list.
 *
 * @param onRows called with the rows of each page that the search reads
 * @returns undefined if reading the list takes fewer requests, or if the search cannot prove its result
 */
export async function searchCodes(
  endpoint: EndpointSpec,
  codes: ReadonlySet<string>,
  { target, read, takesSort }: ListSource,
  onRows?: (rows: readonly Row[]) => void,
): Promise<readonly Row[] | undefined> {
  if (codes.size === 0 || codes.size > MOST_CODES) return undefined;
  const seen = new Map<unknown, Row>();
  const noting: ListSource['read'] = async (spec, query, alone) => {
    const rows = await read(spec, query, alone);
    onRows?.(rows);
    for (const row of rows) if (codes.has(String(row.code))) seen.set(row.id, row);
    return rows;
  };
  const listing = new Listing(codedList(endpoint), { target, read: noting, takesSort });
  const search = new Search(listing);
  try {
    // Reading a short list takes fewer requests than testing its order.
    if (!(await listing.hasRowsFrom(codes.size * ROWS_PER_SEARCH))) return undefined;
    if (!(await search.isUsable())) return undefined;
    for (const code of codes) {
      if ((await search.find(code)).kind === 'unproved') return undefined;
    }
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return undefined;
    throw thrown;
  }
  return [...seen.values()];
}
