import * as z from 'zod/mini';
import type { FlagSpecs } from '../../core/command-spec.ts';
import { endpoint, LIST_FIELDS, listQuery, number, text } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';

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
  query: listQuery(['createdAt', 'updatedAt', 'code']),
  response: { kind: 'list', schema: orderRow },
  fields: LIST_FIELDS,
});

export const FILTER_FLAGS = {
  status: {
    kind: 'string',
    value: 'a,b',
    doc: 'only orders with one of these statuses; case is ignored',
  },
  since: { kind: 'string', value: 'when', doc: 'only orders created since then: 30d or a date' },
  until: {
    kind: 'string',
    value: 'when',
    doc: 'only orders created up to and including this day',
  },
} as const satisfies FlagSpecs;

export const ORDER_COLUMNS: readonly Column[] = [
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'title', header: 'TITLE' },
  { key: 'status', header: 'STATUS', priority: 2 },
  { key: 'amount', header: 'AMOUNT', kind: 'amount', priority: 2 },
  { key: 'createdAt', header: 'CREATED AT', kind: 'date', priority: 0 },
  { key: 'id', header: 'ID', priority: 2 },
];
