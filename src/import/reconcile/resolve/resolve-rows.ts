import type { Context } from '../../../context.ts';
import { declined, ProcError } from '../../../core/errors.ts';
import { grouped } from '../../../core/numbers.ts';
import type { RecordResult } from '../../../core/result.ts';
import { INTENT_MS } from '../../../core/service.ts';
import { inShell, listed, typedAgain } from '../../../core/wording.ts';
import { type Decision, dropRest, recordDecisions } from '../../../ledger/decided-rows.ts';
import type { Place } from '../../../ledger/rows.ts';
import type { RunLedger } from '../../../ledger/run-ledger.ts';
import { rowsOfRun, runNamed, type StoredRow } from '../../../ledger/run-queries.ts';
import type { Sql } from '../../../ledger/sql.ts';
import { needsConfirmation } from '../../../terminal/confirm-change.ts';
import { Gate } from '../../gate.ts';
import { ours } from '../../import-lock.ts';
import { openRun } from '../../manage/show-runs.ts';
import { tell } from '../../report/conclude.ts';
import { reasonOf, rowLayout } from '../../report/row-record.ts';
import { errorsOf, runCommand } from '../../report/run-endings.ts';
import { reported } from '../../report/run-summary.ts';
import { countIn } from '../../report/words.ts';
import { checkDestination, withRun } from '../../resume-run.ts';
import type { RunHeader } from '../../run-header.ts';
import { runOptionsOf } from '../../run-options.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { readingOf } from '../run-reading.ts';

/** Rows in a message. */
const NAMED = 10;
/** Rows in a message with their reasons, which are long. */
const EXPLAINED = 3;

export interface ResolveFlags {
  /** Empty: the row is there, and its id is not known. */
  readonly adopt: string | undefined;
  readonly resend: boolean;
  readonly drop: boolean;
  readonly all: boolean;
  readonly waitLock: number | undefined;
}

interface OpenRow extends Omit<StoredRow, 'code'> {
  /** The code, or the reference of an imputation. */
  readonly code: string | null;
}

/** A run whose rows a person decides, behind the lock of its place. */
interface Resolved {
  readonly sql: Sql;
  readonly number: number;
  readonly header: RunHeader;
  readonly where: Place;
  readonly ledger: RunLedger;
}

type Decided = Decision & { readonly of: OpenRow };

/**
 * Records the outcome of unconfirmed rows. Sends nothing: `imports resume` sends the rows.
 *
 * @param args the run, and numbers or codes of rows, or `ROW=ID`; without rows, all unconfirmed rows
 * @throws ProcError `invalid_usage`, `confirmation_required`, `reference_not_found`, `incomplete`
 */
export async function resolveRows(
  args: { readonly run: string; readonly row?: readonly string[] | undefined },
  flags: ResolveFlags,
  ctx: Context,
): Promise<RecordResult> {
  const typed = args.row ?? [];
  const kind = kindOf(flags, typed, ctx.typed);
  const { sql, stored, run } = await openRun(args.run, ctx);
  const { header, number } = run;
  if (targetOf(header.noun).listing !== undefined && !flags.drop)
    await checkDestination(stored, 'resolve', ctx);
  await withRun(stored, flags.waitLock, ctx, async (ledger, _sql, where) => {
    // What a killed process was sending becomes unconfirmed.
    ours(await ledger.open({ keepsHeld: true }), header.run);
    const resolved = { sql, number, header, where, ledger };
    if (flags.drop && flags.all) await dropAll(resolved, ctx);
    else await decide(resolved, { ...flags, typed, kind }, ctx);
  });
  const after = reported(await runNamed(sql, stored.name));
  const { unconfirmed = 0, pending = 0 } = after.rows;
  if (pending > 0 && after.findings.storedAs === undefined) {
    const text = `to send ${countIn(header, pending)}, run: ${runCommand('resume', header, ctx)}`;
    ctx.io.say({ kind: 'notice', text });
  }
  if (unconfirmed === 0) return tell(after, [], ctx);
  const [{ message, hint, details }] = errorsOf(after, ctx) as [ProcError];
  return tell(after, [new ProcError('outcome_unknown', message, { hint, details })], ctx);
}

