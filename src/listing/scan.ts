import { MAX_PAGE, SeenKeys } from './list-pages.ts';
import { type Listed, type Listing, type Page, trusted, UntrustedPaging } from './listing.ts';

/** Concurrent page requests, once paging is known to work. */
const AHEAD = 6;
/** How many times proc steps back to a lower offset if a page does not overlap the previous page. */
const MOST_STEPS_BACK = 5;

/**
 * Reads a list to its end. If the service takes offsets, each page repeats the last row of the page before,
 * so no row is missed if others insert rows.
 * If a row that was read before appears after the repeated row, the order of the list has changed. The scan
 * then ends.
 *
 * The end is proved from the other end too: the last row, as the list begins in descending order, must be among
 * the rows. proc asks for it after the first page, so rows that others add meanwhile do not matter.
 *
 * @returns whether the end was proved
 * @throws ProcError if a page cannot be read
 */
export async function scan(
  listing: Listing,
  onRows: (rows: readonly Listed[]) => void,
): Promise<boolean> {
  listing.begin();
  const chain = new Chain(onRows);
  return trusted(async () => {
    const isEnd = listing.byNumber
      ? await byNumber(listing, chain)
      : await byOffset(listing, chain);
    return isEnd && (await chain.hasLast(listing));
  }, false);
}

class Chain {
  readonly #onRows: (rows: readonly Listed[]) => void;
  readonly #seen = new SeenKeys();
  #last: string | undefined;
  #count = 0;
  /** Number of rows without a code before the first code. Some services sort them first in both directions. */
  #codeless = 0;
  #isCoded = false;
  #end: Listed | undefined;

  constructor(onRows: (rows: readonly Listed[]) => void) {
    this.#onRows = onRows;
  }

  joint({ rows }: Page): number {
    return this.#last === undefined ? -1 : rows.findIndex(({ id }) => id === this.#last);
  }

  /** @returns the number of rows after the overlap, all of them new */
  take(page: Page): number {
    const joint = this.joint(page);
    const fresh = page.rows.filter(({ id }, at) => {
      if (id === undefined) throw new UntrustedPaging('a row has no id');
      const isNew = this.#seen.add(id);
      if (!isNew && at > joint) throw new UntrustedPaging(`${id} appears twice`);
      return isNew;
    });
    if (fresh.length > 0) this.#onRows(fresh);
    this.#count += fresh.length;
    for (const { code } of this.#isCoded ? [] : fresh) {
      this.#isCoded ||= code !== null;
      if (!this.#isCoded) this.#codeless++;
    }
    this.#last = page.rows.at(-1)?.id ?? this.#last;
    return page.rows.length - 1 - joint;
  }

  /** Asks for the last row, while the first page is all that was read. */
  async askLast(listing: Listing): Promise<void> {
    if (this.#count > 0) this.#end = await listing.lastRow();
  }

  /** Whether the list has ended at its last row. True also if the service cannot tell its last row. */
  async hasLast(listing: Listing): Promise<boolean> {
    if (this.#end === undefined || (await this.#isRead(this.#end, listing))) return true;
    // It may have been deleted meanwhile.
    const again = await listing.lastRow();
    if (again === undefined || (await this.#isRead(again, listing))) return true;
    listing.noteCut(again, this.#count);
    return false;
  }

  async #isRead(row: Listed, listing: Listing): Promise<boolean> {
    const isCodeless = row.code === null && this.#codeless > 0 && this.#isCoded;
    const { id } = (isCodeless ? await listing.lastRow(this.#codeless) : row) ?? row;
    return id === undefined || this.#seen.has(id);
  }
}

async function byOffset(listing: Listing, chain: Chain): Promise<boolean> {
  const ahead = new Map<number, Promise<Page>>();
  const read = (offset: number): Promise<Page> => {
    const asked = ahead.get(offset) ?? listing.page(offset);
    ahead.delete(offset);
    if (listing.isHonoured) {
      for (let next = offset, count = 0; count < AHEAD; count++) {
        next += MAX_PAGE - 1;
        if (ahead.has(next)) continue;
        const page = listing.page(next);
        // The error is thrown only if the scan gets to this page.
        page.catch(() => undefined);
        ahead.set(next, page);
      }
    }
    return asked;
  };
  let page = await read(0);
  chain.take(page);
  await chain.askLast(listing);
  while (!page.isEnd) {
    if (page.rows.length === 0) return false;
    let next: Page;
    let offset = page.offset + page.rows.length - 1;
    for (let back = 0; ; back++) {
      next = await read(offset);
      if (chain.joint(next) >= 0) break;
      if (back === MOST_STEPS_BACK || offset === 0) return false;
      offset = Math.max(0, offset - MAX_PAGE / 2);
      ahead.clear();
    }
    // No new rows: the service ignores the offset.
    if (chain.take(next) === 0 && !next.isEnd) return false;
    page = next;
  }
  return true;
}

/**
 * Pages with numbers do not overlap. If the last row of a page is on the next page too, an insert has
 * moved it.
 */
async function byNumber(listing: Listing, chain: Chain): Promise<boolean> {
  for (let offset = 0; ; offset += MAX_PAGE) {
    const page = await listing.page(offset);
    const fresh = chain.take(page);
    if (offset === 0) await chain.askLast(listing);
    if (page.isEnd) return true;
    if (fresh === 0) return false;
  }
}
