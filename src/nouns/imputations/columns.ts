import type { Column } from '../../core/result.ts';

export const IMPUTATION_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'reference', header: 'REFERENCE' },
  { key: 'orderId', header: 'ORDER' },
  { key: 'account', header: 'ACCOUNT' },
  { key: 'amount', header: 'AMOUNT', kind: 'amount' },
];
