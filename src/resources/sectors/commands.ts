import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { phrase } from '../../messages/writes.ts';
import { bodyFields, bodyFlags } from '../body-flags.ts';
import { deleteForGood } from '../delete-for-good.ts';
import { READ_CODES, WRITE_CODES } from '../exit-code-sets.ts';
import { FILE_FLAG } from '../file-flag.ts';
import { patchShown } from '../patch-shown.ts';
import { deleteSector, getSector, listSectors, patchSector } from './api.ts';
import { SECTOR_COLUMNS } from './columns.ts';

const ID = { id: { doc: 'id of the sector' } } as const;

const list = command({
  path: ['sectors', 'list'],
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
  summary: 'Show a sector',
  args: ID,
  examples: [
    { run: 'proc sectors get sec-1', doc: 'by id' },
    { run: 'proc sectors get sec-1 -o json', doc: 'as JSON' },
  ],
  exitCodes: READ_CODES,
  endpoints: [getSector],
  async handler({ args }, ctx) {
    const value = await ctx.call(getSector, { params: { id: args.id } });
    return { kind: 'record', columns: SECTOR_COLUMNS, value };
  },
});

const patch = command({
  path: ['sectors', 'patch'],
  summary: 'Change fields of a sector',
  description:
    'Only the fields that you give are sent; --merge sends key, name and description whole, for services that take a change as a replacement. The sector is read first, and what changes is shown.',
  args: ID,
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
  endpoints: [patchSector, getSector],
  async handler({ args, flags }, ctx) {
    const body = await ctx.body(patchSector, {
      file: flags.file,
      fields: bodyFields(patchSector, flags),
    });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'nothing to change: no field was given', {
        hint: `For instance: proc sectors patch ${args.id} --name TEXT`,
      });
    }
    const { value } = await patchShown(ctx, {
      read: getSector,
      patch: patchSector,
      id: args.id,
      body: body.value,
      what: phrase('patchSector', args.id, Object.keys(body.value).join(', ')),
      whole: flags.merge ? ['key', 'name', 'description'] : [],
    });
    return { kind: 'record', columns: SECTOR_COLUMNS, value };
  },
});

const remove = command({
  path: ['sectors', 'delete'],
  summary: 'Delete a sector, for good',
  description:
    'The service shows no way to create a sector: this cannot be undone. The sector is read and shown first; off a terminal --yes is needed.',
  args: ID,
  examples: [
    { run: 'proc sectors delete sec-9', doc: 'shows it and asks' },
    { run: 'proc sectors delete sec-8 --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [deleteSector, getSector],
  handler: ({ args }, ctx) =>
    deleteForGood(
      ctx,
      { read: getSector, remove: deleteSector },
      args.id,
      phrase('deleteSector', args.id),
    ),
});

export const commands = [list, get, patch, remove];
