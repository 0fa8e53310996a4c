import type { Context, LocalPlan } from '../core/command.ts';
import { ProcError } from '../core/errors.ts';
import { EXIT } from '../core/exit-codes.ts';
import type { Result } from '../core/result.ts';
import { inShell, typedAgain } from '../core/typed.ts';
import { bulkMessages } from '../messages/bulk.ts';
import type { ImportTarget } from '../resources/import-target.ts';
import { checkAdoption } from './adoption.ts';
import type { RunHeader } from './journal/header.ts';
import { Journal } from './journal/journal.ts';
import { lockImport } from './journal/lock.ts';
import { findRun, importsFolder, journalPath } from './journal/runs.ts';
import { handOn } from './plan/hand-on.ts';
import { lookAgain, noteSent } from './plan/sent-before.ts';
import { recordEnd } from './record-run.ts';
import { counted } from './report/summary.ts';
import { rowsIn } from './report/words.ts';
import { conclude, resumeCommand } from './send-run.ts';

/** What a person says became of rows in doubt. */
export interface ResolveFlags {
  readonly adopt: string | undefined;
  readonly resend: boolean;
  readonly drop: boolean;
  /** Said for a script: every row in doubt. */
  readonly all: boolean;
  readonly waitLock: number | undefined;
}

type Decision =
  | { readonly kind: 'adopt'; readonly id: string }
  | { readonly kind: 'resend' }
  | { readonly kind: 'drop' };

interface Doubt {
  readonly row: number;
  readonly code: string | null;
  readonly reason: string | null;
  readonly status: number | null;
  readonly sent_at: number | null;
  /** 1 where a look-up could not tell. */
  readonly looked_up: number;
  readonly body: string;
  /** Null where there is a list to look it up. */
  readonly fingerprint: string | null;
}

/** Rows that an error names. */
const NAMED = 10;
/** Of a body, what a question shows. */
const SHOWN = 300;

/**
 * Writes down what became of rows in doubt: created with an id, to be sent again, or given up. Without
 * a word on it, a person is asked row by row. Sends nothing itself: `imports resume` does.
 *
 * @param typed rows by number or code; all rows in doubt where none is given
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`
 */
export async function planResolve(
  targets: readonly ImportTarget[],
  typedRun: string,
  typed: readonly string[],
  flags: ResolveFlags,
  ctx: Context,
): Promise<LocalPlan> {
  const given = decisionOf(flags);
  if (flags.all && typed.length > 0) {
    throw new ProcError('invalid_usage', '--all and the name of a row exclude each other', {
      hint: `Leave --all out: ${typedAgain(
        ctx.typed.filter((word) => word !== '--all'),
        [],
      )}`,
    });
  }
  const folder = importsFolder(ctx.env);
  const path = journalPath(folder, findRun(folder, typedRun));
  const peek = Journal.open(path, true);
  const { header } = peek;
  peek.close();
  const target = targets.find(({ noun }) => noun === header.noun);
  if (target === undefined) {
    throw new ProcError(
      'invalid_usage',
      `${header.run} imports ${header.noun}, which this version cannot`,
    );
  }
  return {
    would: () => wouldResolve(path, target, typed, given, ctx),
    apply: () => resolveRows({ folder, path, target, header, typed, given }, flags, ctx),
  };
}

interface Resolving {
  readonly folder: string;
  readonly path: string;
  readonly target: ImportTarget;
  readonly header: RunHeader;
  readonly typed: readonly string[];
  readonly given: Decision | undefined;
}

