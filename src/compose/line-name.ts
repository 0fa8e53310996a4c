import type { Context } from '../context.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { type CatalogueItem, readItems } from '../nouns/shared/catalogue.ts';

/** To name items, proc reads no more than about this many. */
const MOST_READ = 5_000;

/** The items with these ids, for a person: as far as the catalogue can be read. */
export async function namedItems(
  ids: readonly string[],
  ctx: Context,
): Promise<ReadonlyMap<string, CatalogueItem>> {
  const named = new Map<string, CatalogueItem>();
  const wanted = new Set(ids);
  const open = new Set(ids);
  try {
    if (open.size === 0 || !(await ctx.http().canRead())) return named;
    let seen = 0;
    const { items } = await readItems(ctx, (all) => {
      for (; seen < all.length; seen++) open.delete(all[seen]!.id);
      return open.size === 0 || seen >= MOST_READ;
    });
    for (const item of items) if (wanted.has(item.id)) named.set(item.id, item);
  } catch (thrown) {
    // Without the names, the ids are shown.
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
  }
  return named;
}
