import type { Column } from '../../core/result.ts';

export const ORDER_COLUMNS: readonly Column[] = [
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'title', header: 'TITLE' },
  { key: 'status', header: 'STATUS', kind: 'status', priority: 2 },
  { key: 'amount', header: 'AMOUNT', kind: 'amount', priority: 2 },
  { key: 'createdAt', header: 'CREATED AT', kind: 'date', priority: 0 },
  { key: 'id', header: 'ID', priority: 2 },
];