/** @throws ProcError `invalid_usage` if flags contradict each other */
function kindOf(
  { all, ...flags }: ResolveFlags,
  rows: readonly string[],
  typed: readonly string[],
): Decision['kind'] | undefined {
  const kinds = (['adopt', 'resend', 'drop'] as const).filter(
    (kind) => flags[kind] !== undefined && flags[kind] !== false,
  );
  if (all && rows.length > 0) {
    const others = typed.filter((word) => word !== '--all');
    throw new ProcError('invalid_usage', '--all cannot be combined with rows', {
      hint: `Remove --all: ${typedAgain(others, [])}`,
    });
  }
  if (kinds.length > 1)
    throw new ProcError('invalid_usage', 'use only one of --adopt, --resend and --drop');
  return kinds[0];
}

/** Gives the run up: what was not sent, and what is unconfirmed. */
async function dropAll({ sql, number, header }: Resolved, ctx: Context) {
  const { unconfirmed = 0, pending = 0 } = (await runNamed(sql, header.run)).rows;
  if (unconfirmed + pending === 0) return;
  const which = [
    ...(unconfirmed === 0 ? [] : [countIn(header, unconfirmed, 'unconfirmed ')]),
    ...(pending === 0 ? [] : [`${countIn(header, pending)} not sent yet`]),
  ].join(' and ');
  await confirmAll(`Drop ${which} of ${header.run}? This cannot be undone.`, true, ctx);
  await dropRest(sql, number);
}

interface Decisions extends ResolveFlags {
  readonly typed: readonly string[];
  readonly kind: Decision['kind'] | undefined;
}

async function decide(
  run: Resolved,
  { typed, kind, adopt, all }: Decisions,
  ctx: Context,
): Promise<void> {
  const { header } = run;
  const named = chosen(await openRows(run), typed, header.run);
  const { length } = named;
  if (length === 0)
    throw new ProcError('reference_not_found', `no row of ${header.run} is unconfirmed`, {
      hint: 'List the runs of which something is left: proc imports list --open',
    });
  if (kind !== undefined && named.some(({ id }) => id !== undefined))
    throw new ProcError('invalid_usage', `ROW=ID cannot be combined with --${kind}`);
  if (adopt !== undefined && adopt !== '' && length > 1)
    throw new ProcError(
      'invalid_usage',
      `--adopt gives one id, but there are ${grouped(length)} unconfirmed rows`,
      {
        hint: `Give each row its id: ${runCommand('resolve', header)} ${inShell(`${named[0]!.of.row}=${adopt}`)} ROW=ID`,
      },
    );
  const open = named.flatMap(({ of, id }) => (id === undefined ? [of] : []));
  if (kind === undefined && open.length > 0) throw decisionMissing(header, open);
  if (kind !== undefined && typed.length === 0) {
    const them = length === 1 ? 'the unconfirmed row' : `all ${grouped(length)} unconfirmed rows`;
    const questions = {
      adopt: `Record that ${them} of ${header.run} ${length === 1 ? 'was' : 'were'} created?`,
      resend: `Send ${them} of ${header.run} again when it is resumed?`,
      drop: `Drop ${them} of ${header.run}? This cannot be undone.`,
    };
    await confirmAll(questions[kind], all, ctx);
  }
  const decided = named.map(({ of, id = adopt || undefined }): Decided => {
    const { row } = of;
    return kind === 'resend' || kind === 'drop'
      ? { of, row, kind }
      : { of, row, kind: 'adopt', id };
  });
  await record(run, decided, ctx);
}

async function openRows({ sql, number, header }: Resolved): Promise<readonly OpenRow[]> {
  const { record: recordOf } = rowLayout(header);
  const rows: OpenRow[] = [];
  for await (const lot of rowsOfRun(sql, number, ['unconfirmed']))
    for (const row of lot) {
      const { code } = recordOf(row);
      rows.push({ ...row, code: code === null || code === undefined ? null : String(code) });
    }
  return rows;
}

