import type { EndpointSpec } from '../core/endpoint.ts';
import { nounOf } from '../core/endpoint.ts';
import type { Target } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { Listing, type ReadRows, UntrustedPaging } from './listing.ts';
import { Search } from './search.ts';

/** A search needs about this many pages for one code, in a list of any usual length. */
const PAGES_PER_SEARCH = 12;
const PAGE_ROWS = 100;
/** For more codes than these no list is long enough: a million rows are 10,000 pages. */
export const MOST_CODES = 800;

/**
 * Rows with these codes, found by halving in the list sorted by code, where that takes fewer requests
 * than reading all of it.
 *
 * @returns undefined where it does not, or the order of the list cannot be trusted
 */
export async function searchCodes(
  endpoint: EndpointSpec,
  codes: ReadonlySet<string>,
  target: Target,
  read: ReadRows,
): Promise<readonly Row[] | undefined> {
  if (codes.size > MOST_CODES) return undefined;
  const seen = new Map<unknown, Row>();
  const noting: ReadRows = async (spec, query) => {
    const rows = await read(spec, query);
    for (const row of rows) if (codes.has(String(row.code))) seen.set(row.id, row);
    return rows;
  };
  const list = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  const noun = nounOf(endpoint);
  const search = new Search(
    new Listing({ noun, keyField: 'code', listing: list }, { target }, noting),
  );
  try {
    if (!(await isWorthIt(search, codes.size)) || !(await search.isUsable())) return undefined;
    for (const code of codes) {
      if ((await search.find(code)).kind === 'unproved') return undefined;
    }
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return undefined;
    throw thrown;
  }
  return [...seen.values()];
}

/** Whether the list has more pages than the searches take; found out with few requests. */
async function isWorthIt(search: Search, codes: number): Promise<boolean> {
  const needed = codes * PAGES_PER_SEARCH * PAGE_ROWS;
  const atLeast = await search.measure();
  // It is up to four times as long as was seen: one more look tells.
  if (atLeast <= needed && needed < 4 * atLeast) await search.read(needed);
  return search.size > needed;
}
