import { statSync } from 'node:fs';
import v8 from 'node:v8';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column, RecordResult } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { importing } from '../../messages/bulk.ts';
import { writeNow } from '../../terminal/write.ts';
import type { RunOptions } from '../import-flags.ts';
import type { Journal } from '../ledger/journal.ts';
import { recordBegin, recordEnd } from '../ledger/record-run.ts';
import { summary } from '../ledger/run-summary.ts';
import { importsFolder } from '../ledger/runs.ts';
import { reportBack } from '../ledger/sent/repaired-rows.ts';
import { forgetSent, noteSent } from '../ledger/sent/sent-before.ts';
import { senderFor } from '../plan/catalogue/open-listing.ts';
import { planRecord, planRun, planText } from '../plan/plan-run.ts';
import { checkCreated } from '../reconcile/check-created.ts';
import { endingsOf } from '../report/ending.ts';
import { freePath } from '../report/free-path.ts';
import { type Files, summarise } from '../report/import-summary.ts';
import { resumeCommand } from '../report/next-command.ts';
import { Progress } from '../report/progress.ts';
import { writeRejected } from '../report/rejected-file.ts';
import { writeResults } from '../report/results-file.ts';
import { rowsIn } from '../report/words.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { execute } from './execute.ts';
import { MOST } from './pace.ts';
import type { Stop } from './sending.ts';

export const SUMMARY_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN' },
  { key: 'rows', header: 'ROWS', kind: 'number' },
  { key: 'created', header: 'CREATED', kind: 'number' },
  { key: 'existing', header: 'EXISTING', kind: 'number' },
  { key: 'duplicates', header: 'DUPLICATES', kind: 'number' },
  { key: 'dropped', header: 'DROPPED', kind: 'number' },
  { key: 'rejected', header: 'REJECTED', kind: 'number' },
  { key: 'unknown', header: 'UNKNOWN', kind: 'number' },
  { key: 'pending', header: 'PENDING', kind: 'number' },
];

/** Of a plan that a person has just read as text, a table repeats the counts. */
const PLAN_COLUMNS: readonly Column[] = [
  { key: 'dryRun', header: 'DRY RUN' },
  { key: 'source', header: 'SOURCE' },
  { key: 'rows', header: 'ROWS', kind: 'number' },
  { key: 'create', header: 'CREATE', kind: 'number' },
  { key: 'existing', header: 'EXISTING', kind: 'number' },
  { key: 'duplicates', header: 'DUPLICATES', kind: 'number' },
  { key: 'invalid', header: 'INVALID', kind: 'number' },
];

/** Look-ups run beside the creates. */
const SPARE_CONNECTIONS = 4;

/**
 * Keeps V8 from making room for the flood of short-lived rows: its young generation stays small, and
 * the old one is cleaned before it has doubled. Nearly halves the memory at the same rate.
 */
export function stayLean(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  v8.setFlagsFromString('--heap-growing-percent=100');
  v8.setFlagsFromString('--no-parallel-scavenge');
}

export function progressFor(
  ports: Ports<'io' | 'self'>,
  form: 'auto' | 'json' | undefined,
): Progress {
  const { terminal, say, streams } = ports.io;
  const { clock } = ports.self;
  return new Progress({
    say,
    clock,
    redraws: terminal.stderrIsTerminal && !terminal.accessible,
    writeJson: form === 'json' ? (line) => writeNow(streams.stderr, line) : undefined,
  });
}

/**
 * Plans a staged run, shows and confirms the plan, and sends it. `--dry-run` ends with the plan.
 *
 * @param began when its source began to be read, by the monotonic clock
 * @throws ProcError before anything was sent
 */
export async function planAndSend(
  journal: Journal,
  target: ImportTarget,
  manners: RunOptions,
  ports: Ports<'io' | 'api' | 'ask' | 'store' | 'self'>,
  progress: Progress,
  began: number,
): Promise<RecordResult> {
  const { header } = journal;
  const planned = await planRun(journal, target, manners, ports, progress);
  // Reading and planning are work too; the time that a person takes to confirm is not.
  const planningMs = Math.round(ports.self.clock.monotonic() - began);
  const { name } = header.source;
  const { refusal } = planned;
  const fileProblem = journal.get('fileProblem');
  // Before anybody agrees to a plan that is one of a part of the file.
  if (fileProblem !== undefined && (ports.api.isPreview || ports.io.terminal.interactive)) {
    ports.io.say({ kind: 'warning', text: `${name}: ${fileProblem}` });
  }
  if (ports.api.isPreview) {
    const plan = planRecord(planned, target, name, header.mapping);
    const value = fileProblem === undefined ? plan : { ...plan, fileProblem };
    journal.discard();
    // The plan is what was asked for; it ends as the import itself would.
    const result = { kind: 'record', value, failure: refusal } as const;
    if (!ports.io.terminal.interactive) return result;
    ports.io.say({ kind: 'notice', text: planText(planned, target, name) });
    return { ...result, columns: PLAN_COLUMNS, isBrief: true };
  }
  if (ports.io.terminal.interactive) {
    ports.io.say({ kind: 'notice', text: planText(planned, target, name) });
  }
  if (refusal !== undefined) throw refusal;
  if (planned.plan.create === 0) {
    journal.note({ phase: 'finished', workedMs: planningMs });
    return conclude(journal, undefined, ports);
  }
  const newItems = planned.items?.counts.newItems ?? 0;
  const what = importing(planned.plan.create, target, name, newItems);
  await ports.api.confirm({ what, weight: 'bulk' });
  ports.self.signal.throwIfAborted();
  await recordBegin(journal, target, planned.plan.create, ports);
  const scope = await ports.store.scope();
  if (target.listing === undefined) await noteSent(journal, ports);
  try {
    journal.note({
      phase: 'sending',
      workedMs: planningMs,
      keyMark: scope.markOf(header.run),
      firstSentAt: ports.self.clock.now(),
    });
  } catch (thrown) {
    if (target.listing === undefined) await forgetSent(journal, ports);
    throw thrown;
  }
  return sendRun(journal, target, manners, ports, progress);
}

