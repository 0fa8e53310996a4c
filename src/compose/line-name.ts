import type { Context } from '../context.ts';
import { nounOf } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import { withHistory } from '../history/history.ts';
import { createItem } from '../nouns/items/index.ts';
import { type CatalogueItem, itemOf, readItems } from '../nouns/shared/catalogue.ts';

/** An item that `proc items create` created. */
async function createdItem(id: string, ctx: Context): Promise<CatalogueItem | undefined> {
  const scope = await ctx.scope();
  const entry = await withHistory(ctx, undefined, (history) =>
    history.creatorOf(scope, nounOf(createItem), id),
  );
  const payload = entry?.payload;
  return isObject(payload) ? itemOf({ ...payload, id })[0] : undefined;
}

/** To name items, proc reads no more than about this many. */
const MOST_READ = 5_000;

/** The items with these ids, for a person: from history and the catalogue, as far as they can be read. */
export async function namedItems(
  ids: readonly string[],
  ctx: Context,
): Promise<ReadonlyMap<string, CatalogueItem>> {
  const named = new Map<string, CatalogueItem>();
  const wanted = new Set(ids);
  const open = new Set(ids);
  try {
    for (const id of wanted) {
      const item = await createdItem(id, ctx);
      if (item !== undefined) named.set(id, item);
      if (item !== undefined) open.delete(id);
    }
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
