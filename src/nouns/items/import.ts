import { command } from '../../core/command.ts';
import { IMPORT_FILE } from '../../import/import-args.ts';
import { IMPORT_FLAGS } from '../../import/import-flags.ts';
import { ITEM_IMPORT } from '../../import/targets/item-import.ts';
import { IMPORT_CODES } from '../shared/exit-code-sets.ts';
import { createItem, listItems } from './api.ts';

export const importItems = command({
  path: ['items', 'import'],
  changes: 'service',
  prints: 'record',
  filtersSource: true,
  summary: 'Create items from a JSON, NDJSON or CSV file',
  description:
    'Reads the file into a journal, looks up what exists, shows the plan, and creates the rest. It can be cut off at any moment and goes on with: proc imports resume. Off a terminal it needs --yes.',
  args: IMPORT_FILE,
  flags: IMPORT_FLAGS,
  examples: [
    {
      run: 'proc items import examples/items.csv --dry-run',
      doc: 'the plan: what would be created',
    },
    { run: 'proc items import examples/items.csv --yes', doc: 'without a question, as scripts do' },
    {
      run: "proc items import examples/stock.csv --where Color=Black --map code=SKU --map 'name={Model} {Color}' --dry-run",
      doc: 'rows of the file that meet a condition',
    },
    {
      run: "proc items import examples/stock.csv --map code=SKU --map 'name={Model} {Color}' --set unitOfMeasure=EA --yes",
      doc: 'with a mapping',
    },
  ],
  exitCodes: IMPORT_CODES,
  endpoints: [createItem, listItems],
  needs: ['io', 'api', 'lookup', 'ask', 'store', 'self'],
  run: async ({ args, flags }, ports) =>
    (await import('../../import/run.ts')).startRun(ITEM_IMPORT, args.file, flags, ports),
});
