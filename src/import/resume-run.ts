import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import type { RecordResult } from '../core/result.ts';
import { placeName, type Target } from '../core/service-target.ts';
import { inShell } from '../core/text/typed.ts';
import { ledgerExists } from '../ledger/open-ledger.ts';
import { type Claim, type LeftOut, RunLedger } from '../ledger/run-ledger.ts';
import { findRun, rowsOfRun, runNamed, runsIn, type StoredRun } from '../ledger/run-queries.ts';
import type { Sql } from '../ledger/sql.ts';
import { Draft } from './draft/draft.ts';
import type { EndedRun, Findings } from './ended-run.ts';
import type { ResumeFlags } from './import-flags.ts';
import { lockImport } from './import-lock.ts';
import { keepImportHeapSmall } from './keep-heap-small.ts';
import { planItems } from './plan/line-items.ts';
import { readList, unverifiedRefusal } from './plan/plan-draft.ts';
import { conclude, tell } from './report/conclude.ts';
import { type Progress, progressFor } from './report/progress.ts';
import { CHANGE_CODES, errorsOf, givingUp, runCommand } from './report/run-endings.ts';
import { leftOf, reported } from './report/run-summary.ts';
import type { RunHeader } from './run-header.ts';
import { type RunOptions, runOptionsOf } from './run-options.ts';
import { parseRate } from './send/pace.ts';
import { SENT_BY_OTHERS } from './send/row-sender.ts';
import { sendRows } from './send-rows.ts';
import { targetOf } from './targets/all-targets.ts';
import type { ImportTarget } from './targets/import-target.ts';
import { importsFolder, openWorkplace } from './workplace.ts';

/**
 * Resumes a run that was killed or stopped. Who waited for the lock of a run that ended meanwhile gets its summary, like
 * anybody who resumes a run that is over.
 *
 * @param typed name of the run; undefined for the only unfinished one
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function resumeRun(
  typed: string | undefined,
  flags: ResumeFlags,
  ctx: Context,
): Promise<RecordResult> {
  const began = ctx.clock.monotonic();
  const named = await whichRun(typed, ctx);
  const { sql, locks } = await ctx.ledger();
  if (flags.rate !== undefined) parseRate(flags.rate);
  const { header } = reported(named);
  const target = targetOf(named.noun);
  const { dryRun: isPreview } = ctx.flags;
  if (named.hasEnded) return isPreview ? previewOf(named) : tellOver(named, ctx);
  keepImportHeapSmall();
  await checkDestination(named, 'resume', ctx);
  const options = await runOptionsOf({ rate: flags.rate ?? header.choices.rate }, ctx);
  if (isPreview) return previewOf(named);
  const folder = importsFolder(ctx);
  const { baseUrl, organization } = header;
  const lock = await lockImport(
    { folder, noun: named.noun, baseUrl, organization },
    { ...ctx, waitMs: flags.waitLock, run: named.name },
    locks,
  );
  try {
    await lock.tell(named.name);
    const isListed = target.listing !== undefined;
    const { place, noun } = named;
    const where = { place, noun, isListed, isExact: header.choices.exactCodes };
    const ledger = new RunLedger(sql, where, lock.hasLock);
    const opened = await ledger.open();
    const claim = opened?.unfinished.find(({ number }) => number === named.number);
    if (opened === undefined || claim === undefined)
      return tellOver(await runNamed(sql, named.name), ctx);
    const tookMs = ctx.clock.monotonic() - began;
    const { planned } = opened;
    const run = { ledger, claim, planned, target, header, options, sql, folder };
    return await conclude(await sendRest(run, tookMs, ctx), { sql, draft: undefined }, ctx);
  } finally {
    await lock.release();
  }
}

interface Resumed {
  readonly ledger: RunLedger;
  readonly claim: Claim & { readonly findings: unknown };
  readonly planned: number;
  readonly target: ImportTarget;
  readonly header: RunHeader;
  readonly options: RunOptions;
  readonly sql: Sql;
  readonly folder: string;
}

async function sendRest(run: Resumed, tookMs: number, ctx: Context): Promise<EndedRun> {
  const before = (run.claim.findings ?? {}) as Findings;
  refuseStoredAs(before, run.header, ctx);
  const progress = progressFor(ctx);
  await compareAgain(run, progress, ctx);
  return sendRows({ ...run, progress, workedMs: (before.workedMs ?? 0) + tookMs }, ctx);
}

/** Each resume would send one more row, whose code may exist in another form. */
function refuseStoredAs({ storedAs }: Findings, header: RunHeader, ctx: Context): void {
  if (storedAs === undefined) return;
  throw new ProcError(
    'catalogue_unverified',
    `the service stores codes differently: it stored ${storedAs.sent} as ${storedAs.stored}; nothing more was sent`,
    {
      hint: `${CHANGE_CODES}. To give the rest of this run up: ${givingUp(header, ctx)}`,
      details: { run: header.run, ...storedAs },
    },
  );
}

const PER_LOT = 2_000;

