import { ProcError } from '../core/errors.ts';
import type { Row } from '../core/result.ts';
import { ListReader, type ListSource, MAX_PAGE, type Part } from './list-reader.ts';
import type { Listed, Page } from './page.ts';
import type { ListedNoun, SortedList } from './sorted-list.ts';

/** First rows of pages that are remembered. */
const MOST_REMEMBERED = 200;

/** The service's paging cannot be relied on: nothing can be proved by it. */
export class UntrustedPaging extends Error {}

/** Reads a noun's listing in single pages, and knows what has been seen of its paging. */
export class Listing {
  readonly #target: SortedList;
  readonly #keyField: string;
  readonly #reader: ListReader;
  readonly #takesSort: boolean;
  /** Offsets of pages by the ids of their first rows, as long as nothing can have moved far. */
  readonly #first = new Map<string, number>();
  /** Those among them that have as many rows as were asked for. */
  #fullPages = 0;
  #isHonoured = false;
  /** An offset of n - 1 has been seen to show row n first. */
  #movesByRows = false;
  /** The first page has been seen to be the first. */
  #beginsAtBase = false;
  #sorted: boolean | undefined;
  #alone = false;

  constructor({ keyField, listing }: ListedNoun, source: ListSource) {
    this.#target = listing!;
    this.#keyField = keyField;
    this.#reader = new ListReader(listing!.endpoint, source);
    this.#takesSort = source.takesSort ?? true;
  }

  /** Pages by number cannot overlap as they like. */
  get byNumber(): boolean {
    return this.#reader.byNumber;
  }

  /** The list comes whole, in one answer. */
  get isWhole(): boolean {
    return this.#reader.isWhole;
  }

  /** Limit and offset have both been seen to be obeyed. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /**
   * Called where a search or a scan begins: rows that were seen before may have moved since.
   *
   * @param alone each page on a connection of its own: a page proves something by itself, and must not be
   *   the answer to an earlier request. Pages that join each other need not be asked for like that.
   */
  begin(alone: boolean): void {
    this.#first.clear();
    this.#fullPages = 0;
    this.#alone = alone;
  }

  /**
   * Rows in the order of the key, from `offset` on, or from shortly before where pages have numbers.
   *
   * @throws ProcError where it cannot be read
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
   * Whether the rows are sorted because we asked for it. Rows that were created in the order of their
   * codes look sorted either way; only a difference to the unsorted list tells.
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

  /** Whether there are rows from here on, as one request tells; a list that comes whole has no further ones. */
  async goesOnAt(offset: number): Promise<boolean> {
    if (this.isWhole) return false;
    const from = offset - (offset % MAX_PAGE);
    return (await this.#rows(from, MAX_PAGE, 'by key')).length > 0;
  }

  /** The rows of the last page if the list has exactly so many: two requests at its end. */
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

  /** A list that refuses these parameters may still be seen to be empty. */
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
      // A parameter that is unknown, or a position beyond what the service shows: neither is an end.
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
    // The same page at another offset: offsets are ignored. Inserts hardly move a row just as far.
    if (before !== undefined && Math.abs(before - offset) >= MAX_PAGE / 2) {
      throw new UntrustedPaging(`rows ${before} and ${offset} are the same`);
    }
    if (before === undefined && isFull && ++this.#fullPages >= 2) this.#isHonoured = true;
    this.#first.set(id, offset);
    if (this.#first.size > MOST_REMEMBERED) this.#first.clear();
  }

  /**
   * A short page is the end only where limits are obeyed; otherwise one more request tells, of which
   * an empty answer counts only if it is known to be asked for the next rows.
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
      // What is called an offset may count pages: then an empty answer only means that it is too far.
      if (!overlap.some(({ id }) => id === rows.at(-1)!.id)) return false;
      this.#movesByRows = overlap.length < length;
    }
    return (await this.#rows(offset + length, limit, order)).length === 0;
  }

  /** An empty first page may mean that the service understands its parameters in another way. */
  async #isEmpty(): Promise<boolean> {
    return (await this.#asked({})).length === 0;
  }

  /** With a wrong number for the first page, all before the second one would be left out. */
  async #checkBase(rows: readonly Listed[], limit: number, order: string): Promise<void> {
    if (this.#beginsAtBase || rows.length === 0) return;
    const first = await this.#asked({ limit }, this.#sorting(order));
    const ids = new Set(rows.map(({ id }) => id));
    if (first.length === 0 || !ids.has(first[0]!.id))
      throw new UntrustedPaging('the page with the first number is not the first one');
    this.#beginsAtBase = true;
  }
}

/** A page size by which `offset` stands near the beginning of a numbered page. */
function limitFor(offset: number): number {
  let best = MAX_PAGE;
  for (let limit = MAX_PAGE; limit > MAX_PAGE / 2; limit--) {
    if (offset % limit < offset % best) best = limit;
  }
  return best;
}

/** A refusal that speaks of what was asked for, not of who asks or where. */
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
