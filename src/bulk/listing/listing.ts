import type { Sender } from '../../client/port.ts';
import { PAGE_INDEX } from '../../client/request.ts';
import type { Row } from '../../core/result.ts';
import type { ImportTarget } from '../../resources/import-target.ts';
import type { Listed, Page } from './page.ts';

/** The largest page that docs/service-contract.md §8 allows. */
export const PAGE_SIZE = 100;

/** First rows of pages that are remembered. */
const MOST_REMEMBERED = 200;

/** Sends one read and tries it again as its caller sees fit; throws ProcError. */
export type ReadRows = (
  endpoint: NonNullable<ImportTarget['listing']>['endpoint'],
  query: Readonly<Record<string, unknown>>,
) => Promise<readonly Row[]>;

/** The service's paging cannot be relied on: nothing can be proved by it. */
export class UntrustedPaging extends Error {}

/** Reads a noun's listing in single pages, and knows what has been seen of its paging. */
export class Listing {
  readonly #target: NonNullable<ImportTarget['listing']>;
  readonly #keyField: string;
  readonly #read: ReadRows;
  readonly #byNumber: boolean;
  /** Offsets of full pages by the ids of their first rows, as long as nothing can have moved far. */
  readonly #full = new Map<string, number>();
  #isHonoured = false;
  #sorted: boolean | undefined;

  constructor(
    target: Pick<ImportTarget, 'noun' | 'keyField' | 'listing'>,
    sender: Pick<Sender, 'target'>,
    read: ReadRows,
  ) {
    this.#target = target.listing!;
    this.#keyField = target.keyField;
    this.#read = read;
    this.#byNumber = sender.target.dialect(target.noun).page !== undefined;
  }

  /** Pages by number cannot overlap as they like. */
  get byNumber(): boolean {
    return this.#byNumber;
  }

  /** Limit and offset have both been seen to be obeyed. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** Called where a search or a scan begins: rows that were seen before may have moved since. */
  begin(): void {
    this.#full.clear();
  }

  /**
   * Rows in the order of the key, from `offset` on, or from shortly before where pages have numbers.
   *
   * @throws ProcError where it cannot be read
   */
  async page(offset: number, order: 'by key' | 'as it comes' = 'by key'): Promise<Page> {
    const limit = this.#byNumber ? limitFor(offset) : PAGE_SIZE;
    const from = this.#byNumber ? offset - (offset % limit) : offset;
    const rows = await this.#rows(from, limit, order);
    if (rows.length === limit && rows[0]!.id !== undefined) this.#note(rows[0]!.id, from);
    return { offset: from, rows, isEnd: await this.#isEnd(rows.length, from, limit, order) };
  }

  /**
   * Whether the rows are sorted because we asked for it. Rows that were created in the order of their
   * codes look sorted either way; only a difference to the unsorted list tells.
   */
  async isSorted(size: number): Promise<boolean> {
    if (this.#sorted !== undefined) return this.#sorted;
    for (const share of [0, 0.5, 0.97, 0.25, 0.75]) {
      const offset = Math.floor(size * share);
      const [sorted, unsorted] = [await this.page(offset), await this.page(offset, 'as it comes')];
      if (idsOf(sorted) !== idsOf(unsorted)) {
        this.#sorted = true;
        return true;
      }
      if (size <= PAGE_SIZE) break;
    }
    return false;
  }

  async #rows(offset: number, limit: number, order: string): Promise<Listed[]> {
    const sorting = order === 'by key' ? { sort: this.#target.sort, dir: 'asc' } : {};
    const paging = this.#byNumber
      ? { limit, offset, [PAGE_INDEX]: offset / limit }
      : { limit, offset };
    const rows = await this.#read(this.#target.endpoint, { ...paging, ...sorting });
    return rows.map((row) => ({
      id: textOf(row[this.#target.idField]) ?? undefined,
      code: textOf(row[this.#keyField]),
      name: textOf(row[this.#target.nameField]),
    }));
  }

  #note(id: string, offset: number): void {
    const before = this.#full.get(id);
    // The same page at another offset: offsets are ignored. Inserts hardly move a row just as far.
    if (before !== undefined && Math.abs(before - offset) >= PAGE_SIZE / 2) {
      throw new UntrustedPaging(`rows ${before} and ${offset} are the same`);
    }
    this.#full.set(id, offset);
    if (this.#full.size >= 2) this.#isHonoured = true;
    if (this.#full.size > MOST_REMEMBERED) this.#full.clear();
  }

  /** A short page is the end only where limits are obeyed; otherwise one more request tells. */
  async #isEnd(length: number, offset: number, limit: number, order: string): Promise<boolean> {
    if (length >= limit) return false;
    if (length === 0 || this.isHonoured) return true;
    const next = this.#byNumber ? offset + limit : offset + length;
    return (await this.#rows(next, limit, order)).length === 0;
  }
}

/** A page size by which `offset` stands near the beginning of a numbered page. */
function limitFor(offset: number): number {
  let best = PAGE_SIZE;
  for (let limit = PAGE_SIZE; limit > PAGE_SIZE / 2; limit--) {
    if (offset % limit < offset % best) best = limit;
  }
  return best;
}

function idsOf(page: Page): string {
  return page.rows.map(({ id }) => id).join('\n');
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : null;
}
