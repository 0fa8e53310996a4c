import * as z from 'zod/mini';
import { endpoint, text, texts } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';

const sectorRow = z.looseObject({ id: text, key: text, name: text, description: text });

/** Some services accept the key of a sector in the path, instead of its id. */
const NAMES = ['id', 'key'];

export const listSectors = endpoint({
  id: 'sectors.list',
  method: 'GET',
  path: '/sectors/',
  response: { kind: 'list', schema: sectorRow },
});

export const getSector = endpoint({
  id: 'sectors.get',
  method: 'GET',
  path: '/sectors/{id}',
  response: { kind: 'record', schema: sectorRow, identifiedBy: NAMES },
});

export const patchSector = endpoint({
  id: 'sectors.patch',
  method: 'PATCH',
  path: '/sectors/{id}',
  body: z.object(texts('key', 'name', 'description')),
  response: { kind: 'record', schema: sectorRow, identifiedBy: NAMES },
  fields: { key: 'short key', name: 'name', description: 'description' },
});

export const deleteSector = endpoint({
  id: 'sectors.delete',
  method: 'DELETE',
  path: '/sectors/{id}',
  response: { kind: 'none' },
});

/** The argument of commands for several sectors. */
export const SECTORS = {
  sectors: { doc: 'ids, keys or names; - for stdin', variadic: true, from: 'proc sectors list' },
} as const;

export const SECTOR_COLUMNS: readonly Column[] = [
  { key: 'key', header: 'KEY', priority: 3 },
  { key: 'name', header: 'NAME', priority: 2 },
  { key: 'description', header: 'DESCRIPTION' },
  { key: 'id', header: 'ID', priority: 2 },
];
