import type { Column } from '../../core/result.ts';

export const ADDRESS_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'formattedAddress', header: 'ADDRESS' },
  { key: 'city', header: 'CITY' },
  { key: 'country', header: 'COUNTRY' },
];

export const ALIAS_COLUMNS: readonly Column[] = [
  { key: 'alias', header: 'ALIAS' },
  { key: 'id', header: 'ID' },
];
