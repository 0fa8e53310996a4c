import { type EndpointSpec, nounOf } from '../core/endpoint.ts';
import { ProcError } from '../core/errors.ts';
import { idText } from '../core/json.ts';
import { numberText } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { show } from '../core/validate.ts';
import { isWholeList } from '../http/request.ts';
import { byPageNumber, type ListSource, MAX_PAGE } from './list-pages.ts';

const MOST_REMEMBERED = 200;

type Order = 'by key' | 'reversed' | 'as it comes';

/** The paging of the service is not reliable, so it proves nothing. */
export class UntrustedPaging extends Error {}

/** What `work` finds; `otherwise`, if the paging is not reliable. */
export async function trusted<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return otherwise;
    throw thrown;
  }
}

export class Listing {
  readonly #list: SortedList;
  readonly #keyField: string;
  readonly #read: ListSource['read'];
  /** The service uses page numbers. */
  readonly byNumber: boolean;
  /** Each response is the whole list. */
  readonly isWhole: boolean;
  /** Offsets of some pages, by the id of their first row. */
  readonly #first = new Map<string, number>();
  /** Pages since `begin` with as many rows as requested. */
  #fullPages = 0;
  /** The service was seen to obey both limit and offset. */
  isHonoured = false;
  /** The service provably counts the offset in rows, not in pages (see `#isEnd`). */
  #movesByRows = false;
  /** The list provably begins at the first page number of the dialect. */
  #beginsAtBase = false;
  #sorted: boolean | undefined;
  /** What is wrong with the list, if it is known. */
  fault: string | undefined;
  /** The list has at least this many rows. */
  size = 0;
  /** The id of the first row of the sorted list. */
  #begin: string | undefined;
  /** The first page, if nothing was read since. */
  #head: Page | undefined;

  constructor({ keyField, listing }: ListedNoun, source: ListSource) {
    this.#list = listing!;
    this.#keyField = keyField;
    this.#read = source.read;
    this.byNumber = byPageNumber(listing!.endpoint, source.target);
    this.isWhole = isWholeList(listing!.endpoint, source.target);
  }

  /**
   * Forgets where rows were. Call it when a search or scan begins, because rows may have moved.
   */
  begin(): void {
    this.#first.clear();
    this.#fullPages = 0;
  }

