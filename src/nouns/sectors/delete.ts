import { command } from '../../core/command.ts';
import { phrase } from '../../messages/writes.ts';
import { DELETED_COLUMNS, deleteForGood } from '../shared/delete-for-good.ts';
import { eachId } from '../shared/each-id.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { sectorIds } from '../shared/references/references.ts';
import { deleteSector, getSector, listSectors } from './api.ts';
import { SECTORS } from './sector-args.ts';

export const remove = command({
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
