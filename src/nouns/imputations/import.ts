import { command } from '../../context.ts';
import { IMPORT_CODES } from '../../core/errors.ts';
import { IMPORT_FILE, IMPUTATION_FLAGS } from '../../import/import-flags.ts';
import { listOrders } from '../orders/index.ts';
import { createImputation } from './index.ts';

export const importImputations = command({
  path: ['imputations', 'import'],
  changes: 'service',
  prints: 'record',
  summary: 'Record cost allocations from a JSON, NDJSON, CSV or .xlsx file',
  description:
    '--map order=COLUMN finds orders by code. An amount without a currency is in the currency of its order.',
  args: IMPORT_FILE,
  flags: IMPUTATION_FLAGS,
  examples: [
    {
      run: 'proc imputations import examples/imputations.csv --map order=PO --yes',
      doc: 'find orders by code',
    },
    {
      run: 'proc imputations import examples/imputations.csv --map order=PO --dry-run',
      doc: 'show the plan, send nothing',
    },
  ],
  exitCodes: IMPORT_CODES,
  endpoints: [createImputation, listOrders],
  run: async (ctx, args, flags) =>
    (await import('../../import/import-file.ts')).importFile('imputations', args.file, flags, ctx),
});
