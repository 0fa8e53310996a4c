import { command } from '../../command.ts';
import { eachId } from '../shared/each-id.ts';
import { READ_CODES } from '../shared/exit-code-sets.ts';
import { sectorIds } from '../shared/references/references.ts';
import { getSector, listSectors, SECTOR_COLUMNS } from './index.ts';
import { SECTORS } from './sector-args.ts';

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
  async run(ctx, args) {
    return eachId(
      ctx,
      {
        ...{ refs: args.sectors, columns: SECTOR_COLUMNS, reads: getSector },
        resolve: (refs) => sectorIds(ctx, refs),
      },
      async (id, record) => record(await ctx.http().call(getSector, { params: { id } })),
    );
  },
});
