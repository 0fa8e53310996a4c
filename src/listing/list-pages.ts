import type { EndpointSpec } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { isWholeList } from '../http/request.ts';
import { byPageNumber, type ListSource, MAX_PAGE, SeenKeys } from './list-reader.ts';

const DETECT = 'so the list may be incomplete. Detect the parameter names: proc doctor';

export interface Pages {
  readonly rows: AsyncIterable<readonly Row[]>;
  complete(): boolean;
  /** A page could not be read, so the rows are only the beginning of the list. */
  isCut(): boolean;
  /**
   * The error `incomplete`, if the end of the list was not verified. Commands that print a list fail with
   * it; look-ups print it as a warning.
   */
  failure(): ProcError | undefined;
}

/**
 * Reads a list page by page to its end. `limit` of the query is the page size; `stableSort` is the sort field
 * if the user chose none, because without a sort rows may move between pages. Nothing is read before the
 * first row is consumed.
 *
 * docs/internals/protocol.md has the rule for the end of a list ("How a list is read"). Repeated rows are omitted here,
 * but they end a scan (`scan.ts`): imports need a list whose order did not change.
 */
export function listPages(
  spec: EndpointSpec,
  query: Row,
  source: () => Promise<ListSource>,
): Pages {
  const end: End = { isComplete: false, isCut: false, why: undefined };
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const from = await source();
    if (!isWholeList(spec, from.target)) return yield* walk(spec, query, from, end);
    yield await from.read(spec, spec.query === undefined ? {} : orderIn(query));
    end.isComplete = true;
  }
  return {
    rows: rows(),
    complete: () => end.isComplete,
    isCut: () => end.isCut,
    failure: () => (end.why === undefined ? undefined : new ProcError('incomplete', end.why)),
  };
}

function orderIn({ sort, dir, stableSort }: Row): Row {
  if (stableSort === undefined) return { sort, dir };
  return { sort: sort ?? stableSort, dir: dir ?? 'asc' };
}

function pageSizeOf({ limit }: Row): number {
  return Number(limit ?? MAX_PAGE);
}

interface End {
  /** Whether the end was proved; false until all rows are consumed. */
  isComplete: boolean;
  /** A page could not be read. */
  isCut: boolean;
  /** Why the list may be incomplete if it is read to its end. */
  why: string | undefined;
}

/** New rows, page by page. A repeated row has the same id, or without an id the same content. */
async function* walk(
  spec: EndpointSpec,
  query: Row,
  { target, read }: ListSource,
  end: End,
): AsyncGenerator<readonly Row[], undefined> {
  const pageSize = pageSizeOf(query);
  const order = orderIn(query);
  const seen = new SeenKeys();
  let received = 0;
  let earlierPagesFull = false;
  let last: string | undefined;
  for (let pageIndex = 0; ; pageIndex++) {
    // The second page begins with the last row of the first one, which proves that the service counts the
    // offset in rows, not in pages.
    const overlap = pageIndex === 1 && received > 1 && !byPageNumber(spec, target) ? 1 : 0;
    const part = { limit: pageSize, offset: received - overlap, pageIndex };
    let page: readonly Row[];
    try {
      // The first page needs no offset, so a service that calls it something else still returns that page.
      page = await read(spec, { ...(received === 0 ? { limit: pageSize } : part), ...order });
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown) || received === 0) throw thrown;
      // After a failure, the rows so far are still useful.
      end.isCut = true;
      end.why = `the list ended early after ${received === 1 ? '1 row' : `${received} rows`}: ${thrown.message}`;
      return;
    }
    if (overlap > 0 && !page.some((row) => keyOf(row) === last)) {
      end.why = `the service did not continue after row ${received}, ${DETECT}`;
      return;
    }
    const fresh = newIn(page, seen);
    if (page.length === overlap) {
      end.isComplete = true;
      return;
    }
    if (fresh.length > 0) yield fresh;
    if (received > 0 && fresh.length === 0) {
      end.why = `the service returned the same rows again after row ${received}, ${DETECT}`;
      return;
    }
    const isFull = page.length === pageSize;
    if (earlierPagesFull && page.length < pageSize) {
      end.isComplete = true;
      return;
    }
    earlierPagesFull = isFull && (earlierPagesFull || received === 0);
    received += page.length - overlap;
    last = keyOf(page.at(-1)!);
  }
}

/** Without the rows of earlier pages. Rows of one page with the same id did not move: both are kept. */
function newIn(page: readonly Row[], seen: SeenKeys): readonly Row[] {
  const here = new Set<string>();
  return page.filter((row) => {
    const key = keyOf(row);
    if (here.has(key)) return true;
    if (!seen.add(key)) return false;
    here.add(key);
    return true;
  });
}

function keyOf(row: Row): string {
  const { id } = row;
  return typeof id === 'string' || typeof id === 'number' ? `id:${id}` : JSON.stringify(row);
}
