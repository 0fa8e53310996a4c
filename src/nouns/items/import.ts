import { command } from '../../context.ts';
import { IMPORT_CODES } from '../../core/errors.ts';
import { IMPORT_FILE, IMPORT_FLAGS } from '../../import/import-flags.ts';
import { createItem, listItems } from './index.ts';

export const importItems = command({
  path: ['items', 'import'],
  changes: 'service',
  prints: 'record',
  summary: 'Create items from a JSON, NDJSON, CSV or .xlsx file',
  description:
    'Looks up which items exist, shows a plan and creates the rest. If it stops, continue with proc imports resume.',
  args: IMPORT_FILE,
  flags: IMPORT_FLAGS,
  examples: [
    {
      run: 'proc items import examples/items.csv --dry-run',
      doc: 'show the plan, create nothing',
    },
    {
      run: "proc items import examples/stock.csv --map code=SKU --map 'name={Model} {Color}' --set unitOfMeasure=EA --yes",
      doc: 'map columns to fields',
    },
  ],
  exitCodes: IMPORT_CODES,
  endpoints: [createItem, listItems],
  run: async (ctx, args, flags) =>
    (await import('../../import/import-file.ts')).importFile('items', args.file, flags, ctx),
});
