import { createImputation } from '../../nouns/imputations/index.ts';
import { type ImportTarget, texts } from './import-target.ts';

/**
 * Imputations (docs/service-contract.md §2 Imputation, §4 row 10). The service cannot list them:
 * only the ledger of this machine knows what was sent.
 */
export const IMPUTATION_IMPORT: ImportTarget = {
  noun: 'imputations',
  one: 'imputation',
  many: 'imputations',
  create: createImputation,
  keyField: 'reference',
  isChecked: true,
  needed: [['order', 'orderId', 'contractId']],
  references: [
    { field: 'orderId', to: 'order', copies: 'currency' },
    { field: 'order', into: 'orderId', to: 'order', copies: 'currency' },
  ],
  fields: {
    fields: [
      { name: 'reference', kind: 'string' },
      { name: 'account', kind: 'string', required: true },
      { name: 'amount', kind: 'number', required: true, currency: 'currency' },
      ...texts('contractId', 'orderId', 'order', 'currency', 'notes'),
      { name: 'createdAt', kind: 'any' },
      { name: 'updatedAt', kind: 'any' },
    ],
  },
};
