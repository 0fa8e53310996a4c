import * as z from 'zod/mini';
import { endpoint } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';
import { LIST_FIELDS, listQuery, number, text } from '../shared/response-fields.ts';

const orderRow = z.looseObject({
  id: text,
  code: text,
  status: text,
  amount: number,
  currency: text,
  title: text,
});

export const listOrders = endpoint({
  id: 'orders.list',
  method: 'GET',
  path: '/orders/',
  params: {},
  query: listQuery(['createdAt', 'updatedAt', 'code']),
  response: { kind: 'list', schema: orderRow },
  doc: {
    summary: 'List the purchase orders of the organization.',
    source: '§4 row 7, §2 Order',
    fields: LIST_FIELDS,
  },
});

export const ORDER_COLUMNS: readonly Column[] = [
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'title', header: 'TITLE' },
  { key: 'status', header: 'STATUS', priority: 2 },
  { key: 'amount', header: 'AMOUNT', kind: 'amount', priority: 2 },
  { key: 'createdAt', header: 'CREATED AT', kind: 'date', priority: 0 },
  { key: 'id', header: 'ID', priority: 2 },
];
