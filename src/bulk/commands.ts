import { command } from '../core/command.ts';
import { EXIT } from '../core/exit-codes.ts';
import { WRITE_CODES } from '../resources/exit-code-sets.ts';
import { createItem, listItems } from '../resources/items/api.ts';
import { ITEM_IMPORT } from '../resources/items/import-target.ts';
import { IMPORT_FLAGS, PACE_FLAGS } from './flags.ts';

const RUN_CODES = [...WRITE_CODES, EXIT.someRejected, EXIT.incomplete] as const;
const LOCAL_CODES = [EXIT.configuration] as const;
/** Every noun that can be imported: a run says which it is. */
const TARGETS = [ITEM_IMPORT];

const DEFAULT_PRUNE_MS = 7 * 24 * 3_600_000;

const itemsImport = command({
  path: ['items', 'import'],
  summary: 'Create items from a JSON, NDJSON or CSV file',
  description:
    'Reads the file into a journal, looks up what exists, shows the plan, and creates the rest. It can be cut off at any moment and goes on with: proc imports resume. Off a terminal it needs --yes.',
  args: { file: { doc: 'JSON, NDJSON, CSV or TSV, also gzipped; - for standard input' } },
  flags: IMPORT_FLAGS,
  examples: [
    {
      run: 'proc items import examples/items.csv --dry-run',
      doc: 'the plan: what would be created',
    },
    { run: 'proc items import examples/items.csv --yes', doc: 'without a question, as scripts do' },
    {
      run: "proc items import examples/stock.csv --map code=SKU --map 'name={Model} {Color}' --set unitOfMeasure=EA --yes",
      doc: 'with a mapping',
    },
  ],
  exitCodes: RUN_CODES,
  endpoints: [createItem, listItems],
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).importFile(ITEM_IMPORT, args.file, flags, ctx),
});

const list = command({
  path: ['imports', 'list'],
  summary: 'List the import runs of this machine, the newest first',
  examples: [{ run: 'proc imports list', doc: 'what is finished and what is not' }],
  exitCodes: LOCAL_CODES,
  handler: async (_, ctx) => (await ctx.bulk()).listRuns(ctx),
});

const show = command({
  path: ['imports', 'show'],
  summary: 'Show one import run: its counts, mapping and choices',
  args: { run: { doc: 'name of the run, or its beginning or end' } },
  examples: [{ run: 'proc imports show 20260301-093000-1a2b', doc: 'one run' }],
  exitCodes: LOCAL_CODES,
  handler: async ({ args }, ctx) => (await ctx.bulk()).showRun(args.run, ctx),
});

const resume = command({
  path: ['imports', 'resume'],
  summary: 'Go on with an import that was cut off or stopped',
  description:
    'Without a name it takes the only unfinished run. Rows in doubt are looked up first; rows that are done are not touched. For a finished run it prints the summary again.',
  args: { run: { doc: 'name of the run, or its beginning or end', optional: true } },
  flags: PACE_FLAGS,
  examples: [{ run: 'proc imports resume', doc: 'the only unfinished run' }],
  exitCodes: RUN_CODES,
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).resumeRun(TARGETS, args.run, flags, ctx),
});

const discard = command({
  path: ['imports', 'discard'],
  summary: 'Forget an import run',
  description: 'What it created stays in the service; what it left in doubt is no longer known.',
  args: { run: { doc: 'name of the run, or its beginning or end' } },
  examples: [{ run: 'proc imports discard 20260301-093000-1a2b --yes', doc: 'without a question' }],
  exitCodes: LOCAL_CODES,
  handler: async ({ args }, ctx) => (await ctx.bulk()).discardRun(args.run, ctx),
});

const prune = command({
  path: ['imports', 'prune'],
  summary: 'Remove the journals of finished runs',
  flags: {
    olderThan: {
      kind: 'duration',
      value: 'time',
      doc: 'only runs that began longer ago than this, 168h unless given',
    },
  },
  examples: [{ run: 'proc imports prune --yes', doc: 'finished runs that are older than a week' }],
  exitCodes: LOCAL_CODES,
  handler: async ({ flags }, ctx) =>
    (await ctx.bulk()).pruneRuns(flags.olderThan ?? DEFAULT_PRUNE_MS, ctx),
});

export const itemsCommands = [itemsImport];
export const importsCommands = [list, show, resume, discard, prune];