async function resolveRows(
  { folder, path, target, header, typed, given }: Resolving,
  flags: ResolveFlags,
  ctx: Context,
): Promise<Result> {
  const { clock, signal } = ctx;
  const { run, noun, baseUrl, organization } = header;
  const isWhole = typed.length === 0 && given !== undefined && given.kind !== 'adopt';
  if (isWhole) refuseUnconfirmable(flags, given.kind, ctx);
  const lock = await lockImport(
    { folder, noun, baseUrl, organization },
    { clock, signal, waitMs: flags.waitLock ?? 0, run },
  );
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    const asked = chosen(doubtsIn(journal), typed, run);
    if (target.listing === undefined) await lookAgain(journal, target.create, ctx);
    const open = new Set(doubtsIn(journal).map(({ row }) => row));
    const doubts = asked.filter(({ row }) => open.has(row));
    if (doubts.length === 0) return await told(journal, ctx);
    checkDecision(given, doubts, header, target);
    if (given !== undefined) {
      if (isWhole) await confirmAll(doubts.length, given.kind, run, ctx);
      if (given.kind === 'adopt') await checkAdoption(journal, target, doubts[0]!, given.id, ctx);
      await write(journal, target, doubts, given, ctx);
    } else {
      if (!ctx.terminal.interactive) throw nobodyToAsk(header.run, doubts);
      for (const doubt of doubts) {
        const decision = await askUntilItFits(journal, target, doubt, ctx);
        if (decision !== undefined) await write(journal, target, [doubt], decision, ctx);
      }
    }
    if (journal.counts().pending > 0) {
      // A row that was in doubt because of another run was never sent by this one so far.
      if (target.listing === undefined) await noteSent(journal, ctx);
      ctx.say({
        kind: 'notice',
        text: `rows to be sent again leave with: ${resumeCommand(journal, ctx)}`,
      });
    }
    return await told(journal, ctx);
  } finally {
    journal?.close();
    lock.release();
  }
}

/** What `--dry-run` says: the rows, and what would be written down of each. */
async function wouldResolve(
  path: string,
  target: ImportTarget,
  typed: readonly string[],
  given: Decision | undefined,
  ctx: Context,
): Promise<Result> {
  const journal = Journal.open(path, true);
  try {
    const { header } = journal;
    const doubts = chosen(doubtsIn(journal), typed, header.run);
    if (doubts.length > 0) {
      checkDecision(given, doubts, header, target);
      if (given === undefined && !ctx.terminal.interactive) throw nobodyToAsk(header.run, doubts);
      const canRead = !ctx.globals.offline && (await ctx.target()).credential !== undefined;
      if (given?.kind === 'adopt' && canRead)
        await checkAdoption(journal, target, doubts[0]!, given.id, ctx);
    }
    const left = counted(journal.counts()).unknown - (given === undefined ? 0 : doubts.length);
    return {
      kind: 'record',
      idField: 'run',
      value: {
        run: header.run,
        decision: given?.kind ?? null,
        ...(given?.kind === 'adopt' ? { adopt: given.id } : {}),
        resolves: doubts.length,
        rows: doubts.slice(0, NAMED).map(({ row, code }) => ({ row, code })),
        unknown: left,
      },
      failure:
        left > 0
          ? new ProcError(
              'outcome_unknown',
              `${rowsIn(left, 'row', 'rows')} would stay unconfirmed`,
              { details: { run: header.run, unknown: left } },
            )
          : undefined,
    };
  } finally {
    journal.close();
  }
}

/** @throws ProcError `invalid_usage` where the decision cannot be about these rows */
function checkDecision(
  given: Decision | undefined,
  doubts: readonly Doubt[],
  header: RunHeader,
  target: ImportTarget,
): void {
  if (given?.kind === 'adopt' && doubts.length > 1) {
    throw new ProcError('invalid_usage', `--adopt gives one id, for ${doubts.length} rows`, {
      hint: `Name the row: proc imports resolve ${inShell(header.run)} ${inShell(doubts[0]!.row)} --adopt ${inShell(given.id)}`,
    });
  }
  refuseSettleable(doubts, header, target);
}

/**
 * A script that names no row says that it means all of them.
 *
 * @throws ProcError `confirmation_required`
 */
