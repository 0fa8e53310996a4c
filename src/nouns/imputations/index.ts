import * as z from 'zod/mini';
import { endpoint } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';
import { number, text } from '../shared/response-fields.ts';

const imputationRow = z.looseObject({
  id: text,
  reference: text,
  orderId: text,
  account: text,
  amount: number,
  currency: text,
});

export const createImputation = endpoint({
  id: 'imputations.create',
  method: 'POST',
  path: '/imputations/',
  params: {},
  body: z.object({
    reference: z.optional(z.string()),
    account: z.optional(z.string()),
    amount: z.optional(z.number()),
    contractId: z.optional(z.string()),
    orderId: z.optional(z.string()),
    currency: z.optional(z.string()),
    notes: z.optional(z.string()),
    createdAt: z.optional(z.unknown()),
    updatedAt: z.optional(z.unknown()),
  }),
  response: { kind: 'record', schema: imputationRow, created: 'id' },
  doc: {
    summary: 'Record a cost allocation against an order or a contract.',
    source: '§4 row 10, §2 Imputation',
    fields: {
      reference: 'your reference',
      account: 'account to charge',
      amount: 'amount, in units of the currency',
      contractId: 'id of the contract',
      orderId: 'id of the order',
      currency: 'currency of the amount, e.g. USD',
      notes: 'free text',
      createdAt: 'sent unchanged, null included; the contract does not state the type',
      updatedAt: 'sent unchanged, null included; the contract does not state the type',
    },
  },
});

export const IMPUTATION_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'reference', header: 'REFERENCE' },
  { key: 'orderId', header: 'ORDER' },
  { key: 'account', header: 'ACCOUNT' },
  { key: 'amount', header: 'AMOUNT', kind: 'amount' },
];
