import { isWholeList } from '../client/whole-list.ts';
import type { EndpointSpec } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Pages } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { isOutOfOrder } from './comparators.ts';
import { keepHeapSmall } from './keep-heap-small.ts';
import {
  type ListReader,
  type ListSource,
  listReader,
  MAX_PAGE,
  type Part,
} from './list-reader.ts';
import { SeenKeys } from './pair-index.ts';

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
    walk = new PageWalk(listReader(spec, from), query, from.learnNames);
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

/** Without an offset, a service that calls it something else still returns the first page. */
function firstPart({ limit, offset }: Row): Part {
  const from = offset ?? (limit === undefined ? 0 : undefined);
  return {
    limit: Number(limit ?? MAX_PAGE),
    ...(from === undefined ? {} : { offset: Number(from) }),
  };
}

/** The next step after a doubt, before and after other parameter names were looked for. */
const DETECT = 'Detect the parameter names: proc doctor';
const NO_OTHERS =
  'The service has no other parameter names that proc knows. If it returns each list in one response, set PROC_DIALECT=paging=none';

/**
 * docs/internals/protocol.md has the rule for the end of a list ("How a list is read").
 * Repeated rows are omitted here, but they end a scan (`scan.ts`): imports need a list whose order did not
 * change.
 */
class PageWalk {
  readonly #reader: ListReader;
  readonly #query: Row;
  #rest: Row;
  readonly #pageSize: number;
  readonly #learnNames: ListSource['learnNames'];
  #seen = new SeenKeys();
  readonly #first: Part;
  #received = 0;
  #earlierPagesFull = false;
  /** The last page with rows: the number of rows before it, and of pages. */
  #last: { readonly received: number; readonly index: number } | undefined;
  /** Whether the end was proved; false until all rows are consumed. */
  isComplete = false;
  isCut = false;
  why: string | undefined;
  /** The rows passed on before other names were learned. */
  #passed: SeenKeys | undefined;
  /** Why the list may be incomplete if it is read to its end. */
  #doubt: string | undefined;

  constructor(reader: ListReader, query: Row, learnNames: ListSource['learnNames']) {
    const { limit } = query;
    this.#query = query;
    this.#learnNames = learnNames;
    this.#reader = reader;
    this.#rest = orderIn(query);
    this.#pageSize = Number(limit ?? MAX_PAGE);
    this.#first = firstPart({ limit });
  }

  /**
   * New rows, page by page. A repeated row has the same id, or without an id the same content.
   * If the rows show that the service does not know the names of the parameters, the list is read again with
   * other names, without the rows that were passed on already.
   */
  async *rows(): AsyncGenerator<readonly Row[]> {
    let isFirst = true;
    let hasLearned = false;
    for (;;) {
      let isRead = true;
      for await (const page of this.#pages()) {
        if (isFirst && !hasLearned && this.#isOther(page)) {
          hasLearned = true;
          if (await this.#learns(isFirst)) {
            isRead = false;
            break;
          }
        }
        isFirst = false;
        const passed = this.#passed;
        const fresh = passed === undefined ? page : page.filter((row) => passed.add(keyOf(row)));
        if (fresh.length > 0) yield fresh;
      }
      if (isRead && !hasLearned && this.#doubt !== undefined && !this.isCut) {
        hasLearned = true;
        if (await this.#learns(isFirst)) isRead = false;
      }
      if (isRead) break;
    }
    this.why ??= this.#doubt;
  }

  /** A first page that is too long, or not sorted as the user asked. */
  #isOther(first: readonly Row[]): boolean {
    if (this.#reader.isWhole) return false;
    return first.length > this.#pageSize || isOutOfOrder(first, this.#query);
  }

  async #learns(isFirst: boolean): Promise<boolean> {
    if (await this.#learnNames?.()) {
      this.#passed = isFirst ? undefined : this.#seen;
      this.#seen = new SeenKeys();
      this.#received = 0;
      this.#earlierPagesFull = false;
      this.#last = undefined;
      this.#doubt = undefined;
      this.why = undefined;
      return true;
    }
    this.#doubt = this.#doubt?.replace(DETECT, NO_OTHERS);
    return false;
  }

