import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import type { RecordResult } from '../core/result.ts';
import { type Origin, placeName } from '../core/service.ts';
import { inShell } from '../core/wording.ts';
import { ledgerExists } from '../ledger/open-ledger.ts';
import { PER_TRANSACTION, type Place } from '../ledger/rows.ts';
import { RunLedger } from '../ledger/run-ledger.ts';
import { findRun, rowsOfRun, runNamed, runsIn, type StoredRun } from '../ledger/run-queries.ts';
import type { Sql, Statements } from '../ledger/sql.ts';
import { batched } from '../output/format.ts';
import { Draft } from './draft/draft.ts';
import type { Findings } from './ended-run.ts';
import type { ResumeFlags } from './import-flags.ts';
import { lockImport, ours } from './import-lock.ts';
import { keepImportHeapSmall } from './keep-heap-small.ts';
import { planItems } from './plan/line-items.ts';
import { readList, unverifiedRefusal } from './plan/plan-draft.ts';
import { conclude, tell } from './report/conclude.ts';
import { Progress } from './report/progress.ts';
import {
  errorsOf,
  refuseStoredAs,
  runCommand,
  runRecord,
  SEND_AGAIN,
} from './report/run-endings.ts';
import { columnsOf, isAgainElsewhere, leftOf, reported, stopsAtHit } from './report/run-summary.ts';
import type { RunHeader } from './run-header.ts';
import { runOptionsOf } from './run-options.ts';
import { parseRate } from './send/pace.ts';
import { SENT_BY_OTHERS } from './send/row-sender.ts';
import { type RowsToSend, sendRows } from './send-run.ts';
import { targetOf } from './targets/all-targets.ts';
import { importsFolder, openWorkplace } from './workplace.ts';

/**
 * Resumes a run that was killed or stopped. Who waited for the lock of a run that ended meanwhile gets its summary, like
 * anybody who resumes a run that is over.
 *
 * @param typed name of the run; undefined for the newest unfinished one
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function resumeRun(
  typed: string | undefined,
  flags: ResumeFlags,
  ctx: Context,
): Promise<RecordResult> {
  const began = ctx.clock.monotonic();
  const named = await whichRun(typed, ctx);
  const { header, hasEnded } = reported(named);
  if (flags.rate !== undefined) parseRate(flags.rate);
  if (!hasEnded) await checkDestination(named, 'resume', ctx);
  if (ctx.flags.dryRun) {
    const { next: _next, ...record } = runRecord(reported(named), ctx);
    const value = { dryRun: true, ...record };
    return { kind: 'record', isBrief: true, idField: 'run', columns: columnsOf(value), value };
  }
  if (hasEnded) return tellOver(named, ctx);
  const options = await runOptionsOf({ rate: flags.rate ?? header.choices.rate }, ctx);
  keepImportHeapSmall();
  const { memory } = await ctx.ledger();
  const { alias } = await ctx.scope();
  return withRun(named, flags.waitLock, ctx, async (ledger, sql, where) => {
    const isListed = where.isListed && !(await ledger.hasKeyless(named.number));
    const check = (within: Statements) =>
      memory?.check(within, { ...where, alias, isListed }, true);
    const { planned, unfinished } = ours(await ledger.open({ check }), named.name);
    const claim = unfinished.find(({ number }) => number === named.number);
    if (claim === undefined) return tellOver(await runNamed(sql, named.name), ctx);
    const { workedMs = 0, storedAs } = (claim.findings ?? {}) as Findings;
    refuseStoredAs(storedAs, header, ctx);
    const tookMs = workedMs + ctx.clock.monotonic() - began;
    const [target, progress] = [targetOf(named.noun), new Progress(ctx)];
    const run = { ledger, claim, header, target, options, progress, workedMs: tookMs };
    await compareAgain(run, planned, sql, ctx);
    return conclude(await sendRows(run, ctx), { sql, draft: undefined }, ctx);
  });
}

/** Works on a run behind the lock of its place. @throws ProcError `busy` */
export async function withRun<T>(
  { name, noun, place, header }: StoredRun,
  waitMs: number | undefined,
  ctx: Context,
  work: (ledger: RunLedger, sql: Sql, where: Place) => Promise<T>,
): Promise<T> {
  const { baseUrl, organization, choices } = header as RunHeader;
  const { sql, locks } = await ctx.ledger();
  const what = { folder: importsFolder(ctx), noun, baseUrl, organization };
  const lock = await lockImport(what, { ...ctx, waitMs, run: name }, locks);
  try {
    await lock.tell(name);
    const isListed = targetOf(noun).listing !== undefined;
    const where = { place, noun, isListed, isExact: choices.exactCodes };
    return await work(new RunLedger(sql, where, lock.hasLock), sql, where);
  } finally {
    await lock.release();
  }
}