interface NamedRow {
  readonly of: OpenRow;
  /** Of `ROW=ID`. */
  readonly id?: string | undefined;
}

/**
 * @param typed numbers or codes of rows, or `ROW=ID`; empty for all
 * @throws ProcError `reference_not_found`
 */
function chosen(
  rows: readonly OpenRow[],
  typed: readonly string[],
  run: string,
): readonly NamedRow[] {
  if (typed.length === 0) return rows.map((of) => ({ of }));
  const found = typed.map((text): NamedRow => {
    const [, name = text, id] = /^(.+?)=(.+)$/.exec(text) ?? [];
    const named = (one: string) =>
      rows.filter(({ row, code }) => String(row) === one || code === one);
    // A code may have an equals sign.
    const whole = named(text);
    const [of, ...others] = whole.length > 0 ? whole : named(name);
    if (of !== undefined && others.length === 0) return whole.length > 0 ? { of } : { of, id };
    const which = of === undefined ? 'not unconfirmed' : 'not one row';
    const open = rows.map(({ row }) => row);
    throw new ProcError('reference_not_found', `${name} of ${run} is ${which}`, {
      hint: `Rows that are unconfirmed: ${listed(open, NAMED) || 'none'}`,
    });
  });
  return [...new Map(found.map((one) => [one.of.row, one])).values()];
}

function decisionMissing(header: RunHeader, rows: readonly OpenRow[]): ProcError {
  const why = (row: OpenRow) => reasonOf(row) ?? 'no response was recorded';
  const named = rows.map((row) => `${nameOf(row)}: ${why(row)}`);
  const all =
    rows.length > EXPLAINED ? `List all: ${runCommand('rows', header)} --state unconfirmed. ` : '';
  const resolve = `${runCommand('resolve', header)} ${rows[0]!.row}`;
  return new ProcError(
    'confirmation_required',
    `${countIn(header, rows.length)} ${rows.length === 1 ? 'is' : 'are'} unconfirmed: ${listed(named, EXPLAINED, '; ')}`,
    {
      hint: `${all}Check the service, then run one of: ${resolve} --adopt ID; ${resolve} --resend; ${resolve} --drop`,
      details: {
        rows: rows.slice(0, NAMED).map((row) => ({
          ...{ row: row.row, code: row.code, reason: why(row), status: row.status },
          sentAt: row.sentAt === null ? null : new Date(row.sentAt).toISOString(),
          body: row.body === null ? null : (JSON.parse(row.body) as unknown),
        })),
      },
    },
  );
}

/** `row 7`, or `row 7 (AR-1)`. */
function nameOf({ row, code }: OpenRow): string {
  return `row ${row}${code === null ? '' : ` (${code})`}`;
}

/**
 * Asks before one outcome for many rows is recorded. A script must add `--all --yes`.
 *
 * @throws ProcError `confirmation_required`, `declined`
 */
async function confirmAll(question: string, all: boolean, ctx: Context): Promise<void> {
  const { interactive } = ctx.io.terminal;
  const missing = [...(all || interactive ? [] : ['--all']), ...(ctx.flags.yes ? [] : ['--yes'])];
  if (missing.length === 0) return;
  if (interactive) {
    if (!(await ctx.prompt.confirm(question, false))) throw declined();
    return;
  }
  throw new ProcError(
    'confirmation_required',
    `${needsConfirmation('record one outcome for all unconfirmed rows')}; nothing was changed`,
    { hint: `Name the rows, or add ${missing.join(' ')}: ${typedAgain(ctx.typed, missing)}` },
  );
}

