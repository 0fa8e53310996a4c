import * as z from 'zod/mini';
import { endpoint } from '../../core/endpoint.ts';
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
