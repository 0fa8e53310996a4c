import { MAX_PAGE } from './list-reader.ts';
import { type Listing, UntrustedPaging } from './listing.ts';
import type { Listed, Page } from './page.ts';
import { SeenIds } from './seen-ids.ts';

/** Pages that are requested at once, once paging is known to work. */
const AHEAD = 6;
/** How often a page that does not join the one before is read again, a bit further left. */
const MOST_STEPS_BACK = 5;

/**
 * Reads a listing to its end. Each page overlaps the one before by a row, so that all pages together
 * are one unbroken chain, whatever others insert meanwhile: inserts push rows to the right, so that
 * beyond the overlap each row is new. A row that comes again there shows that the order changes from
 * one request to the next, and then others were never shown.
 *
 * @param onRows new rows, each once.
 * @param oneByOne no two pages are under way at once, nor on one connection: their answers cannot be
 *   taken for each other.
 * @returns whether the end was proved
 * @throws ProcError where a page cannot be read
 */
export async function scan(
  listing: Listing,
  onRows: (rows: readonly Listed[]) => void,
  oneByOne = false,
): Promise<boolean> {
  listing.begin(oneByOne);
  const chain = new Chain(onRows);
  try {
    return listing.byNumber
      ? await byNumber(listing, chain)
      : await byOffset(listing, chain, oneByOne ? 0 : AHEAD);
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return false;
    throw thrown;
  }
}

/** The rows so far, each one after the last. */
class Chain {
  readonly #onRows: (rows: readonly Listed[]) => void;
  readonly #seen = new SeenIds();
  #last: string | undefined;

  constructor(onRows: (rows: readonly Listed[]) => void) {
    this.#onRows = onRows;
  }

  /** Where the rows so far end on this page; -1 if they do not. */
  joint({ rows }: Page): number {
    return this.#last === undefined ? -1 : rows.findIndex(({ id }) => id === this.#last);
  }

  /** @returns how many rows follow the rows so far */
  take(page: Page): number {
    const joint = this.joint(page);
    const fresh = page.rows.filter(({ id }, at) => {
      if (id === undefined) throw new UntrustedPaging('a row has no id');
      const isNew = this.#seen.add(id);
      if (!isNew && at > joint) throw new UntrustedPaging(`${id} came twice`);
      return isNew;
    });
    if (fresh.length > 0) this.#onRows(fresh);
    this.#last = page.rows.at(-1)?.id ?? this.#last;
    return page.rows.length - 1 - joint;
  }
}

async function byOffset(listing: Listing, chain: Chain, most: number): Promise<boolean> {
  const ahead = new Map<number, Promise<Page>>();
  const read = (offset: number): Promise<Page> => {
    const asked = ahead.get(offset) ?? listing.page(offset);
    ahead.delete(offset);
    if (listing.isHonoured) {
      for (let next = offset, count = 0; count < most; count++) {
        next += MAX_PAGE - 1;
        if (ahead.has(next)) continue;
        const page = listing.page(next);
        // Its failure is told when its turn comes, if it does.
        page.catch(() => undefined);
        ahead.set(next, page);
      }
    }
    return asked;
  };
  let page = await read(0);
  chain.take(page);
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
    // The same rows again: the service does not go on from where it was asked to.
    if (chain.take(next) === 0 && !next.isEnd) return false;
    page = next;
  }
  return true;
}

/** Pages with numbers do not overlap; only inserts push rows of one page to the next. */
async function byNumber(listing: Listing, chain: Chain): Promise<boolean> {
  for (let offset = 0; ; offset += MAX_PAGE) {
    const page = await listing.page(offset);
    const fresh = chain.take(page);
    if (page.isEnd) return true;
    if (fresh === 0) return false;
  }
}
