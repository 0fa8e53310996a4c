import { type CommandSpec, type Context, command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Result } from '../../core/result.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { momentText, parseMoment } from '../../core/time/moment.ts';
import { historyMessages } from '../../messages/history.ts';
import { type Entry, STATES } from '../entry.ts';
import { LIST_COLUMNS, listRow, SHOW_COLUMNS, wholeRow } from '../entry-rows.ts';
import { findEntry, withHistory } from '../find.ts';
import { knownNoun } from '../nouns.ts';
import { askResolution, type Resolution, resolutionFrom } from '../resolve-entry.ts';

const CODES = [EXIT.configuration] as const;
const ID = { id: { doc: 'id of the entry, such as h-7k3mqd', from: 'proc history list' } } as const;
const KEPT_BY_DEFAULT = '90d';

const list = command({
  path: ['history', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List what was written, newest first',
  description:
    'All profiles, environments and organizations; --profile, --env and --organization select. The service cannot list requisitions, groups, imputations or addresses: this may be the only place that knows their ids.',
  flags: {
    noun: { kind: 'string', value: 'noun', doc: 'only this kind, for instance requisition' },
    since: {
      kind: 'string',
      value: 'when',
      doc: 'only from then on: 30d, 12h or 2026-01-31',
    },
    state: { kind: 'choice', choices: STATES, value: 'state', doc: 'only entries in this state' },
    limit: { kind: 'integer', min: 1, value: 'n', doc: 'at most this many, the newest' },
  },
  examples: [
    { run: 'proc history list', doc: 'everything' },
    {
      run: 'proc history list --noun requisition --since 30d --fields created,what',
      doc: 'the requisitions of the last 30 days with their ids',
    },
    { run: 'proc history list --state unknown', doc: 'what has to be looked into' },
  ],
  exitCodes: CODES,
  async handler({ flags }, ctx) {
    const since =
      flags.since === undefined ? undefined : parseMoment(flags.since, '--since', ctx.clock.now());
    if (since !== undefined) ctx.say({ kind: 'notice', text: `Since ${momentText(since)}.` });
    const filter = {
      noun: flags.noun === undefined ? undefined : knownNoun(flags.noun),
      since,
      state: flags.state,
      limit: flags.limit,
      profile: ctx.globals.profile,
      environment: ctx.globals.env,
      organization: ctx.globals.organization,
    };
    const rows = await withHistory(ctx, [], (history) =>
      Array.from(history.entries(filter), listRow),
    );
    return { kind: 'rows', columns: LIST_COLUMNS, rows, empty: 'Nothing in history.' };
  },
});

const show = command({
  path: ['history', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show an entry whole: what was sent, what came back, what was there before',
  args: ID,
  examples: [
    { run: 'proc history show h-7k3mqd -o json', doc: 'with payload and copies' },
    { run: 'proc history show h-7k3mqd -q payload', doc: 'just what was sent' },
  ],
  exitCodes: CODES,
  async handler({ args }, ctx) {
    const entry = await findEntry(ctx, args.id);
    return { kind: 'record', columns: SHOW_COLUMNS, value: wholeRow(entry) };
  },
});

const resolve = command({
  path: ['history', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Say what became of a write whose outcome was unknown',
  description:
    'Look first (with the service, or a colleague), then say it: --adopt with the id of what was created, changed or deleted, or --not-applied. On a terminal without either it asks. Nothing is sent.',
  args: ID,
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'it was applied; the id of what it is about' },
    notApplied: { kind: 'boolean', doc: 'it was not applied' },
  },
  examples: [
    { run: 'proc history resolve h-7k3mqd --adopt itm-12', doc: 'it had created itm-12' },
    { run: 'proc history resolve h-7k3mqd --not-applied', doc: 'it may be sent again' },
  ],
  exitCodes: CODES,
  async plan({ args, flags }, ctx) {
    const entry = await findEntry(ctx, args.id);
    mustBeOpen(entry);
    const resolution = resolutionFrom(flags, entry) ?? (await asked(entry, ctx));
    const shown = (one: Entry): Result => ({
      kind: 'record',
      columns: SHOW_COLUMNS,
      value: wholeRow(one),
    });
    if (resolution === 'undecided') {
      return { would: () => shown(entry), apply: async () => shown(entry) };
    }
    const { adopted } = resolution;
    return {
      would: () => ({
        kind: 'record',
        columns: SHOW_COLUMNS,
        value: {
          ...wholeRow(entry),
          wouldResolve: adopted === undefined ? { notApplied: true } : { adopt: adopted },
        },
      }),
      async apply() {
        const history = await ctx.history();
        history.resolve(entry.id, adopted, ctx.clock.now());
        return shown(history.get(entry.id)!);
      },
    };
  },
});

/** A person's own word may be taken back, what was seen may not. */
function mustBeOpen(entry: Entry): void {
  if (entry.state === 'unknown' || entry.resolvedAt !== undefined) return;
  throw new ProcError(
    'invalid_usage',
    `the outcome of ${entry.id} is known: ${entry.state}; there is nothing to resolve`,
    { hint: 'List what is open: proc history list --state unknown' },
  );
}

async function asked(entry: Entry, ctx: Context): Promise<Resolution | 'undecided'> {
  if (!ctx.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `what became of ${entry.id}: nobody can be asked`,
      {
        hint: `Add --adopt ID or --not-applied; see it: proc history show ${inShell(entry.id)}`,
      },
    );
  }
  return askResolution(entry, ctx);
}

const prune = command({
  path: ['history', 'prune'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove old entries',
  description:
    'Entries whose outcome is unknown always stay. What is removed here is gone: with requisitions, the only copy of their ids.',
  flags: {
    olderThan: {
      kind: 'string',
      default: KEPT_BY_DEFAULT,
      value: 'when',
      doc: 'remove entries older than this: 90d, 12w or a date',
    },
  },
  examples: [
    { run: 'proc history prune', doc: 'what is older than 90 days, after asking' },
    { run: 'proc history prune --older-than 365d --yes', doc: 'in a script' },
  ],
  exitCodes: CODES,
  async plan({ flags }, ctx) {
    const before = parseMoment(flags.olderThan, '--older-than', ctx.clock.now());
    const [count, total] = await withHistory(ctx, [0, 0], (history) => [
      history.prunable(before),
      history.count(),
    ]);
    const olderThan = new Date(before).toISOString();
    return {
      would: () => ({
        kind: 'record',
        value: { wouldRemove: count, kept: total, olderThan },
      }),
      async apply() {
        if (count > 0) await confirmPrune(count, ctx);
        const removed = count > 0 ? (await ctx.history()).prune(before) : 0;
        return { kind: 'record', value: { removed, kept: total - removed, olderThan } };
      },
    };
  },
});

async function confirmPrune(count: number, ctx: Context): Promise<void> {
  if (ctx.globals.yes) return;
  if (!ctx.terminal.interactive) {
    throw new ProcError(
      'confirmation_required',
      `removing ${count} from history needs a confirmation, and nobody can be asked here`,
      { hint: `Add --yes: ${typedAgain(ctx.typed, ['--yes'])}` },
    );
  }
  const question = historyMessages[await ctx.lang()].prune(count);
  if (await (await ctx.prompts()).confirm(question, false)) return;
  throw new ProcError('confirmation_required', 'not confirmed; history is as it was');
}

export const commands: readonly CommandSpec[] = [list, show, resolve, prune];
