import * as z from 'zod/mini';
import { endpoint, LIST_FIELDS, listQuery, text, texts } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';

export const ITEM_FIELDS = {
  name: 'name of the item',
  code: 'code of the item in your systems',
  description: 'free text',
  unitOfMeasure: 'unit of measure, e.g. EA or KG',
  brand: 'brand',
  material: 'material',
  certification: 'certification',
  type: 'type',
  title: 'title',
  attributes: 'sent unchanged, null included; the contract does not state the type',
} as const;

const OPTIONAL = texts(
  ...([
    'code',
    'description',
    'unitOfMeasure',
    'brand',
    'material',
    'certification',
    'type',
  ] as const),
);

/** A new item, defined in place inside a requisition (docs/service-contract.md §2 InventoryItemPayload). */
export const inventoryItemPayload = z.object({ name: z.string(), ...OPTIONAL });

/**
 * The contract does not say which fields are required (docs/service-contract.md §2 Item), so all are
 * optional here.
 */
const itemBody = z.object({
  ...texts('name'),
  ...OPTIONAL,
  ...texts('title'),
  attributes: z.optional(z.unknown()),
});

/** An item may have neither code nor name: the contract does not require them, and has no null for them. */
const itemRow = z.looseObject({ id: text, name: text, code: text });

export const listItems = endpoint({
  id: 'items.list',
  method: 'GET',
  path: '/items/',
  query: listQuery(['name', 'code']),
  response: { kind: 'list', schema: itemRow },
  fields: LIST_FIELDS,
});

export const createItem = endpoint({
  id: 'items.create',
  method: 'POST',
  path: '/items/',
  body: itemBody,
  response: { kind: 'record', schema: itemRow, created: 'id' },
  fields: ITEM_FIELDS,
});

export const ITEM_COLUMNS: readonly Column[] = [
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'name', header: 'NAME' },
  { key: 'id', header: 'ID', priority: 2 },
];
