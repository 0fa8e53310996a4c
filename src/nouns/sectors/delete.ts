import { command } from '../../command.ts';
import { ensureAskable } from '../../write.ts';
import { DELETED_COLUMNS, deleteRecord } from '../shared/delete-record.ts';
import { eachId } from '../shared/each-id.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { sectorIds } from '../shared/references/references.ts';
import { deleteSector, getSector, listSectors } from './index.ts';
import { SECTORS } from './sector-args.ts';

export const remove = command({
  path: ['sectors', 'delete'],
  changes: 'service',
  prints: 'list',
  summary: 'Delete sectors permanently',
  description:
    'You cannot undo this: the contract has no way to create a sector. proc reads and shows the sector first. In a script, add --yes.',
  args: SECTORS,
  examples: [
    { run: 'proc sectors delete sec-9', doc: 'show it and ask' },
    { run: 'proc sectors delete sec-8 --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [deleteSector, getSector, listSectors],
  async run(ctx, args) {
    const endpoints = { read: getSector, remove: deleteSector };
    return eachId(
      ctx,
      {
        refs: args.sectors,
        columns: DELETED_COLUMNS,
        begin: (first, others) =>
          ensureAskable(
            ctx,
            deleteSector,
            `delete sector ${first}${others === 0 ? '' : ` and ${others} more`}`,
          ),
        resolve: (refs) => sectorIds(ctx, refs),
      },
      (id, record) =>
        deleteRecord(ctx, { ...endpoints, id, what: (name) => `delete sector ${name}` }, record),
    );
  },
});