  async *#pages(): AsyncGenerator<readonly Row[], undefined> {
    if (this.#reader.isWhole) {
      const whole = await this.#rows({});
      for (const row of whole) this.#seen.add(keyOf(row));
      yield whole;
      this.isComplete = true;
    } else yield* this.#paged();
    const last = this.isComplete ? await this.#unseenLast() : undefined;
    if (last === undefined) return;
    // Others may have added it meanwhile: read the end once more.
    if (this.#last !== undefined) {
      this.isComplete = false;
      this.#received = this.#last.received;
      yield* this.#paged(this.#last.index);
    }
    // Others may have deleted it.
    if (!this.isComplete || this.#seen.has(keyOf(last))) return;
    const again = await this.#unseenLast();
    if (again === undefined) return;
    this.isComplete = false;
    const { sort, dir } = this.#rest;
    this.why ??= `the list is cut off: its last row by ${sort} is ${again[String(sort)] ?? again.id} (${again.id}), which the service shows only in ${dir === 'desc' ? 'ascending' : 'descending'} order`;
  }

  /**
   * The row at the other end of the sorted list, if it is none of the rows that were read: the list is cut off then,
   * e.g. at 1,000 rows. Undefined also if proc cannot tell.
   */
  async #unseenLast(): Promise<Row | undefined> {
    const { sort, dir } = this.#rest;
    if (sort === undefined || dir === undefined || this.#seen.isEmpty) return undefined;
    const reversed = { ...this.#rest, dir: dir === 'desc' ? 'asc' : 'desc' };
    try {
      const [last] = await this.#reader.rows({ limit: 1, offset: 0 }, reversed);
      return last === undefined || this.#seen.has(keyOf(last)) ? undefined : last;
    } catch (thrown) {
      // The list was read: that the service refuses this request says nothing about it.
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      return undefined;
    }
  }

  async *#paged(from?: number): AsyncGenerator<readonly Row[]> {
    let last: string | undefined;
    for (let index = from ?? 0; ; index++) {
      const received = this.#received;
      // The second page begins with the last row of the first one, which proves that the service counts the
      // offset in rows, not in pages.
      const isSecond = index === 1 && index !== from;
      const overlap = isSecond && received > 1 && !this.#reader.byNumber ? 1 : 0;
      const next = { limit: this.#pageSize, offset: received - overlap, index };
      const page = await this.#page(received === 0 ? this.#first : next, received);
      if (page === undefined) return;
      if (page === 'refused') {
        yield* this.#unpaged('the service refuses the paging parameters');
        return;
      }
      if (overlap > 0 && !page.some((row) => keyOf(row) === last)) {
        this.#doubt = `the service did not continue after row ${received}, so the list may be incomplete. ${DETECT}`;
        return;
      }
      const fresh = this.#newIn(page);
      if (page.length === overlap) {
        if (received > 0) this.isComplete = true;
        else yield* this.#unpaged('the first page is empty');
        return;
      }
      this.#last = { received, index };
      if (fresh.length > 0) yield fresh;
      if (received > 0 && fresh.length === 0 && index !== from) {
        this.#doubt = `the service returned the same rows again after row ${received}, so the list may be incomplete. ${DETECT}`;
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

  /**
   * A service may return an empty first page because it does not know the paging parameters. So proc
   * sends a request without them too. The list is complete only if that response has no rows.
   */
  async *#unpaged(how: string): AsyncGenerator<readonly Row[]> {
    const rows = await this.#reader.rows({}, {});
    this.isComplete = rows.length === 0;
    if (rows.length === 0) return;
    const count = rows.length === 1 ? 'a row' : `${rows.length} rows`;
    this.#doubt = `${how}, but without paging parameters the service returns ${count}, so the list may be incomplete. ${DETECT}`;
    yield rows;
  }

  async #page(part: Part, received: number): Promise<readonly Row[] | 'refused' | undefined> {
    try {
      return await this.#rows(part);
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      if (received === 0) {
        // The list may still be readable without parameters.
        if (!isRefused(thrown) || !(await this.#isReadable())) throw thrown;
        return 'refused';
      }
      // After a failure, the rows so far are still useful.
      this.isCut = true;
      this.#doubt = `the list ended early after ${received === 1 ? '1 row' : `${received} rows`}: ${thrown.message}`;
      return undefined;
    }
  }

  /** If the service refuses the sort parameters, reads without them from then on. */
  async #rows(part: Part): Promise<readonly Row[]> {
    try {
      return await this.#reader.rows(part, this.#rest);
    } catch (thrown) {
      if (this.#rest.sort === undefined || !isRefused(thrown)) throw thrown;
      const rows = await this.#reader.rows(part, {}).catch(() => undefined);
      if (rows === undefined) throw thrown;
      this.#rest = {};
      return rows;
    }
  }

  async #isReadable(): Promise<boolean> {
    try {
      await this.#reader.rows({}, {});
      return true;
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      return false;
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
