import { command } from '../../context.ts';
import { IMPORT_CODES } from '../../core/errors.ts';
import { IMPORT_FILE, REQUISITION_FLAGS } from '../../import/import-flags.ts';
import { listItems } from '../items/index.ts';
import { createRequisition } from './index.ts';

export const importRequisitions = command({
  path: ['requisition', 'import'],
  changes: 'service',
  prints: 'record',
  summary: 'Create requisitions from a file of payloads or flat rows',
  description:
    'Reads one payload per record of JSON or NDJSON. With --group-by, flat rows with the same value in a column form one requisition.',
  args: IMPORT_FILE,
  flags: REQUISITION_FLAGS,
  examples: [
    {
      run: 'proc requisition import examples/requisitions.ndjson --yes',
      doc: 'one payload per line',
    },
    {
      run: 'proc requisition import examples/requisition-rows.csv --group-by Request --map title=Request --map item.name=Part --map quantity=Qty --set group.deliveryMethod=pickup --yes',
      doc: 'flat rows, one requisition per value of Request',
    },
  ],
  exitCodes: IMPORT_CODES,
  endpoints: [createRequisition, listItems],
  run: async (ctx, args, flags) =>
    (await import('../../import/import-file.ts')).importFile('requisitions', args.file, flags, ctx),
});