  /**
   * One page from `offset` on. With page numbers, it may begin shortly before `offset`. Without paging, it
   * is the whole list.
   *
   * @throws ProcError if the page cannot be read
   * @throws UntrustedPaging
   */
  async page(offset: number, order: Order = 'by key'): Promise<Page> {
    const head = offset === 0 && order === 'by key' ? this.#head : undefined;
    this.#head = undefined;
    if (head !== undefined) return head;
    if (this.isWhole) {
      const all = await this.#rows(0, MAX_PAGE, order);
      this.size = Math.max(this.size, all.length);
      if (order === 'by key') this.#begin = all[0]?.id;
      return { offset: 0, rows: all, isEnd: all.length > 0 || (await this.#isEmpty()) };
    }
    const limit = this.byNumber ? limitFor(offset) : MAX_PAGE;
    const from = this.byNumber ? offset - (offset % limit) : offset;
    const rows =
      from === 0 ? await this.#firstRows(limit, order) : await this.#rows(from, limit, order);
    if (rows.length > 0) this.size = Math.max(this.size, from + rows.length);
    if (from === 0 && order === 'by key') this.#begin = rows[0]?.id;
    if (rows[0]?.id !== undefined) this.#note(rows[0].id, from, rows.length === limit);
    if (this.byNumber && from === 0) await this.#checkBase(rows, limit, order);
    return { offset: from, rows, isEnd: await this.#isEnd(rows, from, limit, order) };
  }

  /**
   * Whether the service sorts as requested. The sorted list must differ from the unsorted list, because
   * unsorted rows may happen to be in order.
   */
  async isSorted(size: number): Promise<boolean> {
    if (this.isWhole) return false;
    if (this.#sorted !== undefined) return this.#sorted;
    for (const share of [0, 0.5, 0.97]) {
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

  /**
   * The row at the other end of the sorted list. If a list is cut off, e.g. at 1,000 rows, this is none of the
   * rows that proc can read.
   *
   * @param skipped number of rows to leave out at that end
   * @returns undefined if the service does not sort on request
   */
  async lastRow(skipped = 0): Promise<Listed | undefined> {
    const [row] = await trusted(() => this.#rows(skipped, 1, 'reversed'), []);
    // The service ignores the direction, or the list has a single row.
    return row?.id === this.#begin ? undefined : row;
  }

  /** @param last the row at the other end, which is none of the `count` rows before the end */
  noteCut({ id, code }: Listed, count?: number): void {
    const end = count === undefined ? 'the list' : `the list of ${count} rows`;
    this.fault = `${end} is cut off: its last row by ${this.#keyField} is ${code ?? id} (${id}), which the service shows only in descending order`;
  }

  /**
   * Whether the list has rows at about this offset or later. False for a list without paging. The search or scan that
   * begins now does not read the first page again.
   */
  async hasRowsFrom(offset: number): Promise<boolean> {
    if (this.isWhole) return false;
    this.#head = await trusted(() => this.page(0), undefined);
    if (this.#head?.isEnd !== false) return false;
    const from = offset - (offset % MAX_PAGE);
    return (await trusted(() => this.#rows(from, MAX_PAGE, 'by key'), [])).length > 0;
  }

  /** A list that refuses the parameters may still be provably empty. */
  async #firstRows(limit: number, order: Order): Promise<Listed[]> {
    try {
      return await this.#rows(0, limit, order);
    } catch (thrown) {
      if (!(thrown instanceof UntrustedPaging) || !(await this.#isEmpty())) throw thrown;
      return [];
    }
  }

  #rows(offset: number, limit: number, order: Order): Promise<Listed[]> {
    const index = this.byNumber ? { pageIndex: offset / limit } : {};
    return this.#asked({ limit, offset, ...index, ...this.#sorting(order) });
  }

  #sorting(order: Order): Row {
    if (order === 'as it comes') return {};
    return { sort: this.#list.sort, dir: order === 'by key' ? 'asc' : 'desc' };
  }

  async #asked(query: Row): Promise<Listed[]> {
    const { endpoint, idField, nameField } = this.#list;
    let rows: readonly Row[];
    try {
      rows = await this.#read(endpoint, query);
    } catch (thrown) {
      // The service refused a parameter or a distant offset. Neither means the end of the list.
      if (!(thrown instanceof ProcError) || !isAboutQuery(thrown, query)) throw thrown;
      throw new UntrustedPaging(thrown.message);
    }
    return rows.map((row) => {
      const id = idText(row[idField]);
      if (id === undefined) {
        this.fault ??= `a row of the list has no usable id: it is ${show(row[idField])}. Expected text or a number`;
      }
      return { id, code: textOf(row[this.#keyField]), name: textOf(row[nameField]) };
    });
  }

  #note(id: string, offset: number, isFull: boolean): void {
    const before = this.#first.get(id);
    // A distant page begins with the same row, so the service ignores offsets. Inserts would hardly move a
    // row from the start of one page to the start of another.
    if (before !== undefined && Math.abs(before - offset) >= MAX_PAGE / 2) {
      throw new UntrustedPaging(`rows ${before} and ${offset} are the same`);
    }
    if (before === undefined && isFull && ++this.#fullPages >= 2) this.isHonoured = true;
    this.#first.set(id, offset);
    if (this.#first.size > MOST_REMEMBERED) this.#first.clear();
  }

  /** A short page alone proves the end only if the service obeys limits. */
  async #isEnd(
    rows: readonly Listed[],
    offset: number,
    limit: number,
    order: Order,
  ): Promise<boolean> {
    const { length } = rows;
    if (length >= limit) return false;
    if (length === 0) return offset > 0 || this.#isEmpty();
    if (this.isHonoured) return true;
    if (this.byNumber) return (await this.#rows(offset + limit, limit, order)).length === 0;
    if (!this.#movesByRows && length > 1) {
      const overlap = await this.#rows(offset + length - 1, limit, order);
      // If the overlap lacks the last row, the service may take the offset for a page number. An empty
      // page would then prove nothing.
      if (!overlap.some(({ id }) => id === rows.at(-1)!.id)) return false;
      // If the overlap has as many rows as the page, the service may have ignored the offset.
      this.#movesByRows = overlap.length < length;
    }
    return (await this.#rows(offset + length, limit, order)).length === 0;
  }

  /** Asks without parameters: a service that interprets them differently may return an empty page. */
  async #isEmpty(): Promise<boolean> {
    return (await this.#asked({})).length === 0;
  }

  /** If the first page number is wrong, proc would miss the first rows of the list. */
  async #checkBase(rows: readonly Listed[], limit: number, order: Order): Promise<void> {
    if (this.#beginsAtBase || rows.length === 0) return;
    const first = await this.#asked({ limit, ...this.#sorting(order) });
    const ids = new Set(rows.map(({ id }) => id));
    if (first.length === 0 || !ids.has(first[0]!.id))
      throw new UntrustedPaging(
        'the service did not return the first page of the list when proc requested it',
      );
    this.#beginsAtBase = true;
  }
}

/** A page size above half of `MAX_PAGE`, with which a page begins at `offset` or closest before it. */
function limitFor(offset: number): number {
  let best = MAX_PAGE;
  for (let limit = MAX_PAGE; limit > MAX_PAGE / 2; limit--) {
    if (offset % limit < offset % best) best = limit;
  }
  return best;
}

/** Whether the service refused the parameters, and not the key or the base URL. */
function isAboutQuery(error: ProcError, query: Row): boolean {
  if (error.code === 'refused') return Object.keys(query).length > 0;
  return error.code === 'not_found' && Number(query.offset ?? 0) > 0;
}

function idsOf(page: Page): string {
  return page.rows.map(({ id }) => id).join('\n');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : (numberText(value) ?? null);
}

export interface Listed {
  readonly id: string | undefined;
  readonly code: string | null;
  readonly name: string | null;
}

/** One response: consecutive rows at one moment. */
export interface Page {
  readonly offset: number;
  readonly rows: readonly Listed[];
  /** True if it is proved that nothing follows. */
  readonly isEnd: boolean;
}

type Place = 'here' | 'before' | 'after' | 'unclear';

/**
 * Where `code` belongs relative to a page, in this sort order. `here`: the page has the neighbours on both
 * sides, or the list begins or ends there. Then all rows with this code are on the page.
 */
export function placeOf(page: Page, code: string, { compare }: Comparator): Place {
  const { rows } = page;
  const coded = rows.filter(hasCode);
  if (coded.length === 0) {
    if (page.offset === 0) return page.isEnd ? 'here' : 'after';
    return rows.length === 0 ? 'before' : 'unclear';
  }
  const from = firstWhere(coded, (row) => compare(row.code, code) >= 0);
  // Rows without a code are all at one end of the list. Beyond such a row there are no further codes.
  const startsHere = page.offset === 0 || rows[0]!.code === null;
  if (from === 0 && !startsHere) return 'before';
  const to = firstWhere(coded, (row) => compare(row.code, code) > 0);
  const endsHere = page.isEnd || rows.at(-1)!.code === null;
  if (to === coded.length && !endsHere) return 'after';
  return 'here';
}

/** Whether the page is in this order, with all rows without a code on one side. */
export function isInOrder(page: Page, { compare }: Comparator): boolean {
  let last: string | undefined;
  let sides = 0;
  let before: Listed | undefined;
  for (const row of page.rows) {
    if (before !== undefined && (before.code === null) !== (row.code === null)) sides++;
    before = row;
    if (row.code === null) continue;
    if (last !== undefined && compare(last, row.code) > 0) return false;
    last = row.code;
  }
  return sides <= 1;
}

function hasCode(row: Listed): row is Listed & { readonly code: string } {
  return row.code !== null;
}

/** The first index at which the condition holds, by binary search. The condition must hold from there on. */
function firstWhere<T>(all: readonly T[], holds: (one: T) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(all[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface SortedList {
  readonly endpoint: EndpointSpec;
  /** The value of `sort` for the key field. */
  readonly sort: string;
  readonly idField: string;
  /** The field with which people name a record. */
  readonly nameField: string;
}

/** A noun whose records have a key, and its list, if there is one. */
export interface ListedNoun {
  readonly noun: string;
  readonly keyField: string;
  readonly listing?: SortedList;
}

/** A list whose rows are identified by `code`, such as items and orders. */
export function codedList(endpoint: EndpointSpec): ListedNoun {
  const listing = { endpoint, sort: 'code', idField: 'id', nameField: 'name' };
  return { noun: nounOf(endpoint), keyField: 'code', listing };
}

export interface Comparator {
  readonly name: string;
  compare(a: string, b: string): number;
}

function plain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code points, like UTF-8 bytes. JavaScript's own order puts U+E000–FFFF last. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function folding(name: string, fold: (text: string) => string): Comparator {
  return { name, compare: (a, b) => byCodePoint(fold(a), fold(b)) };
}

const unaccented = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
const asciiLower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const asciiUpper = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
/** SQL Server and older MySQL collations ignore trailing spaces. */
const trimmed = (text: string) => text.replace(/ +$/, '');

/**
 * Plausible sort orders of a service. A code counts as absent only if every order that matches the rows
 * seen so far agrees.
 */
export function plausibleOrders(): Comparator[] {
  const orders: Comparator[] = [
    { name: 'utf-16', compare: plain },
    { name: 'bytes', compare: byCodePoint },
    folding('ascii lower', asciiLower),
    folding('ascii upper', asciiUpper),
    folding('lower', (text) => text.toLowerCase()),
    folding('upper', (text) => text.toUpperCase()),
    folding('unaccented lower', (text) => unaccented(text).toLowerCase()),
    folding('unaccented upper', (text) => trimmed(unaccented(text).toUpperCase())),
    folding('unaccented', unaccented),
    // Windows and SQL Server nearly ignore hyphens and apostrophes.
    folding('words', (text) => unaccented(text).toLowerCase().replace(/[-']/g, '')),
  ];
  for (const locale of ['en', 'es']) {
    for (const sensitivity of ['base', 'accent', 'variant'] as const) {
      for (const ignorePunctuation of [false, true]) {
        for (const numeric of [false, true]) {
          orders.push(inLanguage(locale, { sensitivity, ignorePunctuation, numeric }));
        }
      }
    }
    orders.push(inLanguage(locale, { sensitivity: 'variant', caseFirst: 'upper' }));
  }
  return orders;
}

function inLanguage(locale: string, options: Intl.CollatorOptions): Comparator {
  let compare: Comparator['compare'] | undefined;
  return {
    name: `${locale} ${JSON.stringify(options)}`,
    compare(a, b) {
      // Created when first used: all collators together take 10 ms, and an empty list needs none.
      compare ??= new Intl.Collator(locale, options).compare;
      return compare(a, b);
    },
  };
}

let orders: readonly Comparator[] | undefined;

/**
 * The order of the rows by this field, in any plausible collation: 1 ascending, -1 descending, 0 neither.
 *
 * @returns undefined if this cannot be told: a row has no text or number there, or fewer than `distinct`
 * values differ
 */
export function orderOf(rows: readonly Row[], field: string, distinct = 3): 1 | -1 | 0 | undefined {
  const values = rows.map((row) => row[field]);
  if (new Set(values).size < distinct) return undefined;
  if (!values.every((one) => typeof one === 'string' || typeof one === 'number')) return undefined;
  const texts = values.map(String);
  orders ??= plausibleOrders();
  const known = orders;
  const isOrdered = (sign: number) =>
    known.some(({ compare }) =>
      texts.every((text, at) => at === 0 || compare(texts[at - 1]!, text) * sign <= 0),
    );
  return isOrdered(1) ? 1 : isOrdered(-1) ? -1 : 0;
}
