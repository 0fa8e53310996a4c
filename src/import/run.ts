import { ProcError } from '../core/errors.ts';
import type { Ports } from '../core/ports.ts';
import type { RecordResult, Result } from '../core/result.ts';
import { grouped } from '../core/text/decimal.ts';
import { keepImportHeapSmall } from '../listing/keep-heap-small.ts';
import type { ImportFlags, ResumeFlags } from './import-flags.ts';
import type { Lockable } from './import-lock.ts';
import type { OpenRun, SendPorts } from './open-run.ts';
import { isPhaseChanged } from './phases.ts';
import { confirmPlan, planResult, sayFindings, sayPlan } from './plan/confirm-plan.ts';
import { tooManyCreated } from './plan/import-plan.ts';
import { planRun } from './plan/plan-run.ts';
import { checkCreated } from './reconcile/check-created.ts';
import { beginSending, recordEnd } from './record-run.ts';
import { conclude, renameFiles } from './report/conclude.ts';
import { progressFor } from './report/progress.ts';
import { writeRowsFile } from './report/rows-file.ts';
import { countedIn } from './report/words.ts';
import { previewResume, reopenRun } from './resume/reopen-run.ts';
import { checkDestination, refuseUnsent, whichRun } from './resume/which-run.ts';
import { continuedFlags, refuseReports, runOptionsOf } from './run-options.ts';
import { runStop, sendRows } from './send-rows.ts';
import { removeSpool } from './source/open-source.ts';
import type { Source } from './source/record.ts';
import { stageSource } from './stage/stage-source.ts';
import { type ImportRequest, readRequest } from './start/import-request.ts';
import { headerOf, refuseUnfinished } from './start/new-header.ts';
import { openMapped } from './start/open-mapped.ts';
import { Run } from './store/run-file.ts';
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
  using workplace = await openWorkplace(request.folder, isPreview, ports.self);
  const { folder } = workplace;
  const waitMs = flags.waitLock ?? 0;
  const check = async (source: Source) => {
    if (!isPreview) await refuseUnfinished(source, request, ports, waitMs > 0);
  };
  const { source, kind, mapping } = await openMapped(request, folder, check, ports);
  try {
    if (!isPreview) {
      await ports.api.ensureAskable({
        what: `import ${target.many} from ${source.name}`,
        weight: 'bulk',
      });
    }
    saySpace(source, folder, ports);
    const begin = async () => {
      // The import that held the lock may have imported the same file.
      const earlier = await refuseUnfinished(source, request, ports);
      if (earlier?.writer !== undefined) {
        const { user, host } = earlier.writer;
        const text = `this import continues and replaces ${earlier.run}, which ${user} started on ${host}`;
        ports.io.say({ kind: 'warning', text });
      }
      const header = headerOf({ request, source, kind, mapping, earlier }, ports);
      return { path: runPath(folder, header.run), header };
    };
    const place = isPreview ? undefined : placeOf(request);
    const takingOver = { settleMs: request.options.settleMs, say: ports.io.say };
    return await withNewRun({ place, waitMs, takingOver, begin }, ports, async (run) => {
      const progress = progressFor(ports);
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

function saySpace({ name, bytes }: Source, folder: string, { io }: Ports<'io'>) {
  const size = bytes * SPACE_PER_BYTE;
  if (size <= MUCH_SPACE) return;

  const text = `importing ${name} takes about ${grouped(Math.ceil(size / 1e6))} MB in ${folder}`;
  io.say({ kind: 'notice', text });
}

/** What only one import at a time may write to. */
function placeOf({ folder, target, destination, scope }: ImportRequest): Lockable {
  const { baseUrl } = destination;
  return { folder, noun: target.noun, baseUrl, organization: scope.organization };
}

/** @throws ProcError `invalid_usage` */
function fileOf({ noun }: ImportTarget, typed: string | undefined): string {
  if (typed !== undefined) return typed;
  throw new ProcError('invalid_usage', '<file> is missing: the file to import', {
    hint: `See the help: proc ${noun} import --help`,
  });
}

/**
 * Resumes a run that was killed or stopped after it had begun to send. Who waited for the lock of a
 * run that ended meanwhile gets its summary, like anybody who resumes a run that is over.
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
  const { target, header } = named;
  keepImportHeapSmall();
  const began = ports.self.clock.monotonic();
  const options = await runOptionsOf(continuedFlags(flags, header.choices), ports);
  if (ports.api.isPreview) {
    refuseReports(flags);
    const run = await Run.read(named.path);
    try {
      refuseUnsent(run);
      if (summary(run).left !== 'nothing') await checkDestination(run, ports);
      return await previewResume(run, target, options, ports);
    } finally {
      run.close();
    }
  }
  const takingOver = { settleMs: options.settleMs, say: ports.io.say };
  return withRun(named, { waitMs: flags.waitLock, takingOver }, ports, async (run) => {
    refuseUnsent(run);
    if (summary(run).left === 'nothing') {
      renameFiles(run, flags, ports.self.cwd);
      return conclude(run, undefined, ports);
    }
    await checkDestination(run, ports);
    const { pending } = run.counts();
    const lines = target.definesItems === true ? run.rows.planned.countLines('pending') : undefined;
    const counts = countedIn(run.header);
    const create = { create: pending, counts, newItems: lines?.newItems };
    const { choices } = run.header;
    const tooMany = tooManyCreated(create, choices, ports.self.typed);
    if (tooMany !== undefined) throw tooMany;
    renameFiles(run, flags, ports.self.cwd);
    const progress = progressFor(ports);
    return continueRun({ run, target, options, progress, began }, ports);
  });
}

async function continueRun(opened: OpenRun, ports: SendPorts): Promise<RecordResult> {
  await reopenRun(opened, ports);
  return sendAndConclude(opened, ports);
}

/** With `--dry-run` the plan is the result. */
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
