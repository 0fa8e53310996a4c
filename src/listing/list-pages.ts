import { isWholeList } from '../client/whole-list.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Pages } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { keepHeapSmall } from './keep-heap-small.ts';
import { ListReader, type ListSource, MAX_PAGE, type Part } from './list-reader.ts';
import { RowKeys } from './row-keys.ts';

/**
 * Reads a list page by page to its end. `limit` of the query is the page size. Nothing is read before the
 * first row is consumed.
 */
export function listPages(
  spec: EndpointSpec,
  query: Row,
  source: () => Promise<ListSource>,
): Pages {
  let walk: PageWalk | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    keepHeapSmall();
    walk = new PageWalk(new ListReader(spec, await source()), query);
    yield* walk.rows();
  }
  return {
    rows: rows(),
    complete: () => walk?.isComplete === true,
    isCut: () => walk?.isCut === true,
    failure: () => (walk?.why === undefined ? undefined : new ProcError('incomplete', walk.why)),
  };
}

export function firstQuery(spec: EndpointSpec, query: Row, target: ListSource['target']): Row {
  const { limit: _limit, offset: _offset, ...rest } = query;
  return isWholeList(spec, target) ? rest : { ...firstPart(query), ...rest };
}

/** Without an offset, a service that calls it something else still returns the first page. */
function firstPart({ limit, offset }: Row): Part {
  const from = offset ?? (limit === undefined ? 0 : undefined);
  return {
    limit: Number(limit ?? MAX_PAGE),
    ...(from === undefined ? {} : { offset: Number(from) }),
  };
}

/**
 * docs/internals/protocol.md has the rule for the end of a list ("How a list is read").
 * Repeated rows are omitted here, but they end a scan (`scan.ts`): imports need a list whose order did not
 * change.
 */
class PageWalk {
  readonly #reader: ListReader;
  readonly #rest: Row;
  readonly #pageSize: number;
  readonly #start: number;
  readonly #seen = new RowKeys();
  readonly #first: Part;
  /** Whether the end was proved; false until all rows are consumed. */
  isComplete = false;
  isCut = false;
  why: string | undefined;

  constructor(reader: ListReader, { limit, offset, ...rest }: Row) {
    this.#reader = reader;
    this.#rest = rest;
    this.#pageSize = Number(limit ?? MAX_PAGE);
    this.#start = Number(offset ?? 0);
    this.#first = firstPart({ limit, offset });
  }

  /** New rows, page by page. A repeated row has the same id, or without an id the same content. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    if (this.#reader.isWhole) {
      const whole = await this.#reader.rows({}, this.#rest);
      this.isComplete = true;
      yield whole.slice(this.#start);
      return;
    }
    let received = 0;
    let earlierPagesFull = false;
    for (let index = Math.floor(this.#start / this.#pageSize); ; index++) {
      // The first request has no index, because the user chose its offset. If the service uses page numbers
      // and no page begins there, proc refuses the offset.
      const next = { limit: this.#pageSize, offset: this.#start + received, index };
      const page = await this.#page(received === 0 ? this.#first : next, received);
      if (page === undefined) return;
      if (received === 0 && this.#start > 0 && page.length > this.#pageSize) {
        this.why = `the service returned ${page.length} rows instead of ${this.#pageSize}: it ignores the limit, and perhaps the offset, so these may be other rows. Detect the parameter names: proc doctor`;
      }
      const fresh = this.#newIn(page);
      if (page.length === 0) {
        if (received > 0 || this.#start > 0) this.isComplete = true;
        else yield* this.#unpaged();
        return;
      }
      if (fresh.length > 0) yield fresh;
      if (received > 0 && fresh.length === 0) {
        this.why = `the service returned the same rows again after row ${received}, so the list may be incomplete. Detect the parameter names: proc doctor`;
        return;
      }
      if (earlierPagesFull && page.length < this.#pageSize) {
        this.isComplete = true;
        return;
      }
      earlierPagesFull = page.length === this.#pageSize && (earlierPagesFull || received === 0);
      received += page.length;
    }
  }

  /**
   * A service may return an empty first page because it does not know the paging parameters. So proc
   * sends a request without them too. The list is complete only if that response has no rows.
   */
  async *#unpaged(): AsyncGenerator<readonly Row[]> {
    const rows = await this.#reader.rows({}, {});
    this.isComplete = rows.length === 0;
    if (rows.length === 0) return;
    const count = rows.length === 1 ? 'a row' : `${rows.length} rows`;
    this.why = `the first page is empty, but without paging parameters the service returns ${count}, so the list may be incomplete. Detect the parameter names: proc doctor`;
    yield rows;
  }

  async #page(part: Part, received: number): Promise<readonly Row[] | undefined> {
    try {
      return await this.#reader.rows(part, this.#rest);
    } catch (thrown) {
      // After a failure, the rows so far are still useful.
      if (received === 0 || !(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      this.isCut = true;
      this.why = `the list ended early after ${received === 1 ? '1 row' : `${received} rows`}: ${thrown.message}`;
      return undefined;
    }
  }

  /** Without the rows of earlier pages. Rows of one page with the same id did not move: both are kept. */
  #newIn(page: readonly Row[]): readonly Row[] {
    const here = new Set<string>();
    return page.filter((row) => {
      const key = keyOf(row);
      if (here.has(key)) return true;
      if (!this.#seen.add(key)) return false;
      here.add(key);
      return true;
    });
  }
}

function keyOf(row: Row): string {
  const { id } = row;
  return typeof id === 'string' || typeof id === 'number' ? `id:${id}` : JSON.stringify(row);
}
