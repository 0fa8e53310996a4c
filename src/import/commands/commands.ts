import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { parseMoment } from '../../core/time/moment.ts';
import { createImputation } from '../../nouns/imputations/api.ts';
import { createItem, listItems } from '../../nouns/items/api.ts';
import { listOrders } from '../../nouns/orders/api.ts';
import { createRequisition } from '../../nouns/requisition/api.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import {
  IMPORT_FLAGS,
  IMPUTATION_FLAGS,
  REQUISITION_FLAGS,
  RESUME_FLAGS,
} from '../import-flags.ts';
import { IMPUTATION_IMPORT } from '../targets/imputation-import.ts';
import { ITEM_IMPORT } from '../targets/item-import.ts';
import { REQUISITION_IMPORT } from '../targets/requisition-import.ts';

const RUN_CODES = [...WRITE_CODES, EXIT.someRejected, EXIT.incomplete] as const;
const LOCAL_CODES = [EXIT.configuration] as const;
/** Every noun that can be imported: a run says which it is. */
const TARGETS = [ITEM_IMPORT, REQUISITION_IMPORT, IMPUTATION_IMPORT];

const RUN = { doc: 'name of the run, or its beginning or end', from: 'proc imports list' } as const;

const KEPT_BY_DEFAULT = '7d';

const FILE = {
  file: { doc: 'JSON, NDJSON, CSV, TSV, also gzipped, or .xlsx; - for standard input' },
} as const;

const NOT_LISTED =
  'They cannot be listed: a row whose outcome is not known stays in doubt until you say what became of it (proc imports resolve), and rows that were sent before are recognised from the state folder of this machine alone.';

const requisitionImport = command({
  path: ['requisition', 'import'],
  changes: 'service',
  prints: 'record',
  filtersSource: true,
  summary: 'Create requisitions from payloads, or from flat rows',
  description: `One payload per record of JSON or NDJSON; or, with --group-by, flat rows of which those with the same value make one requisition: title, type, sector, code, group.name, group.deliveryMethod, group.address (an alias), item.code or item.name, quantity. ${NOT_LISTED}`,
  args: FILE,
  flags: REQUISITION_FLAGS,
  examples: [
    { run: 'proc requisition import examples/requisitions.ndjson --yes', doc: 'payloads' },
    {
      run: 'proc requisition import examples/requisition-rows.csv --group-by Request --map title=Request --map item.name=Part --map quantity=Qty --set group.deliveryMethod=pickup --yes',
      doc: 'flat rows: one requisition per value of Request',
    },
  ],
  exitCodes: RUN_CODES,
  endpoints: [createRequisition, listItems],
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).importFile(REQUISITION_IMPORT, args.file, flags, ctx),
});

const imputationsImport = command({
  path: ['imputations', 'import'],
  changes: 'service',
  prints: 'record',
  filtersSource: true,
  summary: 'Record cost allocations from a JSON, NDJSON, CSV or .xlsx file',
  description: `--map order=COLUMN finds orders by their codes; --set currency=@order.currency takes a field of the order. ${NOT_LISTED}`,
  args: FILE,
  flags: IMPUTATION_FLAGS,
  examples: [
    {
      run: 'proc imputations import examples/imputations.csv --map order=PO --set currency=@order.currency --yes',
      doc: 'orders by code, in the currency of each order',
    },
    {
      run: 'proc imputations import examples/imputations.csv --map order=PO --set currency=@order.currency --dry-run',
      doc: 'the plan alone',
    },
  ],
  exitCodes: RUN_CODES,
  endpoints: [createImputation, listOrders],
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).importFile(IMPUTATION_IMPORT, args.file, flags, ctx),
});

const itemsImport = command({
  path: ['items', 'import'],
  changes: 'service',
  prints: 'record',
  filtersSource: true,
  summary: 'Create items from a JSON, NDJSON or CSV file',
  description:
    'Reads the file into a journal, looks up what exists, shows the plan, and creates the rest. It can be cut off at any moment and goes on with: proc imports resume. Off a terminal it needs --yes.',
  args: FILE,
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
  exitCodes: RUN_CODES,
  endpoints: [createItem, listItems],
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).importFile(ITEM_IMPORT, args.file, flags, ctx),
});

const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the import runs of this machine, the newest first',
  examples: [
    { run: 'proc imports list', doc: 'what is finished and what is not' },
    {
      run: 'proc imports list --where state=unfinished -o id',
      doc: 'what can be gone on with, for a script',
    },
  ],
  exitCodes: LOCAL_CODES,
  handler: async (_, ctx) => (await ctx.bulk()).listRuns(ctx),
});