/** Writes all decisions, or none. */
async function record(run: Resolved, decided: readonly Decided[], ctx: Context) {
  const decisions = await checkList(run, decided, ctx);
  const refused = await recordDecisions(run.sql, run.where, run.number, decisions);
  if (refused.length === 0) return;
  const texts = refused.map((one) =>
    one.why === 'id taken'
      ? `${one.id} is the record of ${one.by}`
      : `row ${one.row} is not unconfirmed any more`,
  );
  throw new ProcError('reference_not_found', `${listed(texts, NAMED, '; ')}; nothing was changed`, {
    hint: `List the rows: ${runCommand('rows', run.header)} --state unconfirmed`,
  });
}

/**
 * Compares decisions with the list, for nouns that have one: a row that the list shows is not sent again, and its id is
 * that of the record with its code. Rows without a code cannot be compared.
 *
 * @returns the decisions, with the ids that the list shows
 * @throws ProcError `reference_not_found`, `incomplete`; nothing was changed
 */
async function checkList(
  { header, number, ledger }: Resolved,
  decided: readonly Decided[],
  ctx: Context,
): Promise<readonly Decision[]> {
  const target = targetOf(header.noun);
  const keys = decided.flatMap(({ kind, of }) => (kind === 'drop' ? [] : (of.key ?? [])));
  if (target.listing === undefined || keys.length === 0) return decided.map(decisionIn);
  const options = await runOptionsOf({ rate: undefined }, ctx);
  if (decided.some(({ kind }) => kind === 'resend')) await waitUntilSettled(options.settleMs, ctx);
  const sender = await ctx.http().sender(1);
  const gate = new Gate(ctx.clock, options.patienceMs);
  const reading = readingOf({ target, sender, gate, options, header }, ledger, number, ctx);
  const found = await reading.find(keys, true);
  const wrong: string[] = [];
  const shown: string[] = [];
  const checked = decided.map((one): Decision => {
    const { of, ...decision } = one;
    const { kind } = decision;
    if (kind === 'drop' || of.key === null) return decision;
    const id = found.get(of.key);
    const given = kind === 'adopt' ? decision.id : undefined;
    if (typeof id === 'string') {
      if (kind === 'adopt' && (given ?? id) === id) return { ...decision, id };
      const why = given === undefined ? '; it would be created twice' : `, not as ${given}`;
      wrong.push(`${nameOf(of)} is in the list as ${id}${why}`);
      shown.push(inShell(`${of.row}=${id}`));
    } else if (id === null && kind === 'adopt')
      wrong.push(
        `${given === undefined ? '' : `${given}: `}the list does not show ${nameOf(of)}; if it was not created, use --resend`,
      );
    else if (id === undefined && given !== undefined) {
      const text = `${given} was not verified: the list may be incomplete`;
      ctx.io.say({ kind: 'warning', text });
    } else if (id === undefined)
      wrong.push(`the list does not prove whether ${nameOf(of)} was created`);
    return decision;
  });
  if (wrong.length === 0) return checked;
  const isUnproved = keys.some((key) => !found.has(key));
  const recorded = `${runCommand('resolve', header)} ${shown.slice(0, NAMED).join(' ')}`;
  const hint = isUnproved
    ? 'Check how the service pages its lists: proc doctor. Or give the rows up with --drop; an import with --again sends them'
    : `List the rows: ${runCommand('rows', header)} --state unconfirmed`;
  throw new ProcError(
    isUnproved ? 'incomplete' : 'reference_not_found',
    `${listed(wrong, NAMED, '; ')}; nothing was changed`,
    { hint: shown.length > 0 ? `To record what the list shows, run: ${recorded}` : hint },
  );
}

function decisionIn({ of: _of, ...decision }: Decided): Decision {
  return decision;
}

/**
 * Before that, a row that is missing from the list proves nothing. By this process's own clock: the clock of the machine
 * that sent the row, or this one before a reboot, may have been another.
 */
async function waitUntilSettled(settleMs: number, { io, clock, signal }: Context): Promise<void> {
  const waitMs = settleMs + INTENT_MS;
  const text = `waiting ${Math.ceil(waitMs / 1_000)} s before reading the list, because the service may still be applying a request`;
  io.say({ kind: 'notice', text });
  await clock.sleep(waitMs, signal);
}
