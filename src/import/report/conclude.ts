import { relative } from 'node:path';
import type { Context } from '../../context.ts';
import { ProcError, withHint } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Next, RecordResult, Row } from '../../core/result.ts';
import type { Sql } from '../../ledger/sql.ts';
import type { Draft } from '../draft/draft.ts';
import type { EndedRun } from '../ended-run.ts';
import { endRejected, rejectedFilesOf, writeResults } from './files.ts';
import { detailsOf, endingsOf, errorOf, nextFor, runCommand } from './run-endings.ts';
import { COUNTS, columnsOf, countsOf, runRecord, summarySentence } from './run-summary.ts';
import { countIn } from './words.ts';

/** What a command has at the end of a run. */
export interface Concluded {
  readonly sql: Sql;
  /** With the rows that did not enter the ledger; undefined after a resume. */
  readonly draft: Draft | undefined;
  /** The run was over before this command: it writes no file. */
  readonly wasOver?: boolean;
}

/** Writes the files of a run, and makes its summary. Problems become the failure of the result. */
export async function conclude(
  run: EndedRun,
  { sql, draft, wasOver = false }: Concluded,
  ctx: Context,
): Promise<RecordResult> {
  const { header, stop } = run;
  const unwritten: ProcError[] = [];
  // Another command continues the run, or the ledger cannot be written.
  const isOthers = wasOver || stop?.kind === 'journal';
  const { rejectedFiles, resultsFile } = isOthers
    ? { rejectedFiles: rejectedFilesOf(header, countsOf(run).rejected), resultsFile: undefined }
    : await writeFiles(run, { sql, draft }, unwritten, ctx);
  const created = `${countIn(header, countsOf(run).created)} created`;
  const see = runCommand('show', header);
  if (countsOf(run).created > 0 && !wasOver)
    ctx.written.push({ what: `import ${header.source.name}: ${created}`, see });
  const shown = rejectedFiles.map((file) => near(file, ctx));
  const endings = endingsOf(run, shown, ctx);
  const errors = endings.map((ending) => errorOf(ending, run));
  for (const error of unwritten) {
    const hint =
      run.number === undefined
        ? undefined
        : `Write the rows again: ${runCommand('rows', header)} --out FILE`;
    errors.push(
      new ProcError('undelivered', `${created}, but ${error.message}`, {
        hint,
        details: detailsOf(run),
      }),
    );
  }
  const [failure, ...warnings] = withStop(errors, run);
  for (const warning of warnings) ctx.io.say({ kind: 'warning', text: withHint(warning) });
  const rejectedFile = rejectedFiles.at(-1);
  const next = nextFor(run, endings);
  return summarise(run, { rejectedFile, resultsFile, next, failure }, ctx);
}

/** The first decides the exit code of the command, the others become warnings. */
function withStop(errors: readonly ProcError[], run: EndedRun): readonly ProcError[] {
  const { stop } = run;
  const left = errors.find(({ code }) => code === 'incomplete');
  const others = errors.filter((error) => stop === undefined || error !== left);
  if (stop !== undefined) {
    const { error } = stop;
    const hint = left?.hint ?? (others[0]?.code === 'outcome_unknown' ? others[0].hint : undefined);
    const details = detailsOf(run);
    const isSignal = error instanceof ProcError && error.exitCode >= EXIT.hungUp;
    others.push(
      isSignal && stop.kind === 'interrupted'
        ? new ProcError(error.code, error.message, { hint, details })
        : new ProcError('incomplete', `stopped: ${stop.why}`, { hint, details }),
    );
  }
  const worst = [EXIT.outcomeUnknown, EXIT.undelivered, EXIT.incomplete, EXIT.someRejected];
  const rank = ({ exitCode }: ProcError) => worst.indexOf(exitCode as (typeof worst)[number]);
  return others.sort((one, other) => rank(one) - rank(other));
}

interface Summarised {
  readonly next: readonly Next[];
  readonly failure: ProcError | undefined;
  readonly rejectedFile?: string | undefined;
  readonly resultsFile?: string | undefined;
}

/** What a table shows. */
const SUMMARY = [
  ...['run', 'state', 'rows', ...COUNTS, 'verified', 'createdTwice', 'createdNotListed'],
  ...['createdDiffering', 'rejectedFile', 'resultsFile', 'stopped', 'next'],
];

/** One summary: on a terminal a sentence, elsewhere a record. */
export function summarise(
  run: Omit<EndedRun, 'stop'> & Partial<Pick<EndedRun, 'stop'>>,
  { next, failure, rejectedFile, resultsFile }: Summarised,
  ctx: Context,
): RecordResult {
  const { terminal, say } = ctx.io;
  const value: Row = {
    ...runRecord(run),
    ...(rejectedFile === undefined ? {} : { rejectedFile }),
    ...(resultsFile === undefined ? {} : { resultsFile }),
    ...(run.stop === undefined ? {} : { stopped: run.stop.why }),
    next,
  };
  if (terminal.stderrIsTerminal) {
    const tone = failure === undefined ? { tone: 'done' as const } : {};
    say({ kind: 'notice', text: summarySentence(run), ...tone });
  }
  const { output, quiet } = ctx.flags;
  const isSaid = terminal.stdoutIsTerminal && terminal.stderrIsTerminal;
  const page = isSaid && output === undefined && quiet !== true ? () => '' : undefined;
  const columns = columnsOf(value, SUMMARY);
  return { kind: 'record', idField: 'run', isBrief: true, value, failure, columns, page };
}

async function writeFiles(
  run: EndedRun,
  { sql, draft }: Concluded,
  unwritten: ProcError[],
  ctx: Context,
) {
  const { header, number } = run;
  const from = { sql, number, draft };
  const attempt = async <T>(write: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await write();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      unwritten.push(thrown);
      return undefined;
    }
  };
  const rejectedFiles = await attempt(async () => endRejected(run, from, ctx));
  const { results } = header.files;
  const resultsFile = await attempt(async () => {
    // The ledger lacks the rows that were not sent.
    if (results === undefined || draft === undefined) return undefined;
    await writeResults(results, header, from);
    return results;
  });
  return { rejectedFiles: rejectedFiles ?? [], resultsFile };
}

/** A file as a person in this folder would type it. */
function near(file: string, ctx: Context): string {
  const path = relative(ctx.cwd, file);
  return ctx.io.terminal.stderrIsTerminal && !path.startsWith('..') ? path : file;
}