const show = command({
  path: ['imports', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one import run: its counts, mapping and choices',
  args: { run: RUN },
  examples: [
    { run: 'proc imports show 20260301-093000-1a2b', doc: 'one run' },
    {
      run: "proc imports show 20260301-093000-1a2b -q '{created: created, rejected: rejected, unknown: unknown}'",
      doc: 'how many rows are in which state',
    },
  ],
  exitCodes: LOCAL_CODES,
  handler: async ({ args }, ctx) => (await ctx.bulk()).showRun(args.run, ctx),
});

const resume = command({
  path: ['imports', 'resume'],
  changes: 'service',
  prints: 'record',
  summary: 'Go on with an import that was cut off or stopped',
  description:
    'Without a name it takes the only unfinished run. Rows in doubt are looked up first; rows that are done are not touched. For a finished run it prints the summary again.',
  args: { run: { ...RUN, optional: true } },
  flags: RESUME_FLAGS,
  examples: [
    { run: 'proc imports resume', doc: 'the only unfinished run' },
    { run: 'proc imports resume 20260301-093000-1a2b --yes', doc: 'one of several, in a script' },
  ],
  exitCodes: RUN_CODES,
  handler: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).resumeRun(TARGETS, args.run, flags, ctx),
});

const resolve = command({
  path: ['imports', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Say what became of rows in doubt',
  description:
    'Look for them in the service first. --adopt: it was created, with this id; --resend: it was not, and is sent again by proc imports resume, once the list shows that it is not there: a row that is there is proposed for adoption, and one that an incomplete list does not show is sent again with --again only; --drop: it is given up. Without any of these it asks, row by row; without a row it is about all unconfirmed rows, after a confirmation (in a script: --all --yes). An id to adopt is looked for where there is a list: it must be there, be new, carry the code of the row, and belong to nothing else that was created from here.',
  args: {
    run: RUN,
    row: { doc: 'number of the row, or its code', optional: true, variadic: true },
  },
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'it was created and has this id' },
    resend: { kind: 'boolean', doc: 'it was not created: send it again, unless the list shows it' },
    drop: { kind: 'boolean', doc: 'it is given up' },
    all: { kind: 'boolean', doc: 'every unconfirmed row; a script needs it where it names none' },
    settle: RESUME_FLAGS.settle,
    waitLock: {
      kind: 'duration',
      value: 'time',
      doc: 'wait this long for an import into the same service to end',
      defaultText: 'not at all',
    },
  },
  examples: [
    { run: 'proc imports resolve 20260302-110000-3c4d 1 --adopt im-204', doc: 'row 1 is there' },
    {
      run: 'proc imports resolve 20260302-110000-3c4d --resend --all --yes',
      doc: 'none of them is there, in a script',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  plan: async ({ args, flags }, ctx) =>
    (await ctx.bulk()).planResolve(TARGETS, args.run, args.row ?? [], flags, ctx),
});

const discard = command({
  path: ['imports', 'discard'],
  changes: 'local',
  prints: 'record',
  summary: 'Forget an import run',
  description:
    'What it created stays in the service; what it left in doubt is no longer known. That rows were sent is remembered where nothing can be listed.',
  args: { run: RUN },
  examples: [
    { run: 'proc imports discard 20260301-093000-1a2b --yes', doc: 'without a question' },
    { run: 'proc imports discard 20260302-110000-3c4d --yes', doc: 'also one with rows in doubt' },
  ],
  exitCodes: LOCAL_CODES,
  plan: async ({ args }, ctx) => (await ctx.bulk()).planDiscard(args.run, ctx),
});

const prune = command({
  path: ['imports', 'prune'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove the journals of finished runs',
  flags: {
    olderThan: {
      kind: 'string',
      default: KEPT_BY_DEFAULT,
      value: 'when',
      doc: 'remove runs started before this: 30d, 12h or a date',
    },
  },
  examples: [
    { run: 'proc imports prune --yes', doc: 'finished runs that are older than a week' },
    { run: 'proc imports prune --older-than 30d --yes', doc: 'those older than a month' },
  ],
  exitCodes: LOCAL_CODES,
  plan: async ({ flags }, ctx) =>
    (await ctx.bulk()).planPrune(
      parseMoment(flags.olderThan, '--older-than', ctx.clock.now()),
      ctx,
    ),
});

export const itemsCommands = [itemsImport];
export const requisitionCommands = [requisitionImport];
export const imputationsCommands = [imputationsImport];
export const importsCommands = [list, show, resume, resolve, discard, prune];
