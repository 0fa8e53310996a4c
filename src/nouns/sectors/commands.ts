import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { phrase } from '../../messages/writes.ts';
import { bodyFields, bodyFlags } from '../shared/body-flags.ts';
import { DELETED_COLUMNS, deleteForGood } from '../shared/delete-for-good.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES, WRITE_CODES } from '../shared/exit-code-sets.ts';
import { FILE_FLAG } from '../shared/file-flag.ts';
import { patchShown } from '../shared/patch-shown.ts';
import { sectorIds } from '../shared/references/references.ts';
import { deleteSector, getSector, listSectors, patchSector } from './api.ts';
import { SECTOR_COLUMNS } from './columns.ts';

const SECTOR = {
  sector: { doc: 'id, key or name of the sector', from: 'proc sectors list' },
} as const;
const SECTORS = {
  sectors: { doc: 'ids, keys or names; - reads them from standard input', variadic: true },
} as const;

const list = command({
  path: ['sectors', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the sectors (rubros)',
  examples: [
    { run: 'proc sectors list', doc: 'as a table on a terminal, as JSON otherwise' },
    { run: 'proc sectors list -o id', doc: 'the ids alone' },
  ],
  exitCodes: READ_CODES,
  endpoints: [listSectors],
  async handler(_, ctx) {
    const rows = await ctx.call(listSectors, {});
    return { kind: 'rows', columns: SECTOR_COLUMNS, rows, empty: 'No sectors.' };
  },
});

const get = command({
  path: ['sectors', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show sectors',
  args: SECTORS,
  examples: [
    { run: 'proc sectors get sec-1', doc: 'by id' },
    { run: 'proc sectors get road-bikes sec-3 -o json', doc: 'two, by key and by id, as JSON' },
    {
      run: 'proc sectors list -o id | proc sectors get -',
      doc: 'those that another command names',
    },
  ],
  exitCodes: READ_CODES,
  endpoints: [getSector, listSectors],
  async handler({ args }, ctx) {
    const read = (id: string): Promise<Row> => ctx.call(getSector, { params: { id } });
    return eachId(ctx, args.sectors, SECTOR_COLUMNS, read, {
      resolve: (refs) => sectorIds(ctx, refs),
    });
  },
});

const patch = command({
  path: ['sectors', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of a sector',
  description:
    'Only the fields that you give are sent; --merge sends key, name and description whole, for services that take a change as a replacement. The sector is read first, and what changes is shown.',
  args: SECTOR,
  flags: {
    ...FILE_FLAG,
    ...bodyFlags(patchSector),
    merge: { kind: 'boolean', doc: 'send the other fields too, as they are' },
  },
  examples: [
    { run: 'proc sectors patch sec-1 --name "Mountain bikes"', doc: 'one field' },
    {
      run: 'proc sectors patch sec-1 --key mtb --description "Bikes for trails"',
      doc: 'two fields',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [patchSector, getSector, listSectors],
  async handler({ args, flags }, ctx) {
    const body = await ctx.body(patchSector, {
      file: flags.file,
      fields: bodyFields(patchSector, flags),
    });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'nothing to change: no field was given', {
        hint: `For instance: proc sectors patch ${inShell(args.sector)} --name TEXT`,
      });
    }
    const what = phrase('patchSector', args.sector, Object.keys(body.value).join(', '));
    await ctx.ensureAskable({ what, weight: 'patch' });
    const { value } = await patchShown(ctx, {
      read: getSector,
      patch: patchSector,
      id: (await sectorIds(ctx, [args.sector]))(args.sector),
      body: body.value,
      what,
      whole: flags.merge ? ['key', 'name', 'description'] : [],
    });
    return { kind: 'record', columns: SECTOR_COLUMNS, value };
  },
});

const remove = command({
  path: ['sectors', 'delete'],
  changes: 'service',
  prints: 'list',
  summary: 'Delete sectors, for good',
  description:
    'The service shows no way to create a sector: this cannot be undone. The sector is read and shown first; off a terminal --yes is needed.',
  args: SECTORS,
  examples: [
    { run: 'proc sectors delete sec-9', doc: 'shows it and asks' },
    { run: 'proc sectors delete sec-8 --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [deleteSector, getSector, listSectors],
  async handler({ args }, ctx) {
    const endpoints = { read: getSector, remove: deleteSector };
    return eachId(
      ctx,
      args.sectors,
      DELETED_COLUMNS,
      (id) => deleteForGood(ctx, endpoints, id, phrase('deleteSector', id)),
      {
        begin: (first, others) =>
          ctx.ensureAskable({
            what: phrase('deleteSectors', first, others),
            weight: 'delete',
            irreversible: true,
          }),
        resolve: (refs) => sectorIds(ctx, refs),
      },
    );
  },
});

export const commands = [list, get, patch, remove];
