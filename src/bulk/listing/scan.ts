import { type Listing, PAGE_SIZE, UntrustedPaging } from './listing.ts';
import type { Listed, Page } from './page.ts';

/** Pages that are asked for at once, where paging is known to work. */
const AHEAD = 4;
/** How often a page that does not join the one before is read again, a bit further left. */
const MOST_STEPS_BACK = 5;

/**
 * Reads a listing to its end. Each page overlaps the one before by a row, so that all pages together
 * are one unbroken chain, whatever others insert meanwhile.
 *
 * @param onRows new rows; some may come twice where others insert.
 * @returns whether the end was proved
 * @throws ProcError where a page cannot be read
 */
export async function scan(
  listing: Listing,
  onRows: (rows: readonly Listed[]) => void,
): Promise<boolean> {
  listing.begin();
  try {
    return listing.byNumber ? await byNumber(listing, onRows) : await byOffset(listing, onRows);
  } catch (thrown) {
    if (thrown instanceof UntrustedPaging) return false;
    throw thrown;
  }
}

async function byOffset(
  listing: Listing,
  onRows: (rows: readonly Listed[]) => void,
): Promise<boolean> {
  const ahead = new Map<number, Promise<Page>>();
  const read = (offset: number): Promise<Page> => {
    const asked = ahead.get(offset) ?? listing.page(offset);
    ahead.delete(offset);
    if (listing.isHonoured) {
      for (let next = offset, count = 0; count < AHEAD; count++) {
        next += PAGE_SIZE - 1;
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
  onRows(page.rows);
  while (!page.isEnd) {
    const last = page.rows.at(-1)?.id;
    if (last === undefined) return false;
    let next: Page;
    let joint = -1;
    let offset = page.offset + page.rows.length - 1;
    for (let back = 0; ; back++) {
      next = await read(offset);
      joint = next.rows.findIndex(({ id }) => id === last);
      if (joint >= 0) break;
      if (back === MOST_STEPS_BACK || offset === 0) return false;
      offset = Math.max(0, offset - PAGE_SIZE / 2);
      ahead.clear();
    }
    const fresh = next.rows.slice(joint + 1);
    onRows(fresh);
    // The same rows again: the service does not go on from where it was asked to.
    if (fresh.length === 0 && !next.isEnd) return false;
    page = next;
  }
  return true;
}

/** Pages with numbers cannot overlap; ids that come again show that nothing goes on. */
async function byNumber(
  listing: Listing,
  onRows: (rows: readonly Listed[]) => void,
): Promise<boolean> {
  let before = '';
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await listing.page(offset);
    const ids = page.rows.map(({ id }) => id).join('\n');
    if (page.rows.length > 0 && ids === before) return false;
    before = ids;
    onRows(page.rows);
    if (page.isEnd) return true;
  }
}
