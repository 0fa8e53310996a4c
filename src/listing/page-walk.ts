import { isSignalled, ProcError } from '../core/errors.ts';
import type { Say } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { MAX_PAGE } from './list-reader.ts';

export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
  /**
   * Pages before this one, for services that page by number. Left out of the first request: there
   * it follows from the offset, which must then be a whole number of pages.
   */
  readonly pageIndex?: number;
}

/**
 * Reads one page; gives all rows that came, however many were asked for. Without a query: the list
 * as the service sends it without any parameter.
 */
export type ReadPage = (query?: PageQuery) => Promise<readonly Row[]>;

/**
 * Reads a list to its end. What ends a list is not stated by the contract: a short
 * page does only where this list has been seen to honour the limit; otherwise one more request
 * decides: empty is the end, new ids go on, the same ids again leave the end unproved.
 */
export class PageWalk {
  readonly #read: ReadPage;
  readonly #say: Say;
  readonly #pageSize: number;
  readonly #start: number;
  readonly #seen = new Set<string>();
  #complete = false;

  constructor(read: ReadPage, say: Say, pageSize = MAX_PAGE, start = 0) {
    this.#read = read;
    this.#say = say;
    this.#pageSize = pageSize;
    this.#start = start;
  }

  /** Whether the end was proved; false until the rows were consumed. */
  complete(): boolean {
    return this.#complete;
  }

  /** New rows, page by page; a row that was seen before (by id, else as a whole) is left out. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    let received = 0;
    let honoursLimit = false;
    for (let index = Math.floor(this.#start / this.#pageSize); ; index++) {
      const paging = { limit: this.#pageSize, offset: this.#start + received };
      const query = received === 0 ? paging : { ...paging, pageIndex: index };
      const page = await this.#page(query, received);
      if (page === undefined) return;
      const fresh = page.filter((row) => this.#isNew(row));
      if (page.length === 0) {
        if (received > 0 || this.#start > 0) this.#complete = true;
        else yield* this.#withoutParameters();
        return;
      }
      if (fresh.length > 0) yield fresh;
      if (received > 0 && fresh.length === 0) {
        this.#say({
          kind: 'warning',
          text: `the service repeats rows instead of going on after row ${received}: whether these are all cannot be proved. If its paging parameters have other names, set a dialect: proc help contract`,
        });
        return;
      }
      // Exactly as many as asked for is what honouring the limit looks like; it must then go on,
      // and a later page that is shorter is the end.
      if (honoursLimit && page.length < this.#pageSize) {
        this.#complete = true;
        return;
      }
      honoursLimit = page.length === this.#pageSize && (honoursLimit || received === 0);
      received += page.length;
    }
  }

  /**
   * An empty first page ends a list only where it is empty without paging parameters too: a service
   * that understands them in another way may have rows, and shows none.
   */
  async *#withoutParameters(): AsyncGenerator<readonly Row[]> {
    const rows = await this.#read();
    this.#complete = rows.length === 0;
    if (rows.length === 0) return;
    const count = rows.length === 1 ? 'a row' : `${rows.length} rows`;
    this.#say({
      kind: 'warning',
      text: `the first page is empty, but without paging parameters the service sends ${count}: whether these are all cannot be proved. If its paging parameters have other names, find them: proc doctor`,
    });
    yield rows;
  }

  async #page(query: PageQuery, received: number): Promise<readonly Row[] | undefined> {
    try {
      return await this.#read(query);
    } catch (thrown) {
      // Before any row, the failure is the command's; after it, the rows so far are worth having.
      if (received === 0 || !(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      this.#say({
        kind: 'warning',
        text: `the list could not be read to its end, after ${received === 1 ? 'a row' : `${received} rows`}: ${thrown.message}`,
      });
      return undefined;
    }
  }

  #isNew(row: Row): boolean {
    const id = row.id;
    const key = typeof id === 'string' || typeof id === 'number' ? `id:${id}` : JSON.stringify(row);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}
