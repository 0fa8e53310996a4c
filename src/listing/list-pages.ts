import type { EndpointSpec } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Pages } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { isWholeList } from '../http/request.ts';
import { keepHeapSmall } from './keep-heap-small.ts';
import {
  type ListReader,
  type ListSource,
  listReader,
  MAX_PAGE,
  type Part,
} from './list-reader.ts';
import { SeenKeys } from './seen-keys.ts';

/**
 * Reads a list page by page to its end. `limit` of the query is the page size; `stableSort` is the sort field
 * if the user chose none, because without a sort rows may move between pages. Nothing is read before the
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
    const from = await source();
    walk = new PageWalk(listReader(spec, from), query);
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
  const order = orderIn(query);
  return isWholeList(spec, target) ? order : { ...firstPart(query), ...order };
}

function orderIn({ sort, dir, stableSort }: Row): Row {
  if (stableSort === undefined) return { sort, dir };
  return { sort: sort ?? stableSort, dir: dir ?? 'asc' };
}

/** The first page needs no offset, so a service that calls it something else still returns that page. */
function firstPart({ limit }: Row): Part {
  return { limit: Number(limit ?? MAX_PAGE) };
}

const DETECT = 'Detect the parameter names: proc doctor';

/**
 * docs/internals/protocol.md has the rule for the end of a list ("How a list is read").
 * Repeated rows are omitted here, but they end a scan (`scan.ts`): imports need a list whose order did not
 * change.
 */
class PageWalk {
  readonly #reader: ListReader;
  #rest: Row;
  readonly #isOrderOptional: boolean;
  readonly #pageSize: number;
  readonly #seen = new SeenKeys();
  readonly #first: Part;
  #received = 0;
  #earlierPagesFull = false;
  /** Whether the end was proved; false until all rows are consumed. */
  isComplete = false;
  isCut = false;
  /** Why the list may be incomplete if it is read to its end. */
  why: string | undefined;

  constructor(reader: ListReader, query: Row) {
    const { limit } = query;
    this.#reader = reader;
    this.#rest = orderIn(query);
    this.#isOrderOptional = query.sort === undefined && query.stableSort !== undefined;
    this.#pageSize = Number(limit ?? MAX_PAGE);
    this.#first = firstPart({ limit });
  }

  /** New rows, page by page. A repeated row has the same id, or without an id the same content. */
  async *rows(): AsyncGenerator<readonly Row[]> {
    if (!this.#reader.isWhole) return yield* this.#paged();
    yield await this.#rows({});
    this.isComplete = true;
  }

  async *#paged(): AsyncGenerator<readonly Row[], undefined> {
    let last: string | undefined;
    for (let index = 0; ; index++) {
      const received = this.#received;
      // The second page begins with the last row of the first one, which proves that the service counts the
      // offset in rows, not in pages.
      const overlap = index === 1 && received > 1 && !this.#reader.byNumber ? 1 : 0;
      const next = { limit: this.#pageSize, offset: received - overlap, index };
      const page = await this.#page(received === 0 ? this.#first : next, received);
      if (page === undefined) return;
      if (overlap > 0 && !page.some((row) => keyOf(row) === last)) {
        this.why = `the service did not continue after row ${received}, so the list may be incomplete. ${DETECT}`;
        return;
      }
      const fresh = this.#newIn(page);
      if (page.length === overlap) {
        this.isComplete = true;
        return;
      }
      if (fresh.length > 0) yield fresh;
      if (received > 0 && fresh.length === 0) {
        this.why = `the service returned the same rows again after row ${received}, so the list may be incomplete. ${DETECT}`;
        return;
      }
      if (this.#earlierPagesFull && page.length < this.#pageSize) {
        this.isComplete = true;
        return;
      }
      this.#earlierPagesFull =
        page.length === this.#pageSize && (this.#earlierPagesFull || received === 0);
      this.#received += page.length - overlap;
      last = keyOf(page.at(-1)!);
    }
  }

  async #page(part: Part, received: number): Promise<readonly Row[] | undefined> {
    try {
      return await this.#rows(part);
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      if (received === 0) throw thrown;
      // After a failure, the rows so far are still useful.
      this.isCut = true;
      this.why = `the list ended early after ${received === 1 ? '1 row' : `${received} rows`}: ${thrown.message}`;
      return undefined;
    }
  }

  /**
   * If the service refuses the order of the first page, and nobody asked for it, the list is read without an order. Later
   * pages keep the order of the first one: in another order they would not continue it.
   */
  async #rows(part: Part): Promise<readonly Row[]> {
    try {
      return await this.#reader.rows(part, this.#rest);
    } catch (thrown) {
      if (!this.#isOrderOptional || this.#received > 0 || !isRefused(thrown)) throw thrown;
      const rows = await this.#reader.rows(part, {}).catch(() => undefined);
      if (rows === undefined) throw thrown;
      this.#rest = {};
      return rows;
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

function isRefused(thrown: unknown): boolean {
  if (!(thrown instanceof ProcError) || thrown.code !== 'refused') return false;
  return thrown.status === 400 || thrown.status === 422;
}

function keyOf(row: Row): string {
  const { id } = row;
  return typeof id === 'string' || typeof id === 'number' ? `id:${id}` : JSON.stringify(row);
}
