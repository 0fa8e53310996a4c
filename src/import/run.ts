import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { RecordResult, Result } from '../core/result.ts';
import { grouped } from '../core/text/decimal.ts';
import { keepImportHeapSmall } from '../listing/keep-heap-small.ts';
import { continuing, importingFile } from '../messages/bulk.ts';
import { importPlanMessages } from '../messages/planning.ts';
import type { ImportFlags, ResumeFlags, SendFlags } from './import-flags.ts';
import type { Lockable } from './import-lock.ts';
import type { OpenRun, RunPorts, SendPorts } from './open-run.ts';
import { isPhaseChanged, NEXT } from './phases.ts';
import { confirmPlan, planResult, sayFindings, sayPlan } from './plan/confirm-plan.ts';
import { tooManyCreated } from './plan/import-plan.ts';
import { planRun } from './plan/plan-run.ts';
import { keepRefuted } from './plan/rehearsed.ts';
import { checkCreated } from './reconcile/check-created.ts';
import { beginSending, recordEnd } from './record-run.ts';
import { conclude, renameFiles } from './report/conclude.ts';
import { resumeCommand, runCommand } from './report/next-steps.ts';
import { progressFor } from './report/progress.ts';
import { writeRowsFile } from './report/rows-file.ts';
import { countedIn } from './report/words.ts';
import { previewResume, reopenRun, stageAgain } from './resume/reopen-run.ts';
import { checkDestination, type TargetedRun, whichRun } from './resume/which-run.ts';
import { beginStaged, checkStaged, sealRun } from './review/send-staged.ts';
import {
  checkDigest,
  digestIn,
  isStatement,
  keepStatement,
  openShown,
  openStatement,
} from './review/statement-run.ts';
import { continuedFlags, refuseReports, runOptionsOf } from './run-options.ts';
import { runStop, sendRows } from './send-rows.ts';
import { removeSpool } from './source/bytes/spool.ts';
import type { Source } from './source/record.ts';
import { stageSource } from './stage/stage-source.ts';
import { type ImportRequest, readRequest } from './start/import-request.ts';
import { headerOf, refuseUnfinished } from './start/new-header.ts';
import { openMapped } from './start/open-mapped.ts';
import type { RunHeader } from './store/facts.ts';
import type { Run } from './store/run-file.ts';
import { summary } from './store/run-summary.ts';
import { runPath } from './store/runs.ts';
import type { ImportTarget } from './targets/import-target.ts';
import { withNewRun, withRun } from './with-run.ts';
import { openWorkplace } from './workplace.ts';

/**
 * Sends no row before the plan is made and confirmed.
 *
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function startRun(
  target: ImportTarget,
  typed: string | undefined,
  flags: ImportFlags,
  ports: SendPorts,
): Promise<Result> {
  const file = fileOf(target, typed);
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  const request = await readRequest(target, file, flags, ports);
  const { isPreview } = ports.api;
  using workplace = await openWorkplace(request.folder, isPreview);
  const { folder } = workplace;
  const waitMs = flags.waitLock ?? 0;
  const check = async (source: Source) => {
    if (!isPreview) await refuseUnfinished(source, request, ports, waitMs > 0);
  };
  const { source, kind, mapping } = await openMapped(request, folder, check, ports);
  try {
    if (!isPreview) await checkAskable(target, source, flags, ports);
    await saySpace(source, folder, ports);
    const begin = async () => {
      // The import that held the lock may have imported the same file.
      const earlier = await refuseUnfinished(source, request, ports);
      if (earlier?.writer !== undefined)
        ports.io.say({ kind: 'warning', text: continuing(earlier.run, earlier.writer) });
      const header = headerOf({ request, source, kind, mapping, earlier }, ports);
      return { path: runPath(folder, header.run), header };
    };
    const place = isPreview ? undefined : placeOf(request);
    const takingOver = { settleMs: request.options.settleMs, say: ports.io.say };
    return await withNewRun({ place, waitMs, takingOver, begin }, ports, async (run) => {
      const progress = progressFor(ports, flags.progress);
      const opened = { run, target, options: request.options, progress, began };
      await stageSource(opened, source, ports);
      removeSpool(source, folder);
      return planAndSend(opened, ports);
    });
  } finally {
    removeSpool(source, folder);
  }
}

/** Up to this many bytes, nobody needs to know. */
const MUCH_SPACE = 100_000_000;

/** A run keeps the record and the body of each row, with its indexes, and a write-ahead log while it is written. */
const SPACE_PER_BYTE = 4;

/** Packed bytes from which the size of a gzip file is estimated. */
const PACKED_SAMPLE = 32 << 10;

async function unpackedBytes({ path, bytes, format }: Source): Promise<number> {
  if (!format.gzip) return bytes;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PACKED_SAMPLE), 0, PACKED_SAMPLE, 0);
    const sample = gunzipSync(buffer.subarray(0, bytesRead), {
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return (bytes * sample.length) / bytesRead;
  } catch {
    // Damaged data: reading the source says where.
    return bytes;
  } finally {
    await file.close();
  }
}

