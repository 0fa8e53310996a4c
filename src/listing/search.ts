import type { EndpointSpec } from '../core/endpoint.ts';
import { foldCode } from '../core/fold-code.ts';
import { textOf } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { type ListSource, MAX_PAGE } from './list-pages.ts';
import {
  type Comparator,
  codedList,
  isInOrder,
  type Listed,
  Listing,
  type Page,
  placeOf,
  plausibleOrders,
  trusted,
} from './listing.ts';
import { scan } from './scan.ts';

/** All rows with a code, by their ids. */
type Found = ReadonlyMap<string, Listed>;

/** A search that needs more pages than this does not converge. */
const MOST_PROBES = 90;
const PAGES_PER_CODE = 12;
/** A search tells nothing about how a service sorts or changes other codes. */
export const SEARCHABLE = /^[A-Za-z0-9._/-]+$/;

/**
 * Looks up codes by binary search in a list whose collation is unknown. A code is absent only if one
 * response shows its place, between two neighbours or beyond the end. All orders that match the pages must
 * agree.
 *
 * Others may insert rows meanwhile. Inserts move rows only to higher offsets, so a lower bound stays
 * valid.
 */
export class Search {
  readonly #listing: Listing;
  #orders: Comparator[] = plausibleOrders();

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** Whether so many searches take fewer requests than reading the list. False if its paging is not reliable. */
  async isCheaperFor(codes: number): Promise<boolean> {
    return codes * PAGES_PER_CODE < (await trusted(() => this.#measured(), 0)) / MAX_PAGE;
  }

  /**
   * Whether a search can prove anything: some order matches all pages, and the service sorts as requested.
   */
  async isUsable(): Promise<boolean> {
    return trusted(async () => {
      const size = await this.#measured();
      return this.#orders.length > 0 && (await this.#listing.isSorted(size));
    }, false);
  }

  /** Reads pages at growing offsets up to the end. Returns a lower bound of the list's length. */
  async #measured(): Promise<number> {
    if (this.#listing.size > MAX_PAGE) return this.#listing.size;
    for (let offset = 0; offset < 1e9; offset = offset === 0 ? MAX_PAGE : offset * 4) {
      if ((await this.read(offset)).isEnd) break;
    }
    return this.#listing.size;
  }

  async read(offset: number): Promise<Page> {
    const page = await this.#listing.page(offset);
    this.#orders = this.#orders.filter((order) => isInOrder(page, order));
    return page;
  }

  /** A page; undefined if it seems to be the end of the list, but the list ends elsewhere. */
  async #readInside(offset: number): Promise<Page | undefined> {
    const page = await this.read(offset);
    if (!page.isEnd || page.rows.length === 0) return page;
    const last = await this.#listing.lastRow();
    const has = ({ rows }: Page) => last?.id === undefined || rows.some(({ id }) => id === last.id);
    if (has(page)) return page;
    // Others may have added it meanwhile.
    const again = await this.read(offset);
    if (has(again)) return again;
    // Rows without a code may come first in both directions. Only the whole list can tell.
    if (last!.code !== null) this.#listing.noteCut(last!);
    return undefined;
  }

  /**
   * @returns empty if there are provably none; undefined: nothing is proved
   * @throws ProcError if the list cannot be read
   */
  async find(code: string): Promise<Found | undefined> {
    this.#listing.begin();
    return trusted(() => this.#find(code), undefined);
  }

  async #find(code: string): Promise<Found | undefined> {
    const proved = new Set<string>();
    const rows = new Map<string, Listed>();
    let probes = 0;
    for (;;) {
      const order = this.#orders.find(({ name }) => !proved.has(name));
      if (order === undefined) break;
      const bounds = new Bounds(this.#listing.size);
      while (this.#orders.includes(order) && !proved.has(order.name)) {
        if (++probes > MOST_PROBES) return undefined;
        const page = await this.#readInside(bounds.next());
        if (page === undefined) return undefined;
        // The proof must be in one response: between two responses, an insert may move the code.
        for (const other of this.#orders) {
          if (placeOf(page, code, other) === 'here') proved.add(other.name);
        }
        for (const row of page.rows) {
          if (row.code === code && row.id !== undefined) rows.set(row.id, row);
          if (row.code === code && row.id === undefined) return undefined;
        }
        if (proved.has(order.name) || !this.#orders.includes(order)) break;
        const place = placeOf(page, code, order);
        const isNarrower =
          place === 'before'
            ? bounds.before(page.offset)
            : place === 'after' && bounds.after(page, lastBefore(page, code, order));
        if (!isNarrower) return undefined;
      }
    }
    return this.#orders.length === 0 ? undefined : rows;
  }

  /**
   * Searches for a code and, until it is found, for its other spellings.
   *
   * @param fold the form in which codes are compared
   */
  async findSpelling(code: string, fold = foldCode): Promise<Found | undefined> {
    const spellings = [code, code.toUpperCase(), code.toLowerCase()];
    let found: Found | undefined;
    for (const spelling of new Set(spellings.filter((one) => fold(one) === fold(code)))) {
      found = await this.find(spelling);
      if (found?.size !== 0) return found;
      if (!SEARCHABLE.test(code)) return undefined;
    }
    return found;
  }
}

class Bounds {
  /** The row at this offset is before the code, even after inserts. 0: the beginning of the list. */
  #low = 0;
  /** The code is expected before this offset; inserts may move it. Undefined: not known yet. */
  #high: number | undefined;
  #step = MAX_PAGE;

  constructor(size: number) {
    this.#high = size > MAX_PAGE ? size : undefined;
  }

  next(): number {
    if (this.#high === undefined) return this.#low;
    if (this.#high - this.#low < MAX_PAGE - 1) return this.#low;
    return Math.max(this.#low, Math.floor((this.#low + this.#high) / 2) - MAX_PAGE / 2);
  }

  /** The code is before this page. Returns false if that contradicts earlier pages. */
  before(offset: number): boolean {
    if (offset <= this.#low) return false;
    this.#high = offset;
    return true;
  }

  /**
   * The code is after this page, or continues beyond its end. Returns false if the search cannot continue.
   *
   * @param last offset of the last row before the code
   */
  after(page: Page, last: number | undefined): boolean {
    // No row of the page narrows the range, e.g. because every row has the code.
    if (last === undefined || last < this.#low) return false;
    const isStuck = last === this.#low;
    if (isStuck && page.offset === this.#low) return false;
    const end = page.offset + page.rows.length;
    if (this.#high === undefined || end >= this.#high) {
      this.#high = end + this.#step;
      this.#step *= 2;
    }
    this.#low = last;
    return true;
  }
}

function lastBefore(page: Page, code: string, { compare }: Comparator): number | undefined {
  const at = page.rows.findLastIndex((row) => row.code !== null && compare(row.code, code) < 0);
  return at < 0 ? undefined : page.offset + at;
}

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
  const isSearched = await searched(listing, [...wanted.values()]);
  const isWhole = !isSearched && (await scan(listing, () => undefined));
  return { rows: [...found.values()], isProved: isSearched || isWhole, isWhole };
}

/** @returns false if reading the list takes fewer requests, or if a search proves nothing */
async function searched(listing: Listing, codes: readonly string[]): Promise<boolean> {
  if (codes.length === 0) return true;
  const search = new Search(listing);
  // Reading a short list takes fewer requests than testing its order.
  if (codes.length > MOST_CODES || !(await listing.hasRowsFrom(codes.length * ROWS_PER_SEARCH)))
    return false;
  if (!(await search.isUsable())) return false;
  for (const code of codes) if ((await search.findSpelling(code)) === undefined) return false;
  return true;
}
