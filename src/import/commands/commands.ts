import { command } from '../../context.ts';
import { EXIT, IMPORT_CODES, LOCAL_CODES, WRITE_CODES } from '../../core/errors.ts';
import { parseMoment } from '../../core/moment.ts';
import { RESUME_FLAGS } from '../import-flags.ts';

const RUN = {
  doc: 'name of the run, its first or last characters, or "last"',
  from: 'proc imports list',
} as const;
const LAST = { ...RUN, doc: `${RUN.doc} (default: last)`, optional: true } as const;

/** Those of rows in the ledger. */
const ROW_STATES = [
  ...(['pending', 'created', 'existing', 'sentBefore'] as const),
  ...(['rejected', 'unconfirmed', 'dropped'] as const),
] as const;

export const list = command({
  path: ['imports', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List import runs, newest first',
  description: 'Covers all profiles and environments; filter with --profile and --env.',
  examples: [
    { run: 'proc imports list', doc: 'all runs and their states' },
    { run: 'proc imports list --open -o id', doc: 'runs to resume or to resolve' },
  ],
  flags: { open: { kind: 'boolean', doc: 'only runs with rows that are pending or unconfirmed' } },
  exitCodes: LOCAL_CODES,
  run: async (ctx, _args, flags) =>
    (await import('../manage/show-runs.ts')).listRuns(flags.open, ctx),
});

export const show = command({
  path: ['imports', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show an import run: counts, what its verification found, mapping and options',
  args: { run: LAST },
  examples: [{ run: 'proc imports show', doc: 'the last run' }],
  exitCodes: LOCAL_CODES,
  run: async (ctx, args) => (await import('../manage/show-runs.ts')).showRun(args.run, ctx),
});

export const rows = command({
  path: ['imports', 'rows'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List the rows of an import run and their outcomes',
  description:
    'Lists rows that were sent, or are to be sent. Rows that the plan rejected are in the file of rejected rows.',
  args: { run: LAST },
  flags: {
    state: { kind: 'choice', choices: ROW_STATES, value: 'state', doc: 'only rows in this state' },
  },
  examples: [
    { run: 'proc imports rows --state created --out created.csv', doc: 'ids of the last run' },
  ],
  exitCodes: LOCAL_CODES,
  run: async (ctx, args, flags) =>
    (await import('../manage/show-runs.ts')).listRows(args.run, flags.state, ctx),
});

export const report = command({
  path: ['imports', 'report'],
  changes: 'nothing',
  prints: 'text',
  page: true,
  anyOut: true,
  summary: 'Write a page about an import run, to mail or to print',
  description:
    'The page has no scripts and loads nothing. It lists what to do next, the rows by state, those that are unconfirmed or rejected, and all that were created.',
  args: { run: LAST },
  examples: [{ run: 'proc imports report --out report.html', doc: 'of the last run' }],
  exitCodes: LOCAL_CODES,
  run: async (ctx, args) => (await import('../manage/show-runs.ts')).reportRun(args.run, ctx),
});

export const resume = command({
  path: ['imports', 'resume'],
  changes: 'service',
  prints: 'record',
  summary: 'Resume an import that stopped',
  description:
    'Without a name, resumes the newest unfinished run. First looks up unconfirmed rows; then sends pending rows, except those whose code exists by now. Finished rows stay as they are. For a finished run, prints the summary again.',
  args: { run: { ...RUN, optional: true } },
  flags: RESUME_FLAGS,
  examples: [{ run: 'proc imports resume', doc: 'the newest unfinished run' }],
  exitCodes: IMPORT_CODES,
  run: async (ctx, args, flags) =>
    (await import('../resume-run.ts')).resumeRun(args.run, flags, ctx),
});

export const resolve = command({
  path: ['imports', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Record the outcome of unconfirmed rows',
  description:
    'Check the service first. Without a row, the outcome applies to all unconfirmed rows (in a script, add --all --yes). Without an outcome, proc says what is known of them.',
  args: {
    run: RUN,
    row: {
      doc: 'number or code of the row; ROW=ID if it was created with this id',
      optional: true,
      variadic: true,
    },
  },
  flags: {
    adopt: {
      kind: 'string',
      value: 'id',
      bare: true,
      doc: 'the row was created, with this id; without an id: it is there',
    },
    resend: { kind: 'boolean', doc: 'the row was not created: send it again' },
    drop: { kind: 'boolean', doc: 'stop tracking the row; its outcome stays unknown' },
    all: {
      kind: 'boolean',
      doc: 'all unconfirmed rows; required in a script that names no row. With --drop, also the rows that were not sent',
    },
    waitLock: {
      kind: 'duration',
      value: 'time',
      doc: 'wait this long for another import into the same service',
      defaultText: 'no wait',
    },
  },
  examples: [
    {
      run: 'proc imports resolve 20260302-110000-3c4d5e 1 --adopt im-204',
      doc: 'row 1 was created as im-204',
    },
    {
      run: 'proc imports resolve 20260303-120000-5e6f7a 1=im-204 2=im-205 3=im-206',
      doc: 'rows 1 to 3 were created, each with its id',
    },
    {
      run: 'proc imports resolve 20260302-110000-3c4d5e --drop --all --yes',
      doc: 'give up the run: drop what is unconfirmed or was not sent',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  run: async (ctx, args, flags) =>
    (await import('../reconcile/resolve/resolve-rows.ts')).resolveRows(args, flags, ctx),
});

export const share = command({
  path: ['imports', 'share'],
  changes: 'local',
  prints: 'record',
  summary: 'Move runs and history of this machine into the shared ledger',
  description:
    'Moves what was sent with the current key: runs, single writes and keys of --once. From then on, every machine that uses the shared ledger knows it. After a kill, the same command goes on.',
  flags: { waitLock: RESUME_FLAGS.waitLock },
  examples: [
    {
      run: 'proc imports share -p acme -e production --yes',
      doc: 'before the first command that uses the shared ledger',
    },
  ],
  exitCodes: LOCAL_CODES,
  run: async (ctx, _args, flags) => (await import('../manage/share.ts')).share(flags.waitLock, ctx),
});

const KEPT_BY_DEFAULT = '7d';

export const prune = command({
  path: ['imports', 'prune'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove ended import runs and old history',
  description:
    'What was sent stays remembered, so a later import does not send it again. Runs with pending or unconfirmed rows stay.',
  args: { run: { doc: RUN.doc, from: RUN.from, optional: true, variadic: true } },
  flags: {
    before: {
      kind: 'string',
      value: 'when',
      doc: 'remove runs and history from before this: 30d, 12h or a date',
      defaultText: `${KEPT_BY_DEFAULT}, if no run is named`,
    },
  },
  examples: [
    { run: 'proc imports prune --yes', doc: 'runs and history older than a week' },
    { run: 'proc imports prune 20260301-093000-1a2b3c --yes', doc: 'one run' },
  ],
  exitCodes: LOCAL_CODES,
  run: async (ctx, args, flags) => {
    const typed = args.run ?? [];
    const before = flags.before ?? (typed.length === 0 ? KEPT_BY_DEFAULT : undefined);
    const moment =
      before === undefined ? undefined : parseMoment(before, '--before', ctx.clock.now());
    return (await import('../manage/prune.ts')).prune(typed, moment, ctx);
  },
});
