import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { RecordResult, Result } from '../core/result.ts';
import { keepImportHeapSmall } from '../listing/keep-heap-small.ts';
import { importingFile } from '../messages/bulk.ts';
import type { ImportFlags, ResumeFlags } from './import-flags.ts';
import { chooseKind } from './kind/choose-kind.ts';
import { enterLedger } from './ledger/enter-ledger.ts';
import type { RunHeader } from './ledger/header.ts';
import { Journal } from './ledger/journal.ts';
import { journalFailure } from './ledger/ledger-failure.ts';
import { runCommand } from './ledger/place-flags.ts';
import { type ImportLock, lockImport } from './ledger/processes/import-lock.ts';
import { openWorkplace } from './ledger/processes/workplace.ts';
import { recordEnd } from './ledger/record-run.ts';
import type { OpenRun } from './open-run.ts';
import { confirmPlan, planResult, sayFindings, sayPlan } from './plan/confirm-plan.ts';
import { planRun } from './plan/plan-run.ts';
import { writePlan } from './plan/write-plan.ts';
import { checkCreated } from './reconcile/check-created.ts';
import { conclude } from './report/conclude.ts';
import { resumeCommand } from './report/next-command.ts';
import { progressFor } from './report/progress.ts';
import { renameFiles } from './report/report-files.ts';
import { previewResume } from './resume/preview-resume.ts';
import { reopenRun } from './resume/reopen-run.ts';
import { stageAgain } from './resume/stage-again.ts';
import { whichRun } from './resume/which-run.ts';
import { sealedOf } from './review/canonical-form.ts';
import { sealRun } from './review/seal-run.ts';
import { beginStaged, checkStaged } from './review/send-staged.ts';
import { refuseReports, runOptionsOf } from './run-options.ts';
import { beginSending } from './send/begin-sending.ts';
import { journalStop, sendRows } from './send/send-rows.ts';
import { removeSpool } from './source/remove-spool.ts';
import { stageSource } from './stage/stage-source.ts';
import { checkWhere } from './stage/steps/where-filter.ts';
import { createRun } from './start/create-run.ts';
import { readRequest } from './start/import-request.ts';
import { lockStart } from './start/lock-start.ts';
import { mapSource } from './start/map-source.ts';
import { openRequested } from './start/open-requested.ts';
import { refuseUnfinished } from './start/refuse-unfinished.ts';
import type { ImportTarget } from './targets/import-target.ts';
import { writeTemplate } from './template/write-template.ts';

/**
 * Sends no row before the plan is made and confirmed.
 *
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function startRun(
  target: ImportTarget,
  typed: string | undefined,
  flags: ImportFlags,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  const file = fileOf(target, typed, flags);
  if (flags.template !== undefined) return writeTemplate(target, flags.template, ports);
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  const request = await readRequest(target, file, flags, ports);
  const { isPreview } = ports.api;
  using workplace = openWorkplace(request.folder, isPreview);
  const source = await openRequested(request, workplace.folder, ports);
  let lock: ImportLock | undefined;
  let run: OpenRun | undefined;
  try {
    checkWhere(request.choices.where, source);
    if (!isPreview) refuseUnfinished(source, request, ports, (flags.waitLock ?? 0) > 0);
    const kind = chooseKind(source, request, ports);
    const mapping = await mapSource(source, kind, request, ports);
    if (!isPreview) lock = await lockStart(source, request, ports);
    run = createRun({ source, kind, mapping, request, began, folder: workplace.folder }, ports);
    lock?.tell(run.journal.header.run);
    await stageSource(run, source, ports);
    removeSpool(source, workplace.folder);
    return await planAndSend(run, ports);
  } catch (thrown) {
    if (run === undefined) throw thrown;
    const failure = journalFailure(run.journal.path, thrown);
    if (!wasSent(run.journal)) run.journal.discard();
    throw failure;
  } finally {
    run?.journal.close();
    removeSpool(source, workplace.folder);
    lock?.release();
  }
}

/**
 * Returns an empty string with `--template`, which imports nothing.
 *
 * @throws ProcError `invalid_usage`
 */
function fileOf({ noun }: ImportTarget, typed: string | undefined, flags: ImportFlags): string {
  const { template } = flags;
  if (typed !== undefined && template !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `--template writes the empty file ${template}, and would not import ${typed}`,
      { hint: `Remove ${typed} or --template` },
    );
  }
  if (typed !== undefined || template !== undefined) return typed ?? '';
  throw new ProcError('invalid_usage', "missing required argument 'file'", {
    hint: `See its usage: proc ${noun} import --help`,
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
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  if (ports.api.isPreview) refuseReports(flags);
  const { path, folder, header, target, isOver, awaitsSend } = await whichRun(
    targets,
    typed,
    ports,
  );
  if (awaitsSend) throw sendsInstead(header);
  const options = await runOptionsOf(flags, ports);
  if (ports.api.isPreview && !isOver) return previewResume(path, target, options, ports);
  const { clock, signal } = ports.self;
  const waiting = { clock, signal, waitMs: flags.waitLock ?? 0, run: header.run };
  const lock = isOver ? undefined : await lockImport({ folder, ...header }, waiting);
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    const run = { journal, target, options, progress: progressFor(ports, flags.progress), began };
    renameFiles(journal, flags, ports.self.cwd);
    if (isOver) return await conclude(journal, undefined, ports);
    if (['staging', 'planned'].includes(journal.phase) && header.isStaged !== true) {
      await ports.api.ensureAskable({
        what: importingFile(target.many, header.source.name),
        weight: 'bulk',
      });
    }
    if (journal.phase === 'staging') await stageAgain(run, folder, ports);
    if (journal.phase === 'planned') return await planAndSend(run, ports);
    await reopenRun(run, ports);
    return await sendAndConclude(run, ports);
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal?.close();
    lock?.release();
  }
}

