import type { Context } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import type { RecordResult } from '../core/result.ts';
import { placeName } from '../core/service-target.ts';
import { inShell, typedAgain } from '../core/text/typed.ts';
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
import { readingOf } from './reconcile/run-reading.ts';
import { conclude } from './report/conclude.ts';
import { progressFor } from './report/progress.ts';
import { CHANGE_CODES, givingUp, runCommand } from './report/run-endings.ts';
import { leftOf, reported } from './report/run-summary.ts';
import type { RunHeader } from './run-header.ts';
import { type RunOptions, runOptionsOf } from './run-options.ts';
import { parseRate } from './send/pace.ts';
import { SENT_BY_OTHERS } from './send/row-sender.ts';
import { sendingPorts } from './send/sending-ports.ts';
import { sendRun } from './send-run.ts';
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
  const header = named.header as RunHeader;
  const target = targetOf(named.noun);
  const { dryRun: isPreview } = ctx.flags;
  const over = { sql, draft: undefined, wasOver: true };
  if (named.hasEnded) return isPreview ? previewOf(named) : conclude(endedOf(named), over, ctx);
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
    if (opened === undefined || claim === undefined) {
      const ended = await runNamed(sql, named.name);
      return await conclude(endedOf(ended), over, ctx);
    }
    const resumed = {
      ledger,
      claim,
      planned: opened.planned,
      target,
      header,
      options,
      sql,
      folder,
    };
    const ended = await sendRest(resumed, ctx.clock.monotonic() - began, ctx);
    return await conclude(ended, { sql, draft: undefined }, ctx);
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
  const { ledger, claim, target, header, options } = run;
  const before = (claim.findings ?? {}) as Findings;
  refuseStoredAs(before, header, ctx);
  await compareAgain(run, ctx);
  const progress = progressFor(ctx);
  const workedMs = (before.workedMs ?? 0) + tookMs;
  const sending = await sendingPorts({ target, options, progress, header, workedMs }, ctx);
  const { sender, gate } = sending;
  const isExact = header.choices.exactCodes;
  const isListed = target.listing !== undefined;
  const sent = await sendRun({
    ...sending.ctx,
    ...readingOf({ target, sender, gate, options, isExact }, ledger, claim.number, ctx),
    ...{ ledger, claim, isListed, sendsEqual: header.choices.sendEqual },
  });
  if (sent.stop === undefined) progress.finish();
  const { counts: rows, hasEnded, findings, stop } = sent;
  return { number: claim.number, header, rows, hasEnded, findings, stop };
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
async function compareAgain(run: Resumed, ctx: Context): Promise<void> {
  const { ledger, claim, planned, header } = run;
  const { againUpTo, choices } = header;
  const { sendEqual: stopsAtHit } = choices;
  const held = await ledger.compare(claim, planned, { after: againUpTo ?? 0, stopsAtHit });
  if (held === undefined) throw taken(header);
  if (stopsAtHit && held.length > 0)
    throw new ProcError('incomplete', `${SENT_BY_OTHERS}; nothing was sent`, {
      details: { run: header.run },
    });
  const { listing, definesItems } = run.target;
  if (listing === undefined && definesItems !== true) return;
  using workplace = openWorkplace(run.folder, false);
  const draft = new Draft(workplace.folder);
  try {
    if (!(await addPending(draft, run))) return;
    if (listing === undefined) await planItemsAgain(draft, run, ctx);
    else await compareWithList(draft, run, ctx);
    await leaveOut(draft, run);
  } finally {
    draft.close();
  }
}

/** @returns false if there are none */
async function addPending(draft: Draft, { claim, sql }: Resumed): Promise<boolean> {
  let isEmpty = true;
  for await (const rows of rowsOfRun(sql, claim.number, ['pending'])) {
    for (const { row, key, body, line } of rows) {
      isEmpty = false;
      draft.add({
        row,
        state: 'pending',
        key,
        digest: null,
        body,
        source: null,
        line,
        reason: null,
      });
    }
  }
  return !isEmpty;
}

/** Items that lines define may exist by now. */
async function planItemsAgain(draft: Draft, run: Resumed, ctx: Context): Promise<void> {
  const { ledger, claim, target, header, options } = run;
  const { mapping, groupBy, source } = header;
  const planning = { target, mapping, groupBy, source, options, progress: progressFor(ctx) };
  const { refusal } = await planItems(draft, planning, ctx);
  if (refusal !== undefined) throw refusal;
  const bodies = new Map<number, string>();
  for (const { row, body, source: before } of draft.rows('pending'))
    if (before !== null) bodies.set(row, body!);
  if (!(await ledger.replaceBodies(claim, bodies))) throw taken(header);
}

async function compareWithList(draft: Draft, run: Resumed, ctx: Context): Promise<void> {
  const { target, header, options } = run;
  const { choices } = header;
  const planning = { target, options, progress: progressFor(ctx) };
  const list = await readList(draft, planning, ctx);
  const fields = { code: target.keyField, name: target.listing!.nameField };
  draft.compareWithList(fields, { isExact: choices.exactCodes });
  const counts = draft.planned();
  const refusal = unverifiedRefusal({ list, counts }, planning);
  if (refusal !== undefined) throw refusal;
}