function refuseUnconfirmable(
  { all }: ResolveFlags,
  kind: 'resend' | 'drop',
  { globals, terminal, typed }: Context,
): void {
  if (terminal.interactive || (all && globals.yes)) return;
  const missing = [...(all ? [] : ['--all']), ...(globals.yes ? [] : ['--yes'])];
  throw new ProcError(
    'confirmation_required',
    `--${kind} without a row is about every unconfirmed row, which needs confirmation, but this is not an interactive terminal`,
    { hint: `Name the rows, or add ${missing.join(' ')}: ${typedAgain(typed, missing)}` },
  );
}

/** @throws ProcError `confirmation_required` */
async function confirmAll(
  count: number,
  kind: 'resend' | 'drop',
  run: string,
  ctx: Context,
): Promise<void> {
  if (ctx.globals.yes) return;
  const question = bulkMessages[await ctx.lang()].resolveAll(kind, count, run);
  if (await (await ctx.prompts()).confirm(question, false)) return;
  throw new ProcError(
    'confirmation_required',
    `not confirmed: ${kind} ${rowsIn(count)} of ${run}; nothing was changed`,
  );
}

/**
 * What a look-up can still tell is no matter of opinion: sending such a row again could double it.
 *
 * @throws ProcError `invalid_usage`
 */
function refuseSettleable(
  doubts: readonly Doubt[],
  { run }: { readonly run: string },
  { listing }: ImportTarget,
): void {
  if (listing === undefined) return;
  const open = doubts.filter(({ code, looked_up: looked }) => code !== null && looked === 0);
  if (open.length === 0) return;
  const rows = open.slice(0, NAMED).map(({ row }) => row);
  throw new ProcError(
    'invalid_usage',
    `${rowsIn(open.length, 'row has', 'rows have')} not been looked for yet (${rows.join(', ')}${open.length > NAMED ? ', …' : ''}); what became of ${open.length === 1 ? 'it' : 'them'} may still be found out`,
    { hint: `First: proc imports resume ${inShell(run)}` },
  );
}

/** What a person said is written: only rows that stay unconfirmed are no success. */
async function told(journal: Journal, ctx: Context): Promise<Result> {
  const { failure, ...result } = conclude(journal, undefined, ctx);
  const counts = counted(journal.counts());
  await recordEnd(journal, counts, undefined, ctx);
  return counts.unknown > 0 ? { ...result, failure } : result;
}

function decisionOf({ adopt, resend, drop }: ResolveFlags): Decision | undefined {
  const given = [adopt !== undefined, resend, drop].filter(Boolean).length;
  if (given > 1) {
    throw new ProcError('invalid_usage', '--adopt, --resend and --drop exclude each other');
  }
  if (adopt === '') throw new ProcError('invalid_usage', '--adopt: expected an id');
  if (adopt !== undefined) return { kind: 'adopt', id: adopt };
  if (resend) return { kind: 'resend' };
  return drop ? { kind: 'drop' } : undefined;
}

function doubtsIn(journal: Journal): Doubt[] {
  return journal.database
    .prepare(
      "SELECT r.row, r.code, r.reason, r.status, r.sent_at, r.looked_up, r.fingerprint, b.body FROM rows r JOIN records b USING (row) WHERE r.state IN ('unknown', 'sent') ORDER BY r.row",
    )
    .all() as unknown as Doubt[];
}

function chosen(doubts: readonly Doubt[], typed: readonly string[], run: string): Doubt[] {
  if (typed.length === 0) return [...doubts];
  const found = typed.flatMap((text) => {
    const byRow = doubts.filter(({ row }) => String(row) === text);
    const hits = byRow.length > 0 ? byRow : doubts.filter(({ code }) => code === text);
    if (hits.length > 0) return hits;
    throw new ProcError('reference_not_found', `row ${text} of ${run} is not in doubt`, {
      hint:
        doubts.length === 0
          ? 'None of its rows is.'
          : `In doubt are: ${doubts
              .slice(0, NAMED)
              .map(({ row }) => row)
              .join(', ')}${doubts.length > NAMED ? ', …' : ''}`,
    });
  });
  return [...new Map(found.map((doubt) => [doubt.row, doubt])).values()];
}

