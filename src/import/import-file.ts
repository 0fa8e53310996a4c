import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import type { Result } from '../core/result.ts';
import { writerOf } from '../history/written-by.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { newRun } from '../ledger/run-name.ts';
import { ensureAskable } from '../write.ts';
import { stageDraft } from './check/stage-draft.ts';
import { Draft, type LedgerSource } from './draft/draft.ts';
import { importDraft } from './import-draft.ts';
import type { ImportFlags } from './import-flags.ts';
import { type Lockable, lockImport, waitForOthers } from './import-lock.ts';
import { type ImportRequest, readRequest } from './import-request.ts';
import { keepImportHeapSmall } from './keep-heap-small.ts';
import { openMapped } from './map/open-mapped.ts';
import type { Plan, Planning } from './plan/plan.ts';
import { comparesBy, planDraft } from './plan/plan-draft.ts';
import { confirmPlan, planResult, sayPlan } from './plan/plan-page.ts';
import { conclude } from './report/conclude.ts';
import { chooseRejectedFile, writeResults } from './report/files.ts';
import { progressFor } from './report/progress.ts';
import type { RunHeader } from './run-header.ts';
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
  const { target } = request;
  const waiting = { ...ctx, waitMs: flags.waitLock };
  if (!ctx.flags.dryRun) await waitForOthers(placeOf(request), waiting, ledger.locks);
  using workplace = openWorkplace(request.folder, ctx.flags.dryRun);
  const { folder } = workplace;
  const { source, groupBy, mapping } = await openMapped(request, folder, ctx);
  const draft = new Draft(folder);
  try {
    const what = `import ${target.many} from ${source.name}`;
    await ensureAskable(ctx, 'bulk', what);
    const { choices, options, where } = request;
    const planning: Planning = {
      ...{ target, source, mapping, groupBy, choices, options, where },
      allowOdd: flags.allowOdd,
      ...{ digest: flags.digest, ledger: ledger as LedgerSource, progress: progressFor(ctx) },
    };
    const staged = await stageDraft(draft, planning, ctx);
    removeSpool(source, folder);
    const plan = await planDraft(draft, staged, planning, ctx);
    // The summary counts reading and planning, but not the wait for a confirmation.
    const workedMs = ctx.clock.monotonic() - began;
    sayPlan(plan, planning, ctx);
    if (ctx.flags.dryRun) {
      const header = { noun: target.noun, groupBy, mapping };
      const from = { sql: ledger.sql, number: undefined, draft };
      if (flags.results !== undefined)
        await writeResults(resolve(ctx.cwd, flags.results), header, from);
      return planResult(plan, planning, ctx);
    }
    if (plan.refusal !== undefined) throw plan.refusal;
    if (plan.counts.create > 0) await confirmPlan(plan, planning, ctx);
    return await sendDraft(draft, { request, planning, plan, workedMs, ledger }, ctx);
  } finally {
    draft.close();
    removeSpool(source, folder);
  }
}

interface Confirmed {
  readonly request: ImportRequest;
  readonly planning: Planning;
  readonly plan: Plan;
  /** How long the command has worked so far. */
  readonly workedMs: number;
  readonly ledger: Ledger;
}

async function sendDraft(
  draft: Draft,
  { request, planning, plan, workedMs, ledger }: Confirmed,
  ctx: Context,
): Promise<Result> {
  const waiting = { ...ctx, waitMs: request.flags.waitLock };
  const lock = await lockImport(placeOf(request), waiting, ledger.locks);
  try {
    const header = headerOf(request, planning, plan, ctx);
    await lock.tell(header.run);
    const { target, options, progress, where } = planning;
    const compares = comparesBy(planning);
    const ended = await importDraft(
      draft,
      { target, options, progress, where, compares, ledger, lock, header, workedMs },
      ctx,
    );
    return await conclude(ended, { sql: ledger.sql, draft }, ctx);
  } finally {
    await lock.release();
  }
}

function placeOf({ folder, target, destination, scope }: ImportRequest): Lockable {
  const { baseUrl } = destination;
  return { folder, noun: target.noun, baseUrl, organization: scope.organization };
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
  const from = { source: file === '-' ? undefined : path, format, columns };
  const results = flags.results === undefined ? undefined : resolve(cwd, flags.results);
  const chosen = { typed: flags.rejected, results, ...from, run };
  return {
    ...{ run, noun: target.noun, profile, environment, baseUrl },
    organization: scope.organization,
    source: { name, path, format, columns },
    ...{ mapping, groupBy, choices, againUpTo: plan.againUpTo },
    files: { rejected: chooseRejectedFile(chosen, ctx), results },
    ...{ planned: plan.counts, lastSent: plan.lastSent, otherNames: plan.otherNames },
    digest: plan.digest,
    writer: { user, host, job },
    startedAt: new Date(clock.now()).toISOString(),
  };
}