/** Sends a planned run to its end, or as far as it goes, and tells what became of it. */
export async function sendRun(
  journal: Journal,
  target: ImportTarget,
  manners: RunOptions,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
  progress: Progress,
): Promise<RecordResult> {
  const { clock, signal } = ports.self;
  const connections = (manners.concurrency ?? MOST) + SPARE_CONNECTIONS;
  const sender = await senderFor(target, journal, ports, connections);
  const before = journal.get('workedMs') ?? 0;
  const began = clock.monotonic();
  const stop = await execute({
    journal,
    target,
    sender,
    clock,
    signal,
    manners,
    onGlance: (glance) => progress.glance(glance),
  });
  const worked = before + Math.round(clock.monotonic() - began);
  if (stop?.kind !== 'journal') {
    const over = { phase: 'finished', finishedAt: clock.now() } as const;
    journal.note({ workedMs: worked, ...(stop === undefined ? over : {}) });
  }
  if (stop === undefined && manners.checks.verify) {
    await checkCreated(journal, target, ports, progress, manners.settleMs);
  }
  await recordEnd(journal, stop, ports);
  return conclude(journal, stop, ports);
}

/** The summary of a run, with its files written; for a finished run the same as at its end. */
export function conclude(
  journal: Journal,
  stop: Stop | undefined,
  ports: Ports<'io' | 'api' | 'self'>,
): RecordResult {
  reportBack(journal, importsFolder(ports.self.env));
  const { undelivered, ...files } = writeFiles(journal, ports);
  const run = summary(journal);
  const { counts } = run;
  const resume = resumeCommand(run, ports);
  const { rejectedFile } = files;
  if (counts.created > 0) {
    const what = `import ${run.header.source.name}: ${rowsIn(counts.created)} created`;
    ports.api.noteWritten({ what, see: `proc imports show ${inShell(run.header.run)}` });
  }
  const [failure, ...others] = endingsOf(run, {
    stop,
    resume,
    rejectedFile,
    undelivered,
  });
  for (const { message, hint } of others) {
    ports.io.say({ kind: 'warning', text: hint === undefined ? message : `${message}. ${hint}` });
  }
  return {
    kind: 'record',
    columns: SUMMARY_COLUMNS,
    idField: 'run',
    value: summarise(run, files, stop, run.isLost ? undefined : resume),
    failure,
  };
}

/** A file that cannot be written does not hide what became of the run. */
function writeFiles(
  journal: Journal,
  ports: Ports<'io'>,
): Files & { undelivered: ProcError | undefined } {
  const { rejectedFile, resultsFile } = journal.files;
  let undelivered: ProcError | undefined;
  const attempt = (path: string | undefined, write: (path: string) => string) => {
    if (path === undefined) return undefined;
    try {
      return write(path);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      undelivered ??= thrown;
      return undefined;
    }
  };
  const hasRejected = journal.counts().rejected > 0;
  const files = {
    rejectedFile: attempt(hasRejected ? rejectedFile : undefined, (path) => {
      if (isBeingMended(journal, path)) {
        ports.io.say({
          kind: 'notice',
          text: `${path} was changed since it was written: it is left as it is`,
        });
        return path;
      }
      const free = freePath(path, journal);
      if (free !== path) {
        const text = `${path} holds what may be worked on: it is left as it is, and the rejected rows are in ${free}`;
        ports.io.say({ kind: 'notice', text });
      }
      writeRejected(journal, free);
      journal.note({
        rejectedFile: free,
        rejectedWritten: statSync(free).mtimeMs,
        rejectedWrittenTo: free,
      });
      return free;
    }),
    resultsFile: attempt(resultsFile, (path) => {
      writeResults(journal, path);
      return path;
    }),
  };
  return { ...files, undelivered };
}

/** Somebody works on the file of an earlier end of this run. */
function isBeingMended(journal: Journal, path: string): boolean {
  const written = journal.get('rejectedWritten');
  const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  const isTheOne = path === (journal.get('rejectedWrittenTo') ?? journal.header.rejectedFile);
  return isTheOne && written !== undefined && now !== undefined && now !== written;
}
