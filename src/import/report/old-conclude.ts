import { statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { ProcError, withHint } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Ports } from '../../core/ports.ts';
import { sentence, sentenceIn } from '../../core/problem/sentence.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { changeText } from '../../core/service/code-change.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Stop } from '../open-run.ts';
import { isPhaseChanged } from '../phases.ts';
import { hiddenText, refusedText, twiceText } from '../reconcile/seen-after.ts';
import type { Run } from '../store/run-file.ts';
import { type Summary, summary } from '../store/run-summary.ts';
import { nextFor, resumeCommand, runCommand } from './old-next-steps.ts';
import { checkRejectedName, writeRejected } from './old-rejected-file.ts';
import { writeRowsFile } from './old-rows-file.ts';
import {
  briefColumns,
  COUNTS,
  type Files,
  summarise,
  summaryLayout,
  summarySentence,
} from './old-summary.ts';
import { countedIn, countedWord, countOf, rowsIn } from './words.ts';

/** Unconfirmed rows that a terminal shows with their reasons. */
const UNCONFIRMED_SHOWN = 10;

/** @param stop if another command has changed the run, this one only tells what it knows */
export async function conclude(
  run: Run,
  stop: Stop | undefined,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  const isTaken = isPhaseChanged(stop?.error);
  const { undelivered, ...files } = isTaken ? NO_FILES : await writeFiles(run, ports);
  const ended = summary(run, undefined, isTaken);
  const { counts } = ended;
  const resume = resumeCommand(ended, ports);
  const { rejectedFile } = files;
  const shownFile = rejectedFile === undefined ? undefined : near(rejectedFile, ports.self.cwd);
  const { stderrIsTerminal, stdoutIsTerminal } = ports.io.terminal;
  if (counts.created > 0) {
    const what = `import ${ended.header.source.name}: ${rowsIn(counts.created, countedWord(1, countedIn(ended.header)))} created`;
    ports.api.noteWritten({ what, see: `proc imports show ${inShell(ended.header.run)}` });
  }
  const changed = ended.fact('codesChanged');
  if (changed !== undefined) {
    const { sent, stored } = changed;
    const text = `the service stores codes ${changeText(changed)}: it stored ${sent} as ${stored}`;
    ports.io.say({ kind: 'warning', text });
  }
  const [failure, ...warnings] = endingsOf(ended, {
    stop,
    resume,
    resolve: runCommand('resolve', ended.header, ports),
    rejectedFile: stderrIsTerminal ? shownFile : rejectedFile,
    undelivered,
  });
  for (const error of warnings) ports.io.say({ kind: 'warning', text: withHint(error) });
  const value = summarise(ended, run, {
    files,
    stop,
    resume: ended.isLost || isTaken ? undefined : resume,
    next: nextFor(ended, rejectedFile, ports),
  });

  const result = { kind: 'record', idField: 'run', value, failure } as const;
  if (stderrIsTerminal) {
    const tone = failure === undefined ? { tone: 'done' as const } : {};
    ports.io.say({ kind: 'notice', text: summarySentence(value), ...tone });
  }
  if (!stdoutIsTerminal) return { ...result, ...summaryLayout() };
  const layout = (shown: Row) => ({
    ...summaryLayout(),
    columns: briefColumns(shown),
    isBrief: true,
  });
  const isTable = stderrIsTerminal && (await ports.io.showsTable());
  if (!isTable || ports.self.flags.fields !== undefined) return { ...result, ...layout(value) };
  // A table has no room for reasons.
  const { unconfirmedRows, ...others } = value;
  if (unconfirmedRows !== undefined) {
    const rows = run.rows.reported.unconfirmed(UNCONFIRMED_SHOWN);
    const lines = rows.map(
      ({ row, code, reason }) =>
        `row ${row}${code === null ? '' : ` (${code})`}: ${sentenceIn(reason) ?? 'no response was recorded'}`,
    );
    ports.io.say({ kind: 'notice', text: lines.map((line) => `  ${line}`).join('\n') });
  }
  const shown = {
    ...others,
    ...(shownFile === undefined ? {} : { rejectedFile: shownFile }),
    ...(stop === undefined ? {} : { stopped: stop.why }),
  };
  const laidOut = { ...result, ...layout(shown), value: shown };
  // With --quiet there is no sentence above the table.
  if (ports.self.flags.output !== undefined || ports.self.flags.quiet === true) return laidOut;
  const columns = laidOut.columns.filter(({ key }) => !isSaid(key));
  return columns.length > 0 ? { ...laidOut, columns } : { ...laidOut, page: () => '' };
}

const NO_FILES = { rejectedFile: undefined, resultsFile: undefined, undelivered: undefined };

/** Whether the sentence above the table, or the error below it, says this. */
function isSaid(key: string): boolean {
  const counts: readonly string[] = COUNTS;
  return counts.includes(key) || ['run', 'rejectedFile', 'resume', 'stopped'].includes(key);
}

/** A file as a person in this folder would type it: without the folder, if it is there. */
function near(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}

interface EndingInput {
  readonly stop: Stop | undefined;
  /** The commands that go on. */
  readonly resume: string;
  readonly resolve: string;
  readonly rejectedFile: string | undefined;
  /** The error if a file that the user asked for could not be written. */
  readonly undelivered: ProcError | undefined;
}

/**
 * The problems of a run at its end, worst first. The first problem decides the exit code of the
 * command; the others become warnings.
 */
