import type { Ports } from '../../core/ports.ts';
import { withHistory } from '../../history/find-entry.ts';
import { createItem } from '../../nouns/items/api.ts';
import { itemLabel, itemOf } from '../../nouns/shared/catalogue.ts';
import type { Line } from '../../nouns/shared/lines/reorder.ts';

/**
 * A readable name for the item of a line. History has the code and name of items created with
 * `proc items create`. All other existing items are named by their id.
 */
export async function lineName(
  { itemId, item }: Line,
  ports: Ports<'store' | 'self'>,
): Promise<string> {
  if (itemId === undefined) return item?.name ?? '';
  const scope = await ports.store.scope();
  const payload = await withHistory(ports, undefined, async (history) => {
    const entry = await history.creatorOf(scope, createItem.id, itemId);
    return entry === undefined ? undefined : (await history.get(entry))?.payload;
  });
  const row = typeof payload === 'object' && payload !== null ? payload : {};
  return itemOf({ ...row, id: itemId }).map(itemLabel)[0] ?? itemId;
}