async function saySpace(source: Source, folder: string, { io }: Ports<'io'>) {
  const { name } = source;
  const size = (await unpackedBytes(source)) * SPACE_PER_BYTE;
  if (size <= MUCH_SPACE) return;

  const text = importPlanMessages.space(name, `${grouped(Math.ceil(size / 1e6))} MB`, folder);
  io.say({ kind: 'notice', text });
}

/** What only one import at a time may write to. */
function placeOf({ folder, target, destination, scope }: ImportRequest): Lockable {
  const { baseUrl } = destination;
  return { folder, noun: target.noun, baseUrl, organization: scope.organization };
}

/**
 * Called before the lock is taken: nobody should wait for it in vain. Staging asks nothing.
 *
 * @throws ProcError `confirmation_required`
 */
async function checkAskable(
  { many }: ImportTarget,
  { name }: { readonly name: string },
  { stage }: { readonly stage?: boolean | undefined },
  ports: Ports<'api'>,
): Promise<void> {
  if (stage === true) return;
  await ports.api.ensureAskable({ what: importingFile(many, name), weight: 'bulk' });
}

/** @throws ProcError `invalid_usage` */
function fileOf({ noun }: ImportTarget, typed: string | undefined): string {
  if (typed !== undefined) return typed;
  throw new ProcError('invalid_usage', '<file> is missing: the file to import', {
    hint: `See the help: proc ${noun} import --help`,
  });
}

/**
 * Resumes a run that was killed or stopped, from the phase that it had reached.
 *
 * @param typed name of the run; undefined for the only unfinished one
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function resumeRun(
  targets: readonly ImportTarget[],
  typed: string | undefined,
  flags: ResumeFlags,
  ports: SendPorts,
): Promise<Result> {
  const named = await whichRun(targets, typed, ports);
  const verb = { verb: 'resume', flags, check: checkResumable } as const;
  return goOn(named, verb, ports, async (opened) => {
    const { run, target } = opened;
    const next = NEXT[run.phase].resume;
    if (next === 'continue') return continueRun(opened, ports);
    await checkAskable(target, run.header.source, { stage: run.header.isStaged }, ports);
    if (next === 'read') await stageAgain(opened, named.folder, ports);
    return planAndSend(opened, ports);
  });
}

/**
 * Sends a staged run, or a statement, if its plan still holds. If sending has already begun, resumes
 * the run.
 *
 * @param typed name of the run, or file of the statement
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function sendReviewed(
  targets: readonly ImportTarget[],
  typed: string,
  flags: SendFlags,
  ports: SendPorts,
): Promise<Result> {
  const digest = digestIn(flags, typed);
  if (!isStatement(typed))
    return sendStaged(await whichRun(targets, typed, ports), digest, flags, ports);
  const statement = await openStatement(typed, ports.self);
  const { header, sealed } = statement;
  checkDigest(sealed.digest, digest, typed);
  const target = targets.find(({ noun }) => noun === header.noun)!;
  const verb = { verb: 'send', flags, check: () => undefined } as const;
  if (ports.api.isPreview) return previewRun(target, typed, verb, ports);
  await keepStatement(statement, target, flags, ports);
  return sendStaged(await whichRun(targets, header.run, ports), digest, flags, ports);
}

async function sendStaged(
  named: TargetedRun,
  digest: string | undefined,
  flags: ResumeFlags,
  ports: SendPorts,
): Promise<Result> {
  if (named.header.isStaged !== true) throw wasNotStaged(named.header);
  const check = (run: Run) => checkSendable(run, digest, ports);
  return goOn(named, { verb: 'send', flags, check }, ports, async (opened) => {
    const { run, target } = opened;
    if (NEXT[run.phase].send === 'continue') return continueRun(opened, ports);
    await checkAskable(target, run.header.source, {}, ports);
    const checked = await checkStaged(opened, ports);
    const isEmpty = checked.planned.plan.create === 0;
    if (!isEmpty) await confirmPlan(opened, checked.planned, ports);
    await beginStaged(opened, checked, ports);
    return isEmpty ? conclude(run, undefined, ports) : sendAndConclude(opened, ports);
  });
}

interface Continuing {
  readonly verb: 'resume' | 'send';
  readonly flags: ResumeFlags;
  /** @throws ProcError if the verb is not for this run */
  check(run: Run): void;
}

/**
 * Opens a run to continue it. Who waited for the lock of a run that ended meanwhile gets its
 * summary, like anybody who resumes a run that is over.
 */
