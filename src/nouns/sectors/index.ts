import * as z from 'zod/mini';
import { endpoint } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';
import { text } from '../shared/response-fields.ts';

const sectorRow = z.looseObject({ id: text, key: text, name: text, description: text });

/** Some services accept the key of a sector in the path, instead of its id. */
const NAMES = ['id', 'key'];

const PARAMS = { id: 'the sector' } as const;

export const listSectors = endpoint({
  id: 'sectors.list',
  method: 'GET',
  path: '/sectors/',
  params: {},
  response: { kind: 'list', schema: sectorRow },
  doc: { summary: 'List the sectors (rubros).', source: '§4 row 11, §2 Sector' },
});

export const getSector = endpoint({
  id: 'sectors.get',
  method: 'GET',
  path: '/sectors/{id}',
  params: PARAMS,
  response: { kind: 'record', schema: sectorRow, identifiedBy: NAMES },
  doc: { summary: 'Show a sector.', source: '§4 row 12, §2 Sector' },
});

export const patchSector = endpoint({
  id: 'sectors.patch',
  method: 'PATCH',
  path: '/sectors/{id}',
  params: PARAMS,
  body: z.object({
    key: z.optional(z.string()),
    name: z.optional(z.string()),
    description: z.optional(z.string()),
  }),
  response: { kind: 'record', schema: sectorRow, identifiedBy: NAMES },
  doc: {
    summary: 'Change fields of a sector; only the fields given are sent.',
    source: '§4 row 13, §2 Sector',
    fields: { key: 'short key', name: 'name', description: 'description' },
  },
});

export const deleteSector = endpoint({
  id: 'sectors.delete',
  method: 'DELETE',
  path: '/sectors/{id}',
  params: PARAMS,
  response: { kind: 'none' },
  doc: {
    summary: 'Delete a sector. The contract has no way to create it again.',
    source: '§4 row 14',
  },
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
