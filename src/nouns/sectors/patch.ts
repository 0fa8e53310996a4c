import { command } from '../../command.ts';
import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import { ensureAskable } from '../../write.ts';
import { readBody } from '../shared/body.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { sectorIds } from '../shared/references/references.ts';
import { patchRecord } from '../shared/send-patch.ts';
import { bodyFields, bodyFlags, FILE_FLAG } from '../shared/write-flags.ts';
import { getSector, listSectors, patchSector, SECTOR_COLUMNS } from './index.ts';

const SECTOR = {
  sector: { doc: 'id, key or name of the sector', from: 'proc sectors list' },
} as const;

export const patch = command({
  path: ['sectors', 'patch'],
  changes: 'service',
  prints: 'record',
  summary: 'Change fields of a sector',
  description:
    'Sends only the fields that you give. proc reads the sector first and shows what changes.',
  args: SECTOR,
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
  async run(ctx, args, flags) {
    const body = await readBody(ctx, patchSector, {
      file: flags.file,
      fields: bodyFields(patchSector, flags),
    });
    if (Object.keys(body.value).length === 0) {
      throw new ProcError('invalid_usage', 'no fields to change', {
        hint: `Give at least one, e.g.: proc sectors patch ${inShell(args.sector)} --name TEXT`,
      });
    }
    const what = (name: string) => `change ${Object.keys(body.value).join(', ')} of sector ${name}`;
    await ensureAskable(ctx, patchSector, what(args.sector));
    const patch = {
      read: getSector,
      patch: patchSector,
      id: (await sectorIds(ctx, [args.sector]))(args.sector),
      body: body.value,
      what,
    };
    return patchRecord(ctx, patch, ({ value }) => ({
      kind: 'record',
      columns: SECTOR_COLUMNS,
      value,
    }));
  },
});