async function leaveOut(draft: Draft, { ledger, claim, header }: Resumed): Promise<void> {
  let lot: LeftOut[] = [];
  const write = async () => {
    if (lot.length > 0 && !(await ledger.leaveOut(claim, lot))) throw taken(header);
    lot = [];
  };
  for (const { row, state, id, reason } of draft.rows('existing', 'rejected')) {
    lot.push({ row, state: state as LeftOut['state'], id, reason });
    if (lot.length === PER_LOT) await write();
  }
  await write();
}

function taken({ run }: RunHeader): ProcError {
  return new ProcError('import_busy', `another command continues ${run}; nothing was sent`, {
    hint: `See the state of the run: proc imports show ${inShell(run)}`,
    details: { run },
  });
}

function endedOf(run: StoredRun): EndedRun {
  return { ...reported(run), stop: undefined };
}

function previewOf(run: StoredRun): RecordResult {
  const { name, rows, header } = run;
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
  const none = new ProcError('reference_not_found', 'there is no unfinished import', {
    hint: 'List all runs: proc imports list',
  });
  if (!ledgerExists(ctx)) throw none;
  const { sql } = await ctx.ledger();
  if (typed !== undefined) return findRun(sql, typed);
  const runs = await runsIn(sql);
  const left = (what: 'resume' | 'resolve') => runs.filter((run) => leftOf(reported(run)) === what);
  const [unfinished, unconfirmed] = [left('resume'), left('resolve')];
  const [run] = unfinished.length > 0 ? unfinished : unconfirmed;
  if (run === undefined) throw none;
  if (unfinished.length === 1 || (unfinished.length === 0 && unconfirmed.length === 1)) return run;
  const candidates = (unfinished.length > 0 ? unfinished : unconfirmed).map(({ name }) => name);
  if (unfinished.length === 0)
    throw new ProcError(
      'ambiguous_reference',
      `there is no unfinished import, but ${unconfirmed.length} imports have unconfirmed rows`,
      {
        hint: `Check the service, then record the outcome: ${runCommand('resolve', run.header as RunHeader)}`,
        details: { candidates },
      },
    );
  const [place, without] = placeWords(run.header as RunHeader);
  throw new ProcError('ambiguous_reference', `there are ${unfinished.length} unfinished imports`, {
    hint: `Name one: ${typedAgain(ctx.typed, [run.name, ...place], without)}`,
    details: { candidates },
  });
}

/** @returns the flags that `typedAgain` adds, and the flags that it leaves out */
function placeWords({
  profile,
  environment,
}: RunHeader): [add: readonly string[], without: readonly string[]] {
  if (profile === undefined) return [[], []];
  const where = environment === undefined ? [] : ['-e', environment];
  return [
    ['-p', profile, ...where],
    ['-p', '--profile', '-e', '--env'],
  ];
}

const VERBS = { resume: 'Resume', resolve: 'Resolve' } as const;

/**
 * @throws ProcError `invalid_usage` if the run belongs to another service, profile, environment or
 *   organization than the command
 */
export async function checkDestination(
  { name, place, header }: StoredRun,
  verb: keyof typeof VERBS,
  ctx: Context,
): Promise<void> {
  const { profile, environment, baseUrl, organization } = header as RunHeader;
  const target = await ctx.target();
  const scope = await ctx.scope();
  const isNamed = target.profile === profile && target.environment === environment;
  // A run without a profile is tied only to an address. A profile with the same address may continue the run.
  const isThere = place.startsWith(`${scope.service} `) && (isNamed || profile === undefined);
  if (isThere && place !== scope.key) {
    throw new ProcError(
      'invalid_usage',
      `${name} imports into the organization ${organization}, but the key belongs to ${scope.organization}`,
      {
        hint: `Use the key of ${organization}. If this is a new key of ${organization}, set PROC_ORGANIZATION=${inShell(organization!)}`,
      },
    );
  }
  if (isThere) {
    if (target.isProtected)
      ctx.io.say({ kind: 'notice', tone: 'protected', text: `▸ ${placeName(target)}` });
    return;
  }
  const flags = `${profile === undefined ? '' : ` -p ${inShell(profile)}`}${environment === undefined ? '' : ` -e ${inShell(environment)}`}`;
  const needsUrl = isNamed || profile === undefined;
  throw new ProcError(
    'invalid_usage',
    isNamed
      ? `${name} imports into ${baseUrl}, not into ${target.baseUrl}`
      : `${name} imports into ${placeOf(header as RunHeader)}, not into ${placeOf(target)}`,
    {
      hint: `${VERBS[verb]} it there: ${needsUrl ? `PROC_BASE_URL=${inShell(baseUrl)} ` : ''}proc imports ${verb} ${inShell(name)}${needsUrl ? '' : flags}`,
    },
  );
}

/** `acme/production (https://procurement.example.com/api/v1)` */
function placeOf({
  profile,
  environment,
  baseUrl,
}: Pick<RunHeader, 'profile' | 'environment' | 'baseUrl'>): string {
  if (profile === undefined) return baseUrl;
  return `${profile}${environment === undefined ? '' : `/${environment}`} (${baseUrl})`;
}
