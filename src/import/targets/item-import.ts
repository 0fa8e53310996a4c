import { createItem, listItems } from '../../nouns/items/index.ts';
import { type ImportTarget, texts } from './import-target.ts';

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
      ...texts(
        'description',
        'unitOfMeasure',
        'brand',
        'material',
        'certification',
        'type',
        'title',
      ),
      { name: 'attributes', kind: 'any' },
    ],
  },
  keyField: 'code',
  listing: { endpoint: listItems, sort: 'code', idField: 'id', nameField: 'name' },
};