function endingsOf(summary: Summary, input: EndingInput): readonly ProcError[] {
  const { stop, resume, resolve, rejectedFile, undelivered } = input;
  const { counts, parked, open, isLost } = summary;
  const { run, source } = summary.header;
  const counted = countedIn(summary.header);
  const details = { run, ...counts, parked };
  const endings: ProcError[] = [];
  const add = (code: ProcError['code'], message: string, hint?: string): void => {
    endings.push(new ProcError(code, message, { hint, details }));
  };
  const next = isLost
    ? 'The run cannot be resumed. Check the service before you import the file again'
    : `Resume it${open === 0 ? '' : `, to look up ${open} unconfirmed ${countedWord(open, counted)}`}: ${resume}`;

  const signal = signalOf(stop);
  if (signal !== undefined) add(signal.code, signal.message, next);
  if (parked > 0) {
    const check = isLost
      ? 'The run cannot be resumed. Check the service before you import the file again'
      : `Check the service, then run: ${resolve}`;
    add(
      'outcome_unknown',
      `${countOf(parked, counted)} ${parked === 1 ? 'was' : 'were'} sent but not confirmed`,
      check,
    );
  }
  if (undelivered !== undefined) {
    add(
      'undelivered',
      `${countOf(counts.created, counted)} created, but ${undelivered.message}`,
      `Write it again: ${resume} --results FILE`,
    );
  }
  if (stop !== undefined && signal === undefined) {
    const see = isPhaseChanged(stop.error) ? stop.error.hint : next;
    add('incomplete', `stopped: ${stop.why}`, see);
  } else if (stop === undefined && (counts.pending > 0 || open > 0)) {
    add(
      'incomplete',
      `${countOf(counts.pending + open, counted)} still to be sent or looked up`,
      next,
    );
  }
  if (counts.rejected > 0) {
    add(
      'rows_rejected',
      `${countOf(counts.rejected, counted)} ${counts.rejected === 1 ? 'was' : 'were'} rejected`,
      rejectedFile === undefined
        ? undefined
        : `Fix ${counts.rejected === 1 ? 'it' : 'them'} in ${rejectedFile}, then import that file`,
    );
  }
  const verified = summary.fact('verified');
  const twice = verified === undefined ? undefined : twiceText(verified);
  if (twice !== undefined) add('codes_doubled', twice);
  const refused = verified === undefined ? undefined : refusedText(verified);
  if (refused !== undefined)
    add(
      'rows_rejected',
      refused,
      'Check these records in the service before you import the rows again',
    );
  const hidden = verified === undefined ? undefined : hiddenText(verified);
  if (hidden !== undefined) {
    add(
      'created_not_listed',
      hidden,
      (verified?.hidden ?? 0) === 1
        ? 'Check the row in the service. This machine does not create it again, but an import from another machine would'
        : 'Check the rows in the service. This machine does not create them again, but an import from another machine would',
    );
  }
  const fileProblem = summary.fact('fileProblem');
  if (fileProblem !== undefined) {
    add('rows_rejected', `${source.name}: ${sentence(fileProblem)}`);
  }
  return endings;
}

/** The error of the signal that ended the run. */
function signalOf(stop: Stop | undefined): ProcError | undefined {
  if (stop?.kind !== 'interrupted' || !(stop.error instanceof ProcError)) return undefined;
  return stop.error.exitCode >= EXIT.hungUp ? stop.error : undefined;
}

/** `proc imports resume` can change the names of the result files. */
export function renameFiles(
  run: Run,
  {
    rejected,
    results,
  }: { readonly rejected?: string | undefined; readonly results?: string | undefined },
  cwd: string,
): void {
  if (rejected === undefined && results === undefined) return;
  checkRejectedName(rejected, run.header.source.format);
  run.note({
    ...(rejected === undefined ? {} : { rejectedFile: resolve(cwd, rejected) }),
    ...(results === undefined ? {} : { resultsFile: resolve(cwd, results) }),
  });
}

/**
 * Returns the first error instead of throwing it, so that the summary of the run is still shown.
 */
async function writeFiles(
  run: Run,
  ports: Ports<'io'>,
): Promise<Files & { undelivered: ProcError | undefined }> {
  const { rejectedFile, resultsFile } = run.files;
  let undelivered: ProcError | undefined;
  const attempt = async (
    path: string | undefined,
    write: (path: string) => string | Promise<string>,
  ) => {
    if (path === undefined) return undefined;
    try {
      return await write(path);
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      undelivered ??= thrown;
      return undefined;
    }
  };
  const hasRejected = run.counts().rejected > 0;
  const files = {
    rejectedFile: await attempt(hasRejected ? rejectedFile : undefined, async (path) => {
      const free = mayOverwrite(path, run) ? path : besides(path, run.header.run);
      if (free !== path) {
        const text = `the rejected rows are in ${free}, because ${path} may contain your changes`;
        ports.io.say({ kind: 'notice', text });
      }
      await writeRejected(run, free);
      run.note({
        rejectedFile: free,
        rejectedWritten: { file: free, modifiedMs: statSync(free).mtimeMs },
      });
      return free;
    }),
    resultsFile: await attempt(resultsFile, async (path) => {
      await writeRowsFile(run, path, '--results');
      return path;
    }),
  };
  return { ...files, undelivered };
}

function besides(path: string, run: string): string {
  const ending = extname(path);
  return join(dirname(path), `${basename(path, ending)}-${run}${ending}`);
}

/** A file that this run wrote, and that nobody has changed since: a person may be correcting it. */
function mayOverwrite(path: string, run: Run): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || !now.isFile()) return true;
  const own = run.get('rejectedWritten');
  return own?.file === path && own.modifiedMs === now.mtimeMs;
}
