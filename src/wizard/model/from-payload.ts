import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';
import type { Payload } from '../../nouns/shared/lines/reorder.ts';
import type { Line, NewItem, Sheet } from './model.ts';

/** @param itemOf gives the code and name of an item, if known: a payload has only ids */
export function sheetOf(
  payload: Payload,
  itemOf: (id: string) => CatalogueItem | undefined,
): Sheet {
  const { title, type = null, sector, code = null, groups } = payload;
  return {
    title,
    type,
    sector: sector === undefined ? null : { value: sector },
    code,
    groups: groups.map(({ name = null, deliveryMethod, addressId, items }) => ({
      name,
      deliveryMethod,
      address: addressId === undefined ? null : { id: addressId },
      lines: items.map(
        // An earlier requisition may order an item twice on purpose. `isSeparate` keeps the wizard
        // from asking about it.
        (line): Line => ({
          quantity: line.quantity,
          item: orderedItem(line, itemOf),
          isSeparate: true,
        }),
      ),
      isComplete: true,
    })),
  };
}

type PayloadLine = Payload['groups'][number]['items'][number];

function orderedItem(
  { itemId, item }: PayloadLine,
  itemOf: (id: string) => CatalogueItem | undefined,
): Line['item'] {
  if (itemId !== undefined) {
    return {
      kind: 'known',
      ...(itemOf(itemId) ?? { id: itemId, code: undefined, name: undefined }),
    };
  }
  if (item === undefined) return undefined;
  const { code = null, unitOfMeasure = null, ...rest } = item;
  const fields: NewItem['fields'] = { ...rest, code, unitOfMeasure };
  return { kind: 'new', fields, more: [] };
}
