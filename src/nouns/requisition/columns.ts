import type { Column } from '../../core/result.ts';

export const REQUISITION_COLUMNS: readonly Column[] = [
  { key: 'requisitionId', header: 'REQUISITION' },
];

export const GROUP_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'name', header: 'NAME' },
  { key: 'deliveryMethod', header: 'DELIVERY' },
];

export const LINE_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'itemId', header: 'ITEM' },
  { key: 'quantity', header: 'QUANTITY', kind: 'count' },
];
