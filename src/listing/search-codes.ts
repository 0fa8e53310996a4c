import type { EndpointSpec } from '../core/endpoint.ts';
import type { Row } from '../core/result.ts';
import { foldCode } from '../core/text/fold-code.ts';
import { textOf } from '../core/text/raw-number.ts';
import type { ListSource } from './list-reader.ts';
import { codedList, Listing } from './listing.ts';
import { scan } from './scan.ts';
import { Search } from './search.ts';

export interface FoundRows {
  /** Each id once. */
  readonly rows: readonly Row[];
  /** It is proved that the list has no others. */
  readonly isProved: boolean;
  /** Every row of the list was read. */
  readonly isWhole: boolean;
}

/** A search costs about as many requests as reading this many rows. */
const ROWS_PER_SEARCH = 1_000;
/** For more codes, reading the list takes fewer requests, even with a million rows (10,000 pages). */
const MOST_CODES = 800;
/** A search tells nothing about how a service sorts other codes. */
const SEARCHABLE = /^[A-Za-z0-9._/-]+$/;

/**
 * The rows of a list whose code is one of these, compared by the fold. Searches, if that takes fewer requests than
 * reading the list.
 *
 * @param onRows called with the rows of each page that is read
 * @throws ProcError if the list cannot be read
 */
export async function findCodes(
  endpoint: EndpointSpec,
  codes: Iterable<string>,
  { target, read }: ListSource,
  onRows: (rows: readonly Row[]) => void = () => undefined,
): Promise<FoundRows> {
  const wanted = new Map([...codes].map((code) => [foldCode(code), code]));
  const found = new Map<unknown, Row>();
  const noting: ListSource['read'] = async (spec, query) => {
    const rows = await read(spec, query);
    onRows(rows);
    for (const row of rows)
      if (wanted.has(foldCode(textOf(row.code) ?? ''))) found.set(textOf(row.id) ?? row, row);
    return rows;
  };
  const listing = new Listing(codedList(endpoint), { target, read: noting });
  const isSearched = await searched(listing, [...wanted.values()], (code) =>
    [...found.values()].some((row) => foldCode(textOf(row.code)!) === foldCode(code)),
  );
  const isWhole = !isSearched && (await scan(listing, () => undefined));
  return { rows: [...found.values()], isProved: isSearched || isWhole, isWhole };
}

/**
 * Searches for each code, and if it is not found, for its other spellings.
 *
 * @returns false if reading the list takes fewer requests, or if a search proves nothing
 */
async function searched(
  listing: Listing,
  codes: readonly string[],
  isFound: (code: string) => boolean,
): Promise<boolean> {
  if (codes.length === 0) return true;
  const search = new Search(listing);
  // Reading a short list takes fewer requests than testing its order.
  if (codes.length > MOST_CODES || !(await listing.hasRowsFrom(codes.length * ROWS_PER_SEARCH)))
    return false;
  if (!(await search.isUsable())) return false;
  for (const code of codes)
    for (const spelling of new Set([code, code.toUpperCase(), code.toLowerCase()])) {
      if ((await search.find(spelling)).kind === 'unproved') return false;
      if (isFound(code)) break;
      if (!SEARCHABLE.test(code)) return false;
    }
  return true;
}