async function goOn(
  named: TargetedRun,
  continuing: Continuing,
  ports: RunPorts,
  act: (run: OpenRun) => Promise<RecordResult>,
): Promise<Result> {
  const { target, header } = named;
  if (ports.api.isPreview) return previewRun(target, header.run, continuing, ports);
  const { verb, flags, check } = continuing;
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  const options = await runOptionsOf(continuedFlags(flags, header.choices), ports);
  const takingOver = { settleMs: options.settleMs, say: ports.io.say };
  return withRun(named, { waitMs: flags.waitLock, takingOver }, ports, async (run) => {
    check(run);
    if (summary(run).left === 'nothing') {
      renameFiles(run, flags, ports.self.cwd);
      return conclude(run, undefined, ports);
    }
    await checkDestination(run, ports, verb);
    // A plan that is still to be made checks this itself, once it knows how many rows there are.
    if (!['read', 'plan'].includes(NEXT[run.phase].resume)) {
      const { pending } = run.counts();
      const { choices } = run.header;
      const lines =
        target.definesItems === true ? run.rows.planned.countLines('pending') : undefined;
      const counts = countedIn(run.header);
      const create = { create: pending, counts, newItems: lines?.newItems };
      const tooMany = tooManyCreated(create, choices, options.maxCreate, ports.self.typed);
      if (tooMany !== undefined) throw tooMany;
    }
    renameFiles(run, flags, ports.self.cwd);
    const progress = progressFor(ports, flags.progress);
    return act({ run, target, options, progress, began });
  });
}

/** @param shows the run or the statement, as {@link openShown} takes it */
async function previewRun(
  target: ImportTarget,
  shows: string,
  { verb, flags, check }: Continuing,
  ports: RunPorts,
): Promise<Result> {
  keepImportHeapSmall();
  refuseReports(flags);
  using shown = await openShown(shows, ports);
  const { run } = shown;
  const options = await runOptionsOf(continuedFlags(flags, run.header.choices), ports);
  check(run);
  if (summary(run).left !== 'nothing') await checkDestination(run, ports, verb);
  return await previewResume(run, target, options, ports);
}

/**
 * Only `imports send` checks everything that a staged plan depends on. So `imports resume` does not
 * send a staged run.
 */
function checkResumable({ header, phase }: Run): void {
  const { run } = header;
  if (NEXT[phase].resume !== 'use send') return;
  throw new ProcError('invalid_usage', `${run} is staged: proc imports resume does not send it`, {
    hint: `Send it: ${runCommand('send', header)}`,
    details: { run },
  });
}

/** @throws ProcError `invalid_usage` if the run has no saved plan; `plan_changed` */
function checkSendable(run: Run, digest: string | undefined, ports: Ports<'io' | 'self'>): void {
  const { header, phase } = run;
  if (NEXT[phase].send === 'stage first') {
    const finish = resumeCommand(run, ports);
    throw new ProcError('invalid_usage', `${header.run} is not staged yet; nothing was sent`, {
      hint: `Finish staging: ${finish}. Then send it: ${runCommand('send', header)}`,
      details: { run: header.run },
    });
  }
  checkDigest(run.get('sealed')?.digest, digest, header.run);
}

async function continueRun(opened: OpenRun, ports: SendPorts): Promise<RecordResult> {
  await reopenRun(opened, ports);
  return sendAndConclude(opened, ports);
}

/** With `--dry-run` the plan is the result. With `--stage` the plan is saved instead of sent. */
async function planAndSend(opened: OpenRun, ports: SendPorts): Promise<RecordResult> {
  const planned = await planRun(opened, ports).catch(async (thrown: unknown) => {
    await sayFindings(opened.run.get('findings') ?? [], ports);
    throw thrown;
  });
  // `seconds` of the summary includes reading and planning, but not the wait for a confirmation.
  const workedMs = Math.round(ports.self.clock.monotonic() - opened.began);
  await sayPlan(opened, planned, ports);
  if (ports.api.isPreview) {
    const { resultsFile } = opened.run.header;
    if (resultsFile !== undefined) await writeRowsFile(opened.run, resultsFile, '--results');
    return planResult(opened, planned, ports);
  }
  if (planned.refusal !== undefined) throw planned.refusal;
  if (planned.plan.create === 0) {
    await opened.run.begin('skip', { facts: { workedMs } });
    return await conclude(opened.run, undefined, ports);
  }
  if (opened.run.header.isStaged === true) return sealRun(opened, planned, workedMs, ports);
  await confirmPlan(opened, planned, ports);
  await beginSending(opened, { rows: planned.plan.create, workedMs }, ports);
  return sendAndConclude(opened, ports);
}

async function sendAndConclude(opened: OpenRun, ports: SendPorts): Promise<RecordResult> {
  const { run } = opened;
  let stop = await sendRows(opened, ports);
  if (isPhaseChanged(stop?.error)) return await conclude(run, stop, ports);
  try {
    stop ??= await checkCreated(opened, ports);
    await keepRefuted(run, ports);
    await recordEnd(run, stop, ports);
  } catch (thrown) {
    const failed = runStop(run, thrown);
    stop ??= failed;
  }
  try {
    return await conclude(run, stop, ports);
  } catch (thrown) {
    if (!isPhaseChanged(thrown)) throw thrown;
    return await conclude(run, runStop(run, thrown), ports);
  }
}

function wasNotStaged(header: RunHeader): ProcError {
  const { run } = header;
  return new ProcError(
    'invalid_usage',
    `${run} was not staged, so proc imports send does not send it`,
    {
      hint: `Resume it: ${runCommand('resume', header)}`,
      details: { run },
    },
  );
}
