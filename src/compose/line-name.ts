import type { Ports } from '../core/ports.ts';
import { withHistory } from '../history/find-entry.ts';
import { createItem } from '../nouns/items/api.ts';
import { itemLabel, itemOf } from '../nouns/shared/catalogue.ts';
import type { Composed } from './compose.ts';
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
  const scope = await ports.store.scope();
  const payload = await withHistory(ports, undefined, async (history) => {
    const entry = await history.creatorOf(scope, createItem.id, itemId);
    return entry === undefined ? undefined : (await history.get(entry))?.payload;
  });
  const row = typeof payload === 'object' && payload !== null ? payload : {};
  return itemOf({ ...row, id: itemId }).map(itemLabel)[0] ?? itemId;
}

/** Says which lines of an earlier requisition have an item that is gone, or that will be created once more. */
export async function sayRemarks(
  remarks: Composed['remarks'],
  words: { gone(item: string): string; isNew(item: string): string },
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  for (const { kind, line } of remarks) {
    const name = await lineName(line, ports);
    ports.io.say({ kind: 'warning', text: kind === 'gone' ? words.gone(name) : words.isNew(name) });
  }
}
