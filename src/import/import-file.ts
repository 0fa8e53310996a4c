import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import type { Result } from '../core/result.ts';
import { writerOf } from '../history/entry.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { PER_TRANSACTION } from '../ledger/rows.ts';
import { RunLedger } from '../ledger/run-ledger.ts';
import type { Statements } from '../ledger/sql.ts';
import { ensureAskable } from '../write.ts';
import { stageDraft } from './check/stage-draft.ts';
import { Draft } from './draft/draft.ts';
import type { EndedRun, Findings } from './ended-run.ts';
import type { ImportFlags } from './import-flags.ts';
import { type ImportLock, lockImport, ours, waitForOthers } from './import-lock.ts';
import { type ImportRequest, readRequest, requireLedger } from './import-request.ts';
import { keepImportHeapSmall } from './keep-heap-small.ts';
import { openMapped } from './map/open-mapped.ts';
import type { Plan, Planning } from './plan/plan.ts';
import { comparesBy, planDraft } from './plan/plan-draft.ts';
import { confirmPlan, planResult, sayPlan } from './plan/plan-page.ts';
import { conclude } from './report/conclude.ts';
import { beginRejected, chooseRejectedFile, writeResults } from './report/files.ts';
import { Progress } from './report/progress.ts';
import { refuseStoredAs } from './report/run-endings.ts';
import type { RunHeader } from './run-header.ts';
import { sendRows } from './send-run.ts';
import { removeSpool } from './source/open-source.ts';
import { targetOf } from './targets/all-targets.ts';
import { openWorkplace } from './workplace.ts';

/**
 * Reads a file into a draft, shows the plan and, once it is confirmed, sends the rows.
 *
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function importFile(
  noun: string,
  file: string,
  flags: ImportFlags,
  ctx: Context,
): Promise<Result> {
  keepImportHeapSmall();
  const began = ctx.clock.monotonic();
  const ledger = await ctx.ledger();
  const request = await readRequest(targetOf(noun), file, flags, ledger, ctx);
  const { target, destination, scope } = request;
  const origin = { baseUrl: destination.baseUrl, organization: scope.organization };
  const lockable = { folder: request.folder, noun: target.noun, ...origin };
  const waiting = { ...ctx, waitMs: flags.waitLock };
  if (!ctx.flags.dryRun) await waitForOthers(lockable, waiting, ledger.locks);
  using workplace = openWorkplace(request.folder, ctx.flags.dryRun);
  const { folder } = workplace;
  const { source, groupBy, mapping } = await openMapped(request, folder, ctx);
  const draft = new Draft(folder);
  try {
    await ensureAskable(ctx, 'bulk', `import ${target.many} from ${source.name}`);
    const { allowOdd, digest } = flags;
    const planning: Planning = {
      ...{ ...request, source, mapping, groupBy, allowOdd, digest },
      ...{ ledger, progress: new Progress(ctx) },
    };
    const staged = await stageDraft(draft, planning, ctx);
    removeSpool(source, folder);
    const plan = await planDraft(draft, staged, planning, ctx);
    let { willStop } = request;
    // For rows without a code, a list is no help. Of others, a dry run asks what the import asks behind the lock.
    if (target.listing !== undefined && draft.hasPending('NULL'))
      willStop = await requireLedger(request, ledger, ctx);
    else if (target.listing !== undefined && ctx.flags.dryRun)
      willStop = (await ledger.memory?.check(ledger.sql, request.where)) === true;
    // The summary counts reading and planning, but not the wait for a confirmation.
    const workedMs = ctx.clock.monotonic() - began;
    sayPlan(plan, planning, ctx);
    if (ctx.flags.dryRun) {
      const header = { noun: target.noun, groupBy, mapping };
      const from = { sql: ledger.sql, number: undefined, draft };
      if (flags.results !== undefined)
        await writeResults(resolve(ctx.cwd, flags.results), header, from);
      const result = planResult(plan, planning, ctx);
      return willStop ? { ...result, value: { ...result.value, next: [] } } : result;
    }
    if (plan.refusal !== undefined) throw plan.refusal;
    if (plan.counts.create > 0) await confirmPlan(plan, planning, ctx);
    const lock = await lockImport(lockable, waiting, ledger.locks);
    try {
      const header = headerOf(request, planning, plan, ctx);
      await lock.tell(header.run);
      const sent = await sendDraft(draft, { planning, header, ledger, lock, workedMs }, ctx);
      return await conclude(sent, { sql: ledger.sql, draft }, ctx);
    } finally {
      await lock.release();
    }
  } finally {
    draft.close();
    removeSpool(source, folder);
  }
}

interface Confirmed {
  readonly planning: Planning;
  readonly header: RunHeader;
  readonly ledger: Ledger;
  readonly lock: ImportLock;
  /** How long the command has worked so far. */
  readonly workedMs: number;
}