/** Leaves out pending rows that others have sent, or that exist by now. */
async function compareAgain(run: Resumed, progress: Progress, ctx: Context): Promise<void> {
  const { ledger, claim, target, header, options, planned } = run;
  const { againUpTo, choices, mapping, groupBy, source } = header;
  const { sendEqual: stopsAtHit, exactCodes: isExact } = choices;
  const compared = { after: againUpTo ?? 0, stopsAtHit };
  const held = ours(await ledger.compare(claim, planned, compared), header);
  if (stopsAtHit && held.length > 0)
    throw new ProcError('incomplete', `${SENT_BY_OTHERS}; nothing was sent`, {
      details: { run: header.run },
    });
  const { listing } = target;
  if (listing === undefined && target.definesItems !== true) return;
  using workplace = openWorkplace(run.folder, false);
  const draft = new Draft(workplace.folder);
  try {
    for await (const rows of rowsOfRun(run.sql, claim.number, ['pending']))
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
      ours(await ledger.replaceBodies(claim, bodies), header);
    } else {
      const list = await readList(draft, { target, options, progress }, ctx);
      draft.compareWithList({ isExact });
      const refusal = unverifiedRefusal({ list, counts: draft.planned() }, { target });
      if (refusal !== undefined) throw refusal;
    }
    let lot: LeftOut[] = [];
    for (const { row, state, id, reason } of draft.rows('existing', 'rejected')) {
      lot.push({ row, state: state as LeftOut['state'], id, reason });
      if (lot.length < PER_LOT) continue;
      ours(await ledger.leaveOut(claim, lot), header);
      lot = [];
    }
    ours(await ledger.leaveOut(claim, lot), header);
  } finally {
    draft.close();
  }
}

/** @throws ProcError if the ledger says that another process has opened the run */
function ours<T>(found: T | undefined | false, { run }: RunHeader): T {
  if (found !== undefined && found !== false) return found;
  throw new ProcError('busy', `another command continues ${run}; nothing was sent`, {
    hint: `See the state of the run: proc imports show ${inShell(run)}`,
    details: { run },
  });
}

function tellOver(stored: StoredRun, ctx: Context): RecordResult {
  const run = reported(stored);
  return tell(run, errorsOf(run, ctx), ctx);
}

function previewOf({ name, rows, header }: StoredRun): RecordResult {
  const { source } = header as RunHeader;
  const { pending = 0, unconfirmed = 0, sending = 0, ...others } = rows;
  const value = {
    ...{ dryRun: true, run: name, source: source.name, ...others },
    ...{ toSend: pending, toLookUp: unconfirmed + sending },
  };
  return { kind: 'record', value };
}

/** @throws ProcError `reference_not_found`, `ambiguous_reference` */
async function whichRun(typed: string | undefined, ctx: Context): Promise<StoredRun> {
  const { sql } = ledgerExists(ctx) ? await ctx.ledger() : {};
  if (sql !== undefined && typed !== undefined) return findRun(sql, typed);
  const runs = sql === undefined ? [] : await runsIn(sql);
  const left = (what: 'resume' | 'resolve') => runs.filter((run) => leftOf(reported(run)) === what);
  const unfinished = left('resume');
  const [run, ...others] = unfinished.length > 0 ? unfinished : left('resolve');
  if (run === undefined)
    throw new ProcError('reference_not_found', 'there is no unfinished import', {
      hint: 'List all runs: proc imports list',
    });
  if (others.length === 0) return run;
  const verb = unfinished.length > 0 ? 'resume' : 'resolve';
  const which = verb === 'resume' ? 'are unfinished' : 'have unconfirmed rows';
  throw new ProcError('ambiguous_reference', `${others.length + 1} imports ${which}`, {
    hint: `Name one: ${runCommand(verb, run.header as RunHeader)}`,
    details: { candidates: [run, ...others].map(({ name }) => name) },
  });
}

/**
 * @throws ProcError `invalid_usage` if the run belongs to another service, profile, environment or
 *   organization than the command
 */
export async function checkDestination(
  { name, place, header }: StoredRun,
  verb: 'resume' | 'resolve',
  ctx: Context,
): Promise<void> {
  const to = header as RunHeader;
  const target = await ctx.target();
  const scope = await ctx.scope();
  const isNamed = target.profile === to.profile && target.environment === to.environment;
  // A run without a profile is tied only to an address. A profile with the same address may continue the run.
  const isThere = place.startsWith(`${scope.service} `) && (isNamed || to.profile === undefined);
  if (isThere && place !== scope.key) {
    const { organization } = to;
    throw new ProcError(
      'invalid_usage',
      `${name} imports into the organization ${organization}, but the key belongs to ${scope.organization}`,
      {
        hint: `Use the key of ${organization}. If this is a new key of ${organization}, set PROC_ORGANIZATION=${inShell(organization!)}`,
      },
    );
  }
  if (!isThere) {
    const url = isNamed || to.profile === undefined ? `PROC_BASE_URL=${inShell(to.baseUrl)} ` : '';
    throw new ProcError(
      'invalid_usage',
      `${name} imports into ${placeOf(to)}, not into ${placeOf(target)}`,
      { hint: `Go on there: ${url}${runCommand(verb, to)}` },
    );
  }
  if (target.isProtected)
    ctx.io.say({ kind: 'notice', tone: 'protected', text: `▸ ${placeName(target)}` });
}

/** `acme/production (https://procurement.example.com/api/v1)` */
function placeOf({
  profile,
  environment,
  baseUrl,
}: Pick<Target, 'profile' | 'environment' | 'baseUrl'>): string {
  const names = [profile, environment].filter((name) => name !== undefined).join('/');
  return names === '' ? baseUrl : `${names} (${baseUrl})`;
}
