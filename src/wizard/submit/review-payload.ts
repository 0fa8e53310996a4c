import type { Ports } from '../../core/ports.ts';
import { wizardMessages } from '../../messages/wizard-messages.ts';
import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';
import type { Payload } from '../../nouns/shared/lines/reorder.ts';
import { lineName } from '../lists/line-name.ts';
import { sheetOf } from '../model/from-payload.ts';
import { showSheet } from './review.ts';

export async function reviewPayload(
  payload: Payload,
  met: ReadonlyMap<string, CatalogueItem>,
  ports: Ports<'io' | 'store' | 'self'>,
): Promise<void> {
  const items = new Map(met);
  for (const line of payload.groups.flatMap((group) => group.items)) {
    const { itemId } = line;
    if (itemId === undefined || items.has(itemId)) continue;
    items.set(itemId, { id: itemId, code: undefined, name: await lineName(line, ports) });
  }
  const sheet = sheetOf(payload, (id) => items.get(id));
  showSheet(sheet, wizardMessages[await ports.io.lang()], ports);
}
