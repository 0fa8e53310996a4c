import type { Column } from '../../core/result.ts';

export const ADDRESS_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'formattedAddress', header: 'ADDRESS' },
  { key: 'city', header: 'CITY' },
  { key: 'country', header: 'COUNTRY' },
];
