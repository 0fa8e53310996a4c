import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { ListReader, type ListSource, MAX_PAGE, type Part } from './list-reader.ts';
import type { Listed, Page } from './page.ts';
import type { ListedNoun, SortedList } from './sorted-list.ts';

/** Maximum number of page starts to remember. */
const MOST_REMEMBERED = 200;

/** The service's paging is not reliable, so nothing can be proved with it. */
export class UntrustedPaging extends Error {}

/** Reads single pages of a noun's list and keeps track of how its paging behaves. */
export class Listing {
  readonly #target: SortedList;
  readonly #keyField: string;
  readonly #reader: ListReader;
  readonly #takesSort: boolean;
  /** Offsets of pages by the id of their first row, cleared when rows may have moved. */
  readonly #first = new Map<string, number>();
  /** The number of these pages that have as many rows as requested. */
  #fullPages = 0;
  #isHonoured = false;
  /**
   * The service counts the offset in rows, not in pages: at a larger offset it returned fewer of the same
   * rows.
   */
  #movesByRows = false;
  /** The first page number was verified. */
  #beginsAtBase = false;
  #sorted: boolean | undefined;
  #alone = false;

  constructor({ keyField, listing }: ListedNoun, source: ListSource) {
    this.#target = listing!;
    this.#keyField = keyField;
    this.#reader = new ListReader(listing!.endpoint, source);
    this.#takesSort = source.takesSort ?? true;
  }

  get byNumber(): boolean {
    return this.#reader.byNumber;
  }

  get isWhole(): boolean {
    return this.#reader.isWhole;
  }

  /** The service was seen to obey both limit and offset. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /**
   * Call it when a search or scan begins: rows seen earlier may have moved.
   *
   * @param alone read each page on a separate connection: a single page that proves something must not be
   *   the answer to an earlier request. Overlapping pages do not need this.
   */
  begin(alone: boolean): void {
    this.#first.clear();
    this.#fullPages = 0;
    this.#alone = alone;
  }

