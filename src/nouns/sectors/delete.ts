import { command } from '../../context.ts';
import { EXIT, WRITE_CODES } from '../../core/errors.ts';
import { deleteRecords } from '../shared/delete-records.ts';
import { recordsMeant } from '../shared/references.ts';
import { deleteSector, getSector, listSectors, SECTORS } from './index.ts';

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
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  endpoints: [deleteSector, getSector, listSectors],
  run: (ctx, { sectors }) =>
    deleteRecords(ctx, sectors, {
      ...{ noun: 'sector', read: getSector, remove: deleteSector },
      resolve: (refs) => recordsMeant(ctx, listSectors, refs),
    }),
});