/**
 * Sends a staged run if its plan still holds. If sending has already begun, resumes the run.
 *
 * @throws ProcError before rows are sent; later failures are part of the result
 */
export async function sendStagedRun(
  targets: readonly ImportTarget[],
  typed: string,
  flags: ResumeFlags,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<Result> {
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  const found = await whichRun(targets, typed, ports, 'send');
  const { path, folder, header, target, awaitsSend } = found;
  if (!awaitsSend) {
    if (header.isStaged !== true) throw wasNotStaged(header);
    if (found.isUnsealed) throw isNotYetStaged(found.header, ports);
    return resumeRun(targets, header.run, flags, ports);
  }
  if (ports.api.isPreview) refuseReports(flags);
  const options = await runOptionsOf(flags, ports);
  if (ports.api.isPreview) {
    return previewResume(path, target, options, ports, sealedOf);
  }
  await ports.api.ensureAskable({
    what: importingFile(target.many, header.source.name),
    weight: 'bulk',
  });
  const { clock, signal } = ports.self;
  const waiting = { clock, signal, waitMs: flags.waitLock ?? 0, run: header.run };
  const lock = await lockImport({ folder, ...header }, waiting);
  let journal: Journal | undefined;
  try {
    journal = Journal.open(path);
    const run = { journal, target, options, progress: progressFor(ports, flags.progress), began };
    renameFiles(journal, flags, ports.self.cwd);
    const checked = await checkStaged(run, ports);
    const isEmpty = checked.planned.plan.create === 0;
    if (!isEmpty) await confirmPlan(run, checked.planned, ports);
    await beginStaged(run, checked, ports);
    return isEmpty ? await conclude(journal, undefined, ports) : await sendAndConclude(run, ports);
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal?.close();
    lock.release();
  }
}

/** With `--dry-run` the plan is the result. With `--stage` the plan is saved instead of sent. */
async function planAndSend(
  run: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<RecordResult> {
  const planned = await planRun(run, ports).catch(async (thrown: unknown) => {
    await sayFindings(run.journal.get('findings') ?? [], ports);
    throw thrown;
  });
  // `seconds` of the summary includes reading and planning, but not the wait for a confirmation.
  const workedMs = Math.round(ports.self.clock.monotonic() - run.began);
  await sayPlan(run, planned, ports);
  await writePlan(run, ports);
  if (ports.api.isPreview) return planResult(run, planned, ports);
  if (planned.refusal !== undefined) throw planned.refusal;
  if (planned.plan.create === 0) {
    await enterLedger(run.journal, { phase: 'finished', workedMs }, ports);
    return await conclude(run.journal, undefined, ports);
  }
  if (run.journal.header.isStaged === true) return sealRun(run, planned, workedMs, ports);
  await confirmPlan(run, planned, ports);
  await beginSending(run, planned.plan.create, workedMs, ports);
  return sendAndConclude(run, ports);
}

async function sendAndConclude(
  run: OpenRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'store' | 'self'>,
): Promise<RecordResult> {
  const { journal, options } = run;
  let stop = await sendRows(run, ports);
  try {
    if (stop === undefined && options.checks.verify) await checkCreated(run, ports);
    await recordEnd(journal, stop, ports);
  } catch (thrown) {
    const failed = journalStop(journal, thrown);
    stop ??= failed;
  }
  return await conclude(journal, stop, ports);
}

/**
 * Only `imports send` checks everything that a staged plan depends on. So `imports resume` does not
 * send a staged run.
 */
function sendsInstead(header: RunHeader): ProcError {
  const { run } = header;
  return new ProcError('invalid_usage', `${run} is staged: proc imports resume does not send it`, {
    hint: `Send it: ${runCommand('send', header)}`,
    details: { run },
  });
}

function isNotYetStaged(header: RunHeader, ports: Ports<'io' | 'self'>): ProcError {
  const finish = resumeCommand({ header, phase: 'staging' }, ports);
  return new ProcError('invalid_usage', `${header.run} is not staged yet; nothing was sent`, {
    hint: `Finish staging: ${finish}. Then send it: ${runCommand('send', header)}`,
    details: { run: header.run },
  });
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

/** Whether rows may have been sent. An unreadable journal counts as sent, so that it is kept. */
function wasSent(journal: Journal): boolean {
  if (!journal.isOpen) return false;
  try {
    return ['sending', 'finished'].includes(journal.phase);
  } catch {
    return true;
  }
}
