import { PAGE_INDEX } from '../client/request.ts';
import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import type { Target } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { Listing, PAGE_SIZE, type ReadRows } from './listing.ts';
import { Search } from './search.ts';

/**
 * The rows of a list with this code, found by halving in the list sorted by code.
 *
 * @returns undefined where the order of the list cannot be trusted: only reading all of it tells then.
 */
export async function findByCode(
  endpoint: EndpointSpec,
  code: string,
  target: Target,
  read: ReadRows,
): Promise<readonly Row[] | undefined> {
  const seen = new Map<unknown, Row>();
  const noting: ReadRows = async (spec, query) => {
    const rows = await read(spec, query);
    for (const row of rows) seen.set(String(row.id), row);
    return rows;
  };
  const list = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  const listing = new Listing(
    { noun: nounOf(endpoint), keyField: 'code', listing: list },
    { target },
    noting,
  );
  const search = new Search(listing);
  if (!(await search.isUsable())) return undefined;
  const found = await search.find(code);
  if (found.kind === 'unproved') return undefined;
  return found.ids.flatMap((id): Row[] => {
    const row = seen.get(id);
    return row === undefined ? [] : [row];
  });
}

/** Rows up to which reading the whole list is cheaper than searching in it. */
const SHORT = 1_000;

/** Whether a list goes on beyond {@link SHORT} rows. */
export async function isLong(endpoint: EndpointSpec, read: ReadRows): Promise<boolean> {
  const query = {
    limit: PAGE_SIZE,
    offset: SHORT,
    [PAGE_INDEX]: SHORT / PAGE_SIZE,
    sort: 'code',
    dir: 'asc',
  };
  return (await read(endpoint, query)).length > 0;
}