async function write(
  journal: Journal,
  { create }: ImportTarget,
  doubts: readonly Doubt[],
  decision: Decision,
  ctx: Context,
): Promise<void> {
  const update = journal.database.prepare(
    "UPDATE rows SET state = ?, id = ?, reason = ?, looked_up = 0 WHERE row = ? AND state IN ('unknown', 'sent')",
  );
  journal.commit(() => {
    for (const { row, reason } of doubts) {
      if (decision.kind === 'adopt') update.run('created', decision.id, null, row);
      else if (decision.kind === 'resend') update.run('pending', null, null, row);
      else update.run('dropped', null, reason, row);
    }
    // There is something to do again, and `imports resume` does it.
    if (decision.kind === 'resend') journal.set('phase', 'sending');
  });
  if (doubts.some(({ fingerprint }) => fingerprint !== null)) {
    await handOn(journal, create, doubts, decision, ctx);
  }
}

function nobodyToAsk(run: string, doubts: readonly Doubt[]): ProcError {
  const rows = doubts.slice(0, NAMED).map(({ row, code, reason }) => {
    const name = code === null ? '' : ` (${code})`;
    return `row ${row}${name}: ${reason ?? 'no outcome was written'}`;
  });
  const [first] = doubts;
  return new ProcError(
    'confirmation_required',
    `${rowsIn(doubts.length, 'row is', 'rows are')} in doubt: ${rows.join('; ')}${doubts.length > NAMED ? '; …' : ''}`,
    {
      hint: `Look for them in the service, then: proc imports resolve ${inShell(run)} ${inShell(first!.row)} --adopt ID, --resend or --drop`,
      details: { rows: doubts.slice(0, NAMED).map(known) },
    },
  );
}

function known({ row, code, reason, status, sent_at: sentAt, body }: Doubt) {
  return {
    row,
    code,
    reason,
    status,
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
    body: JSON.parse(body) as unknown,
  };
}

/** An id that cannot be the row's is told, and the question comes again. */
async function askUntilItFits(
  journal: Journal,
  target: ImportTarget,
  doubt: Doubt,
  ctx: Context,
): Promise<Decision | undefined> {
  for (;;) {
    const decision = await ask(doubt, ctx);
    if (decision?.kind !== 'adopt') return decision;
    try {
      await checkAdoption(journal, target, doubt, decision.id, ctx);
      return decision;
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || thrown.exitCode !== EXIT.usage) throw thrown;
      ctx.say({ kind: 'warning', text: [thrown.message, thrown.hint].filter(Boolean).join('\n') });
    }
  }
}

/** Undefined: left in doubt. */
async function ask(doubt: Doubt, ctx: Context): Promise<Decision | undefined> {
  const words = bulkMessages[await ctx.lang()];
  const { row, code, reason, sent_at: sentAt, body } = doubt;
  const sent = sentAt === null ? '' : `, sent ${new Date(sentAt).toISOString()}`;
  const text = body.length > SHOWN ? `${body.slice(0, SHOWN - 1)}…` : body;
  ctx.say({
    kind: 'notice',
    text: `row ${row}${code === null ? '' : ` (${code})`}${sent}: ${reason ?? 'no outcome was written'}\n  ${text}`,
  });
  const prompts = await ctx.prompts();
  const choice = await prompts.select<'adopt' | 'resend' | 'drop' | 'leave'>(
    words.whatBecame(row),
    [
      { name: words.leave, value: 'leave' },
      { name: words.adopt, value: 'adopt' },
      { name: words.resend, value: 'resend' },
      { name: words.drop, value: 'drop' },
    ],
  );
  if (choice === 'leave') return undefined;
  if (choice !== 'adopt') return { kind: choice };
  const id = await prompts.input(words.whichId, {
    validate: (answer) => (answer.trim() === '' ? words.whichId : undefined),
  });
  return { kind: 'adopt', id: id.trim() };
}
