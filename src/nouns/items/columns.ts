import type { Column } from '../../core/result.ts';

export const ITEM_COLUMNS: readonly Column[] = [
  { key: 'code', header: 'CODE', priority: 3 },
  { key: 'name', header: 'NAME' },
  { key: 'id', header: 'ID', priority: 2 },
];
