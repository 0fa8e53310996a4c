import { command } from '../../context.ts';
import { WRITE_CODES } from '../../core/errors.ts';
import { bodyFlags, FILE_FLAG } from '../shared/body.ts';
import { patchRecord } from '../shared/patch-record.ts';
import { recordsMeant } from '../shared/references.ts';
import { getSector, listSectors, patchSector, SECTOR_COLUMNS } from './index.ts';

export const patch = command({
  path: ['sectors', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of a sector',
  description:
    'Sends only the fields that you give. proc reads the sector first and shows what changes.',
  args: { sector: { doc: 'id, key or name of the sector', from: 'proc sectors list' } },
  flags: { ...FILE_FLAG, ...bodyFlags(patchSector) },
  examples: [
    { run: 'proc sectors patch sec-1 --name "Mountain bikes"', doc: 'change one field' },
    {
      run: 'proc sectors patch sec-1 --key mtb --description "Bikes for trails"',
      doc: 'change two fields',
    },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [patchSector, getSector, listSectors],
  run(ctx, { sector }, flags) {
    const sectors = {
      ...({ noun: 'sector', read: getSector, patch: patchSector } as const),
      resolve: (refs: readonly string[]) => recordsMeant(ctx, listSectors, refs),
    };
    return patchRecord(ctx, sector, flags, sectors, ({ value }) => ({
      kind: 'record',
      columns: SECTOR_COLUMNS,
      value,
    }));
  },
});