/** Leaves out pending rows that others have sent, or that exist by now. */
async function compareAgain(
  { ledger, claim, target, header, options, progress }: RowsToSend,
  planned: number,
  sql: Sql,
  ctx: Context,
): Promise<void> {
  const { againUpTo, choices, mapping, groupBy, source, run } = header;
  const compared = { after: againUpTo ?? 0, stopsAtHit: stopsAtHit(header) };
  const held = ours(await ledger.compare(claim, planned, compared), run);
  if (compared.stopsAtHit && held.length > 0) {
    const isAgain = isAgainElsewhere(header);
    const why = isAgain ? 'rows of this run were sent before it moved here' : SENT_BY_OTHERS;
    const hint = isAgain ? SEND_AGAIN : undefined;
    throw new ProcError('incomplete', `${why}; nothing was sent`, { hint, details: { run } });
  }
  const { listing } = target;
  if (listing === undefined && target.definesItems !== true) return;
  using workplace = openWorkplace(importsFolder(ctx), false);
  const draft = new Draft(workplace.folder);
  try {
    for await (const rows of rowsOfRun(sql, claim.number, ['pending']))
      for (const { row, key, body, line } of rows) {
        const unknown = { digest: null, source: null, reason: null };
        draft.add({ row, state: 'pending', key, body, line, ...unknown });
      }
    if (listing === undefined) {
      // Items that lines define may exist by now.
      const planning = { target, mapping, groupBy, source, options, progress };
      const { refusal } = await planItems(draft, planning, ctx);
      if (refusal !== undefined) throw refusal;
      const bodies = new Map<number, string>();
      for (const { row, body, source: before } of draft.rows('pending'))
        if (before !== null) bodies.set(row, body!);
      ours(await ledger.replaceBodies(claim, bodies), run);
    } else {
      const list = await readList(draft, { target, options, progress }, ctx);
      draft.compareWithList({ isExact: choices.exactCodes });
      const refusal = unverifiedRefusal({ list, counts: draft.planned() }, { target });
      if (refusal !== undefined) throw refusal;
    }
    for await (const lot of batched(draft.rows('existing', 'rejected'), PER_TRANSACTION))
      ours(await ledger.leaveOut(claim, lot as Parameters<typeof ledger.leaveOut>[1]), run);
  } finally {
    draft.close();
  }
}

function tellOver(stored: StoredRun, ctx: Context): RecordResult {
  const run = reported(stored);
  ctx.io.say({ kind: 'notice', text: `${stored.name} is over; nothing was sent` });
  return tell(run, errorsOf(run, ctx), ctx);
}

/** @throws ProcError `reference_not_found`; `ambiguous_reference`, if the name is too short */
async function whichRun(typed: string | undefined, ctx: Context): Promise<StoredRun> {
  const { sql } = ledgerExists(ctx) ? await ctx.ledger() : {};
  if (sql !== undefined && typed !== undefined) return findRun(sql, typed);
  const runs = sql === undefined ? [] : await runsIn(sql);
  const left = (what: 'resume' | 'resolve') => runs.find((run) => leftOf(reported(run)) === what);
  const newest = left('resume') ?? left('resolve');
  if (newest !== undefined) return newest;
  throw new ProcError('reference_not_found', 'there is no unfinished import', {
    hint: 'List all runs: proc imports list',
  });
}

/** @throws ProcError `invalid_usage` if the run belongs to another service or organization than the command */
export async function checkDestination(
  { name, place, header }: StoredRun,
  verb: 'resume' | 'resolve',
  ctx: Context,
): Promise<void> {
  const to = header as RunHeader;
  const target = await ctx.target();
  const { key, service, organization } = await ctx.scope();
  if (place !== key) {
    const url = to.profile === undefined ? `PROC_BASE_URL=${inShell(to.baseUrl)} ` : '';
    const hint = place.startsWith(`${service} `)
      ? `Use the key of ${to.organization}. If this is a new key of ${to.organization}, set PROC_ORGANIZATION=${inShell(to.organization!)}`
      : `Go on there: ${url}${runCommand(verb, to)}`;
    const here = placeText({ ...target, organization });
    const message = `${name} imports into ${placeText(to)}, not into ${here}`;
    throw new ProcError('invalid_usage', message, { hint });
  }
  if (target.isProtected)
    ctx.io.say({ kind: 'notice', tone: 'protected', text: `▸ ${placeName(target)}` });
}

/** `acme · production (https://procurement.example.com/api/v1, organization acme)` */
function placeText(place: Parameters<typeof placeName>[0] & Origin): string {
  return `${placeName(place)} (${place.baseUrl}, organization ${place.organization})`;
}
