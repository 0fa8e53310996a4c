import { isWholeList } from '../client/whole-list.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Pages } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { ListReader, type ListSource, MAX_PAGE, type Part } from './list-reader.ts';

/**
 * A list page by page to its end: `limit` and `offset` of the query say how many rows each page asks for
 * and where it begins. Nothing is read before the first row is wanted.
 */
export function listPages(
  spec: EndpointSpec,
  { limit, offset, ...rest }: Row,
  source: () => Promise<ListSource>,
): Pages {
  let walk: PageWalk | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const reader = new ListReader(spec, await source());
    walk = new PageWalk(reader, rest, Number(limit ?? MAX_PAGE), Number(offset ?? 0));
    yield* walk.rows();
  }
  return {
    rows: rows(),
    complete: () => walk?.isComplete === true,
    failure: () => (walk?.why === undefined ? undefined : new ProcError('incomplete', walk.why)),
  };
}

/** The query of the first request that {@link listPages} makes. */
export function firstQuery(
  spec: EndpointSpec,
  { limit, offset, ...rest }: Row,
  target: ListSource['target'],
): Row {
  return isWholeList(spec, target)
    ? rest
    : { limit: Number(limit ?? MAX_PAGE), offset: Number(offset ?? 0), ...rest };
}

/**
 * What ends a list is not stated by the contract: a short page does only where this list has been seen
 * to honour the limit; otherwise one more request decides: empty is the end, new ids go on, the same ids
 * again leave the end unproved.
 *
 * `scan.ts` has another rule for the same reader, on purpose. Here pages follow each other without
 * overlap and are printed as they come, so rows that repeat are left out and the list goes on. There
 * pages overlap by a row, and a row that repeats ends the scan: an import may not take a list for
 * whole whose order changed between two requests.
 */
class PageWalk {
  readonly #reader: ListReader;
  readonly #rest: Row;
  readonly #pageSize: number;
  readonly #start: number;
  readonly #seen = new Set<string>();
  /** The end was proved; false until the rows were consumed. */
  isComplete = false;
  /** Why it was not. */
  why: string | undefined;

  constructor(reader: ListReader, rest: Row, pageSize: number, start: number) {
    this.#reader = reader;
    this.#rest = rest;
    this.#pageSize = pageSize;
    this.#start = start;
  }

  /** New rows, page by page; a row that was seen before (by id, else as a whole) is left out. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    if (this.#reader.isWhole) {
      const whole = await this.#reader.rows({}, this.#rest);
      this.isComplete = true;
      yield whole.slice(this.#start);
      return;
    }
    let received = 0;
    let honoursLimit = false;
    for (let index = Math.floor(this.#start / this.#pageSize); ; index++) {
      const part = { limit: this.#pageSize, offset: this.#start + received };
      // On the first page the index follows from the offset, which must then be a whole number of pages.
      const page = await this.#page(received === 0 ? part : { ...part, index }, received);
      if (page === undefined) return;
      const fresh = page.filter((row) => this.#isNew(row));
      if (page.length === 0) {
        if (received > 0 || this.#start > 0) this.isComplete = true;
        else yield* this.#unpaged();
        return;
      }
      if (fresh.length > 0) yield fresh;
      if (received > 0 && fresh.length === 0) {
        this.why = `the service repeats rows instead of going on after row ${received}: whether these are all cannot be proved. If its paging parameters have other names, set a dialect: proc help contract`;
        return;
      }
      // Exactly as many as asked for is what honouring the limit looks like; it must then go on,
      // and a later page that is shorter is the end.
      if (honoursLimit && page.length < this.#pageSize) {
        this.isComplete = true;
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
  async *#unpaged(): AsyncGenerator<readonly Row[]> {
    const rows = await this.#reader.rows({}, {});
    this.isComplete = rows.length === 0;
    if (rows.length === 0) return;
    const count = rows.length === 1 ? 'a row' : `${rows.length} rows`;
    this.why = `the first page is empty, but without paging parameters the service sends ${count}: whether these are all cannot be proved. If its paging parameters have other names, find them: proc doctor`;
    yield rows;
  }

  async #page(part: Part, received: number): Promise<readonly Row[] | undefined> {
    try {
      return await this.#reader.rows(part, this.#rest);
    } catch (thrown) {
      // Before any row, the failure is the command's; after it, the rows so far are worth having.
      if (received === 0 || !(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      this.why = `the list could not be read to its end, after ${received === 1 ? 'a row' : `${received} rows`}: ${thrown.message}`;
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
