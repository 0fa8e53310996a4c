import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import type { Sender, Target } from '../core/service.ts';
import { type Patience, patientRead } from '../http/call.ts';
import { isWholeList } from '../http/request.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const MAX_PAGE = 100;

/** How long the reads before the first row of an import are tried. */
export const READ_PATIENCE_MS = 60_000;

export interface ListSource {
  readonly target: Pick<Target, 'dialect'>;
  /** Sends one read with the retries that the caller chooses. Throws ProcError. */
  readonly read: (
    endpoint: EndpointSpec,
    query: Readonly<Record<string, unknown>>,
  ) => Promise<readonly Row[]>;
}

/** Reads parts of lists through a sender, again after every temporary failure. */
export function patientReader(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): ListSource['read'] {
  const read = patientRead(sender, patience);
  return async (endpoint, query) => (await read(endpoint, { query })) as readonly Row[];
}

/** The service uses page numbers, so a page can begin only at a multiple of the limit. */
export function byPageNumber(endpoint: EndpointSpec, target: ListSource['target']): boolean {
  return target.dialect(nounOf(endpoint)).page !== undefined;
}

/** A fuller table takes longer to search. */
const MOST_FULL = 0.75;

/** So many tables share the keys: while one grows, it is there twice. */
const TABLES = 64;

/**
 * Remembers up to millions of texts. It keeps only 64 bits of a hash of each, in 11 to 16 bytes: a quarter of the
 * memory of a `Set`. Among a million texts, two different ones count as equal with a chance of 1 in 40 million.
 */
export class SeenKeys {
  #tables = Array.from({ length: TABLES }, () => new Table());

  /** @returns false if the key was there already */
  add(key: string): boolean {
    const [place, mark] = hashesOf(key);
    return this.#tables[mark % TABLES]!.add(place, mark);
  }

  has(key: string): boolean {
    const [place, mark] = hashesOf(key);
    return this.#tables[mark % TABLES]!.has(place, mark);
  }

  /** Forgets all, and gives the memory back. */
  clear(): void {
    this.#tables = Array.from({ length: TABLES }, () => new Table());
  }
}

/** Linear probing. A slot has two words; the first is 0 if it is free. */
class Table {
  #size = 0;
  #words = new Uint32Array(16);

  add(place: number, mark: number): boolean {
    const at = this.#slotOf(place, mark);
    if (this.#words[at] !== 0) return false;
    this.#words[at] = place;
    this.#words[at + 1] = mark;
    if (++this.#size * 2 > this.#words.length * MOST_FULL) this.#grow();
    return true;
  }

  has(place: number, mark: number): boolean {
    return this.#words[this.#slotOf(place, mark)] !== 0;
  }

  /** Where these hashes are, or the free slot where they belong. */
  #slotOf(place: number, mark: number): number {
    const words = this.#words;
    let at = (place * 2) % words.length;
    while (words[at] !== 0 && (words[at] !== place || words[at + 1] !== mark))
      at = (at + 2) % words.length;
    return at;
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(2 * Math.ceil(before.length * 0.75));
    for (let from = 0; from < before.length; from += 2) {
      const [place, mark] = [before[from]!, before[from + 1]!];
      if (place === 0) continue;
      const at = this.#slotOf(place, mark);
      this.#words[at] = place;
      this.#words[at + 1] = mark;
    }
  }
}

function hashesOf(key: string): [place: number, mark: number] {
  return [hashOf(key, 0x811c9dc5) || 1, hashOf(key, 0x9e3779b9)];
}

function hashOf(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) ^ (value >>> 15);
  }
  // Makes every bit of the result depend on every bit of the hash.
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}

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
