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
  needs: ['io', 'api', 'lookup', 'store', 'self'],
  async run({ args }, ports) {
    const endpoints = { read: getSector, remove: deleteSector };
    return eachId(
      ports,
      args.sectors,
      DELETED_COLUMNS,
      (id) => deleteForGood(ports, endpoints, id, phrase('deleteSector', id)),
      {
        begin: (first, others) =>
          ports.api.ensureAskable({
            what: phrase('deleteSectors', first, others),
            weight: 'delete',
            irreversible: true,
          }),
        resolve: (refs) => sectorIds(ports, refs),
      },
    );
  },
});