/**
 * Sends a draft whose plan was confirmed, behind the lock of its place: compares it with the ledger once more, fills a
 * run, takes over what unfinished runs left pending, and sends.
 *
 * @throws ProcError if nothing was sent, and rows are left
 */
async function sendDraft(
  draft: Draft,
  { planning, lock, workedMs, ...confirmed }: Confirmed,
  ctx: Context,
): Promise<EndedRun> {
  const { where, target, options, progress } = planning;
  const ledger = new RunLedger(confirmed.ledger.sql, where, lock.hasLock);
  const { memory } = confirmed.ledger;
  const isListed = where.isListed && !draft.hasPending('NULL');
  const check = (within: Statements) => memory?.check(within, { ...where, isListed });
  const { planned, unfinished } = ours(await ledger.open({ check }));
  const compares = comparesBy(planning);
  await draft.compareWithLedger(confirmed.ledger, where, compares, true);
  // Of equal rows it is not known which of them an earlier run still has to send.
  if (!compares.sendsEqual) ours(await ledger.settleCovered(draft.covered(where)));
  // Another process may have sent rows of this file since the plan was made.
  const header = { ...confirmed.header, planned: draft.planned() };
  if (header.planned.create + header.planned.lookedUp === 0)
    return {
      ...{ number: undefined, header, rows: {}, hasEnded: true, stop: undefined },
      findings: { workedMs },
    };
  for (const { number, name, findings } of unfinished) {
    const { storedAs } = (findings ?? {}) as Findings;
    if (draft.hasOpenOf(number)) refuseStoredAs(storedAs, { ...header, run: name }, ctx);
  }
  await beginRejected(header, draft, ctx);
  const now = ctx.clock.now();
  const claim = ours(await ledger.create({ name: header.run, header, planned, now }));
  for (const lot of draft.lots(PER_TRANSACTION)) ours(await ledger.fill(claim, lot));
  ours(await ledger.begin(claim));
  const placeOf = (row: number) => draft.placeOf(row);
  const rows = { ledger, claim, header, target, options, progress, workedMs, placeOf };
  return sendRows(rows, ctx);
}

function headerOf(
  { destination, scope, file, flags, choices }: ImportRequest,
  { target, source, mapping, groupBy }: Planning,
  plan: Plan,
  ctx: Context,
): RunHeader {
  const { cwd, clock, env } = ctx;
  const { profile, environment, baseUrl } = destination;
  const { name, format, columns } = source;
  const run = newRun(clock.now());
  const path = resolve(cwd, source.path);
  const { user, host, job } = writerOf(env, ctx.io.terminal);
  const from = file === '-' ? undefined : path;
  const results = flags.results === undefined ? undefined : resolve(cwd, flags.results);
  const rejected = chooseRejectedFile(run, source, from, { ...flags, results }, ctx);
  return {
    ...{ run, noun: target.noun, profile, environment, baseUrl },
    organization: scope.organization,
    source: { name, path, format, columns },
    ...{ mapping, groupBy, choices, againUpTo: plan.againUpTo },
    files: { rejected, results },
    ...{ planned: plan.counts, lastSent: plan.lastSent, otherNames: plan.otherNames },
    digest: plan.digest,
    writer: { user, host, job },
    startedAt: new Date(clock.now()).toISOString(),
  };
}

/** The name of a new run: sorts by time and is easy to type. */
export function newRun(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return `${time.slice(0, 8)}-${time.slice(8)}-${randomBytes(3).toString('hex')}`;
}
