import { nounOf } from '../core/endpoint.ts';
import { isSignalled, ProcError } from '../core/errors.ts';
import { isObject } from '../core/is-object.ts';
import type { Ports } from '../core/ports.ts';
import { withHistory } from '../history/history.ts';
import { createItem } from '../nouns/items/index.ts';
import { type CatalogueItem, itemLabel, itemOf, readItems } from '../nouns/shared/catalogue.ts';
import type { Line } from './payload.ts';

/**
 * A readable name for the item of a line. History has the code and name of items created with
 * `proc items create`. All other existing items are named by their id.
 */
export async function lineName(
  { itemId, item }: Line,
  ports: Ports<'store' | 'self'>,
): Promise<string> {
  if (itemId === undefined) return item?.name ?? '';
  const created = await createdItem(itemId, ports);
  return created === undefined ? itemId : itemLabel(created);
}

/** An item that `proc items create` created. */
async function createdItem(
  id: string,
  ports: Ports<'store' | 'self'>,
): Promise<CatalogueItem | undefined> {
  const scope = await ports.store.scope();
  const entry = await withHistory(ports, undefined, (history) =>
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
  ports: Ports<'io' | 'lookup' | 'store' | 'self'>,
): Promise<ReadonlyMap<string, CatalogueItem>> {
  const named = new Map<string, CatalogueItem>();
  const wanted = new Set(ids);
  const open = new Set(ids);
  try {
    for (const id of wanted) {
      const item = await createdItem(id, ports);
      if (item !== undefined) named.set(id, item);
      if (item !== undefined) open.delete(id);
    }
    if (open.size === 0 || !(await ports.lookup.allowed())) return named;
    let seen = 0;
    const { items } = await readItems(ports, (all) => {
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

/** Says which lines of an earlier requisition have an item that is gone, or that will be created again. */
export async function sayRemarks(
  remarks: readonly { readonly kind: 'gone' | 'new'; readonly line: Line }[],
  words: { gone(item: string): string; isNew(item: string): string },
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  for (const { kind, line } of remarks) {
    const name = await lineName(line, ports);
    ports.io.say({ kind: 'warning', text: kind === 'gone' ? words.gone(name) : words.isNew(name) });
  }
}
