import * as z from 'zod/mini';
import { endpoint, number, text, texts } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';

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
  body: z.object({
    ...texts('reference', 'account'),
    amount: z.optional(z.number()),
    ...texts('contractId', 'orderId', 'currency', 'notes'),
    createdAt: z.optional(z.unknown()),
    updatedAt: z.optional(z.unknown()),
  }),
  response: { kind: 'record', schema: imputationRow, created: 'id' },
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
});

export const IMPUTATION_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'reference', header: 'REFERENCE' },
  { key: 'orderId', header: 'ORDER' },
  { key: 'account', header: 'ACCOUNT' },
  { key: 'amount', header: 'AMOUNT', kind: 'amount' },
];