  /**
   * Rows in the order of the key from `offset` on, or from shortly before it with page numbers.
   *
   * @throws ProcError if it cannot be read
   */
  async page(offset: number, order: 'by key' | 'as it comes' = 'by key'): Promise<Page> {
    if (this.isWhole) {
      const all = await this.#rows(0, MAX_PAGE, order);
      return { offset: 0, rows: all, isEnd: all.length > 0 || (await this.#isEmpty()) };
    }
    const limit = this.byNumber ? limitFor(offset) : MAX_PAGE;
    const from = this.byNumber ? offset - (offset % limit) : offset;
    const rows =
      from === 0 ? await this.#firstRows(limit, order) : await this.#rows(from, limit, order);
    if (rows[0]?.id !== undefined) this.#note(rows[0].id, from, rows.length === limit);
    if (this.byNumber && from === 0) await this.#checkBase(rows, limit, order);
    return { offset: from, rows, isEnd: await this.#isEnd(rows, from, limit, order) };
  }

  /**
   * Whether the service sorts as requested. Rows created in the order of their codes look sorted anyway,
   * so only a difference to the unsorted list proves it.
   */
  async isSorted(size: number): Promise<boolean> {
    if (this.isWhole || !this.#takesSort) return false;
    if (this.#sorted !== undefined) return this.#sorted;
    for (const share of [0, 0.5, 0.97, 0.25, 0.75]) {
      const offset = Math.floor(size * share);
      const [sorted, unsorted] = [await this.page(offset), await this.page(offset, 'as it comes')];
      if (idsOf(sorted) !== idsOf(unsorted)) {
        this.#sorted = true;
        return true;
      }
      if (size <= MAX_PAGE) break;
    }
    return false;
  }

  /** Whether there are rows from here on, by one request. False if one response contains the whole list. */
  async hasRowsFrom(offset: number): Promise<boolean> {
    if (this.isWhole) return false;
    const from = offset - (offset % MAX_PAGE);
    return (await this.#rows(from, MAX_PAGE, 'by key')).length > 0;
  }

  /** Checks with two requests that the list ends exactly here; returns the rows of the last page. */
  async lastRows(count: number): Promise<readonly Listed[] | undefined> {
    if (this.isWhole) return undefined;
    const from = Math.floor((count - 1) / MAX_PAGE) * MAX_PAGE;
    const next = this.byNumber ? from + MAX_PAGE : count;
    try {
      const last = await this.#rows(from, MAX_PAGE, 'by key');
      if (last.length !== count - from) return undefined;
      return (await this.#rows(next, MAX_PAGE, 'by key')).length === 0 ? last : undefined;
    } catch (thrown) {
      if (thrown instanceof UntrustedPaging) return undefined;
      throw thrown;
    }
  }

  /** A list that refuses the parameters may still prove to be empty. */
  async #firstRows(limit: number, order: string): Promise<Listed[]> {
    try {
      return await this.#rows(0, limit, order);
    } catch (thrown) {
      if (!(thrown instanceof UntrustedPaging) || !(await this.#isEmpty())) throw thrown;
      return [];
    }
  }

  #rows(offset: number, limit: number, order: string): Promise<Listed[]> {
    const part = this.byNumber ? { limit, offset, index: offset / limit } : { limit, offset };
    return this.#asked(part, this.#sorting(order));
  }

  #sorting(order: string): Row {
    return order === 'by key' && this.#takesSort ? { sort: this.#target.sort, dir: 'asc' } : {};
  }

  async #asked(part: Part, sorting: Row = {}): Promise<Listed[]> {
    let rows: readonly Row[];
    try {
      rows = await this.#reader.rows(part, sorting, this.#alone);
    } catch (thrown) {
      // Refused: an unknown parameter, or a position beyond the service's maximum. Neither is the end.
      if (!(thrown instanceof ProcError) || !isAboutQuery(thrown, { ...part, ...sorting })) {
        throw thrown;
      }
      throw new UntrustedPaging(thrown.message);
    }
    return rows.map((row) => ({
      id: textOf(row[this.#target.idField]) ?? undefined,
      code: textOf(row[this.#keyField]),
      name: textOf(row[this.#target.nameField]),
    }));
  }

  #note(id: string, offset: number, isFull: boolean): void {
    const before = this.#first.get(id);
    // The same page at another offset means that offsets are ignored: inserts are unlikely to move a row exactly that far.
    if (before !== undefined && Math.abs(before - offset) >= MAX_PAGE / 2) {
      throw new UntrustedPaging(`rows ${before} and ${offset} are the same`);
    }
    if (before === undefined && isFull && ++this.#fullPages >= 2) this.#isHonoured = true;
    this.#first.set(id, offset);
    if (this.#first.size > MOST_REMEMBERED) this.#first.clear();
  }

  /**
   * A short page is the end only if limits are obeyed. Otherwise one more request decides; its empty
   * answer counts only if offsets are known to work.
   */
  async #isEnd(
    rows: readonly Listed[],
    offset: number,
    limit: number,
    order: string,
  ): Promise<boolean> {
    const { length } = rows;
    if (length >= limit) return false;
    if (length === 0) return offset > 0 || this.#isEmpty();
    if (this.isHonoured) return true;
    if (this.byNumber) return (await this.#rows(offset + limit, limit, order)).length === 0;
    if (!this.#movesByRows && length > 1) {
      const overlap = await this.#rows(offset + length - 1, limit, order);
      // The last row must be here too. If not, the service may take the offset for a page number, and an empty
      // answer would only mean that there are fewer pages.
      if (!overlap.some(({ id }) => id === rows.at(-1)!.id)) return false;
      this.#movesByRows = overlap.length < length;
    }
    return (await this.#rows(offset + length, limit, order)).length === 0;
  }

  /** An empty first page may mean that the service interprets the parameters differently. */
  async #isEmpty(): Promise<boolean> {
    return (await this.#asked({})).length === 0;
  }

  /** With a wrong first page number, the rows before the second page would be missed. */
  async #checkBase(rows: readonly Listed[], limit: number, order: string): Promise<void> {
    if (this.#beginsAtBase || rows.length === 0) return;
    const first = await this.#asked({ limit }, this.#sorting(order));
    const ids = new Set(rows.map(({ id }) => id));
    if (first.length === 0 || !ids.has(first[0]!.id))
      throw new UntrustedPaging(
        'the service did not return the first page of the list when proc requested it',
      );
    this.#beginsAtBase = true;
  }
}

/** A page size with which `offset` is near the beginning of a page. */
function limitFor(offset: number): number {
  let best = MAX_PAGE;
  for (let limit = MAX_PAGE; limit > MAX_PAGE / 2; limit--) {
    if (offset % limit < offset % best) best = limit;
  }
  return best;
}

/** A rejection of the request itself, not of the caller or the address. */
function isAboutQuery(error: ProcError, query: Row): boolean {
  if (error.code === 'refused') return Object.keys(query).length > 0;
  return error.code === 'not_found' && Number(query.offset ?? 0) > 0;
}

function idsOf(page: Page): string {
  return page.rows.map(({ id }) => id).join('\n');
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : null;
}
