import type { Column } from '../../core/result.ts';

export const SECTOR_COLUMNS: readonly Column[] = [
  { key: 'key', header: 'KEY', priority: 3 },
  { key: 'name', header: 'NAME', priority: 2 },
  { key: 'description', header: 'DESCRIPTION' },
  { key: 'id', header: 'ID', priority: 2 },
];
