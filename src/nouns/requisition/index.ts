import * as z from 'zod/mini';
import { endpoint, text, texts } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';
import { ITEM_FIELDS, inventoryItemPayload } from '../items/index.ts';

const deliveryMethod = z.enum(['pickup', 'delivery']);

/** `quantity` of a group item: an integer strictly greater than 0 (docs/service-contract.md §8). */
const quantity = z.int().check(z.gt(0));

/**
 * An existing item in `itemId`, or a new item in `item` (docs/service-contract.md §2 GroupItemCreate).
 * The API does not say what happens with both fields, or with neither. The schema accepts these cases, and
 * commands warn or refuse.
 */
const groupItemCreate = z.object({
  quantity,
  itemId: z.optional(z.string()),
  item: z.optional(inventoryItemPayload),
});

const groupPayload = z.object({
  name: z.optional(z.string()),
  deliveryMethod,
  addressId: z.optional(z.string()),
  items: z.array(groupItemCreate),
});

const groupRow = z.looseObject({ id: text, name: text, deliveryMethod: z.nullish(deliveryMethod) });
const lineRow = z.looseObject({ id: text, quantity: z.nullish(z.int()), itemId: text });

export const createRequisition = endpoint({
  id: 'requisitions.create',
  method: 'POST',
  path: '/requisitions/',
  body: z.object({
    title: z.string(),
    ...texts('type', 'sector', 'code'),
    groups: z.array(groupPayload).check(z.minLength(1)),
  }),
  response: {
    kind: 'record',
    schema: z.looseObject({ requisitionId: text }),
    created: 'requisitionId',
  },
  fields: {
    title: 'title',
    type: 'type',
    sector: 'sector (rubro)',
    code: 'your code for the requisition',
    groups: 'at least one group: name, deliveryMethod (pickup or delivery), addressId, items',
    'groups[].name': 'name of the group',
    'groups[].deliveryMethod': 'pickup or delivery',
    'groups[].addressId': 'id of the delivery address',
    'groups[].items': 'line items',
    'groups[].items[].quantity': 'quantity, an integer above 0',
    'groups[].items[].itemId': 'id of an existing item; or define a new one in "item"',
    'groups[].items[].item': 'a new item, defined in place; or refer to one by "itemId"',
    'groups[].items[].item.name': ITEM_FIELDS.name,
    'groups[].items[].item.code': ITEM_FIELDS.code,
    'groups[].items[].item.description': ITEM_FIELDS.description,
    'groups[].items[].item.unitOfMeasure': ITEM_FIELDS.unitOfMeasure,
  },
});

export const addGroup = endpoint({
  id: 'requisitions.group-add',
  method: 'POST',
  path: '/requisitions/{id}/groups',
  body: z.object(texts('name', 'addressId')),
  response: { kind: 'record', schema: groupRow, created: 'id' },
  fields: { name: 'name of the group', addressId: 'id of the delivery address' },
});

export const removeGroup = endpoint({
  id: 'requisitions.group-remove',
  method: 'DELETE',
  path: '/requisitions/{id}/groups/{groupId}',
  response: { kind: 'none' },
});

export const addLine = endpoint({
  id: 'requisitions.item-add',
  method: 'POST',
  path: '/requisitions/{id}/groups/{groupId}/items',
  body: z.object({ quantity, itemId: z.optional(z.string()) }),
  response: { kind: 'record', schema: lineRow, created: 'id' },
  fields: { quantity: 'quantity, an integer above 0', itemId: 'id of an existing item' },
});

export const listLines = endpoint({
  id: 'requisitions.item-list',
  method: 'GET',
  path: '/requisitions/{id}/groups/{groupId}/items',
  response: { kind: 'list', schema: lineRow },
});

export const removeLine = endpoint({
  id: 'requisitions.item-remove',
  method: 'DELETE',
  path: '/requisitions/{id}/groups/{groupId}/items/{itemId}',
  response: { kind: 'none' },
});

export const REQUISITION_COLUMNS: readonly Column[] = [
  { key: 'requisitionId', header: 'REQUISITION' },
];

export const GROUP_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'name', header: 'NAME' },
  { key: 'deliveryMethod', header: 'DELIVERY' },
];

export const LINE_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'itemId', header: 'ITEM' },
  { key: 'quantity', header: 'QUANTITY', kind: 'count' },
];
