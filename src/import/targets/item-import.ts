import { createItem, listItems } from '../../nouns/items/api.ts';
import type { ImportTarget } from './import-target.ts';
import { ITEM_IMPORT_FIELDS } from './item-fields.ts';

/** Items (docs/service-contract.md §2 Item, §4 rows 8 and 9). */
export const ITEM_IMPORT: ImportTarget = {
  noun: 'items',
  one: 'item',
  many: 'items',
  create: createItem,
  fields: ITEM_IMPORT_FIELDS,
  keyField: 'code',
  needed: [
    {
      fields: ['name'],
      problem: 'item_without_name',
      finding: 'unmapped_name',
    },
  ],
  listing: { endpoint: listItems, sort: 'code', idField: 'id', nameField: 'name' },
};
