import { createItem, listItems } from '../../nouns/items/index.ts';
import type { ImportTarget } from './import-target.ts';

/** Items (docs/service-contract.md §2 Item, §4 rows 8 and 9). The contract requires no field. */
export const ITEM_IMPORT: ImportTarget = {
  noun: 'items',
  one: 'item',
  many: 'items',
  create: createItem,
  fields: {
    fields: [
      { name: 'name', kind: 'string', required: true },
      { name: 'code', kind: 'string', required: true },
      { name: 'description', kind: 'string' },
      { name: 'unitOfMeasure', kind: 'string' },
      { name: 'brand', kind: 'string' },
      { name: 'material', kind: 'string' },
      { name: 'certification', kind: 'string' },
      { name: 'type', kind: 'string' },
      { name: 'title', kind: 'string' },
      { name: 'attributes', kind: 'any' },
    ],
  },
  keyField: 'code',
  listing: { endpoint: listItems, sort: 'code', idField: 'id', nameField: 'name' },
};
