import { command } from '../../context.ts';
import { READ_CODES } from '../../core/errors.ts';
import { eachRecord } from '../shared/each-record.ts';
import { recordsMeant } from '../shared/references.ts';
import { getSector, listSectors, SECTOR_COLUMNS, SECTORS } from './index.ts';

export const get = command({
  path: ['sectors', 'get'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show sectors',
  args: SECTORS,
  examples: [
    { run: 'proc sectors get sec-1', doc: 'by id' },
    {
      run: 'proc sectors get road-bikes sec-3 -o json',
      doc: 'two sectors, by key and by id, as JSON',
    },
    {
      run: 'proc sectors list -o id | proc sectors get -',
      doc: 'ids from another command',
    },
  ],
  exitCodes: READ_CODES,
  endpoints: [getSector, listSectors],
  run: (ctx, { sectors }) =>
    eachRecord(
      ctx,
      {
        ...{ refs: sectors, columns: SECTOR_COLUMNS, reads: getSector },
        resolve: (refs) => recordsMeant(ctx, listSectors, refs),
      },
      async (id, _known, record) => record(await ctx.http().call(getSector, { params: { id } })),
    ),
});
