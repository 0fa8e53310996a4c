import { relative } from 'node:path';
import { type ErrorCode, ProcError, withHint } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Ports } from '../../core/ports.ts';
import type { Next, RecordResult, Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import { LEDGER } from '../../ledger/open-ledger.ts';
import { rowsOfRun } from '../../ledger/run-queries.ts';
import type { Sql } from '../../ledger/sql.ts';
import type { BeginFiles, Conclude, EndedRun } from '../ended-run.ts';
import type { SendPorts, Stop } from '../open-run.ts';
import { importsFolder } from '../workplace.ts';
import {
  beginRejected,
  endRejected,
  type Folders,
  type RowSources,
  writeResults,
} from './files.ts';
import { reasonOf, rowLayout } from './row-record.ts';
import {
  CHANGE_CODES,
  COUNTS,
  columnsOf,
  countsOf,
  faultsOf,
  givingUp,
  importCommand,
  isListed,
  nextFor,
  runCommand,
  runRecord,
  summarySentence,
} from './run-summary.ts';
import { countedIn, countedWord, countOf } from './words.ts';

/** Rows that a message names. */
const NAMED = 10;

export const beginFiles: BeginFiles = async (header, draft, { store, self }) => {
  const { sql } = await store.open(LEDGER);
  await beginRejected(header, { sql, number: undefined, draft }, foldersOf(self));
};

function foldersOf(self: SendPorts['self']): Folders {
  return { cwd: self.cwd, imports: importsFolder(self) };
}

export const conclude: Conclude = async (run, { sql, draft }, ports) => {
  const { header, number, stop } = run;
  const from: RowSources = { sql, number, draft };
  const { undelivered, ...files } = await writeFiles(run, from, ports);
  const { created } = countsOf(run);
  if (created > 0) {
    const what = `import ${header.source.name}: ${countOf(created, countedIn(header))} created`;
    ports.api.noteWritten({ what, see: runCommand('show', header) });
  }
  const { rejectedFile } = files;
  const shown =
    rejectedFile !== undefined && ports.io.terminal.stderrIsTerminal
      ? near(rejectedFile, ports)
      : rejectedFile;
  const isLookedUp = stop === undefined || !isListed(header);
  const known = { isLookedUp, rejectedFile: shown, undelivered };
  const [failure, ...warnings] = endingsOf(run, known, ports);
  for (const warning of warnings) ports.io.say({ kind: 'warning', text: withHint(warning) });
  const next = nextFor(run, { rejectedFile, isLookedUp }, ports);
  return summarise(run, sql, { ...files, next, failure }, ports);
};

interface Summarised extends Omit<WrittenFiles, 'undelivered'> {
  readonly next: readonly Next[];
  readonly failure: ProcError | undefined;
}

/** One summary: on a terminal a sentence, elsewhere a record. */
export async function summarise(
  run: Omit<EndedRun, 'stop'> & Partial<Pick<EndedRun, 'stop'>>,
  sql: Sql,
  { next, failure, rejectedFile, resultsFile }: Summarised,
  { io, self }: Ports<'io' | 'self'>,
): Promise<RecordResult> {
  const { terminal, say } = io;
  const unconfirmed = await unconfirmedRows(run, sql);
  const value: Row = {
    ...runRecord(run),
    ...(rejectedFile === undefined ? {} : { rejectedFile }),
    ...(resultsFile === undefined ? {} : { resultsFile }),
    ...(unconfirmed.length === 0 ? {} : { unconfirmedRows: unconfirmed }),
    ...(run.stop === undefined ? {} : { stopped: run.stop.why }),
    next,
  };
  if (terminal.stderrIsTerminal) {
    const tone = failure === undefined ? { tone: 'done' as const } : {};
    say({ kind: 'notice', text: summarySentence(run), ...tone });
    for (const { row, code, reason } of unconfirmed)
      say({ kind: 'notice', text: `  row ${row}${code === null ? '' : ` (${code})`}: ${reason}` });
  }
  const columns = columnsOf(value, SUMMARY);
  const shown = { value, failure, columns };
  const result: RecordResult = { kind: 'record', idField: 'run', isBrief: true, ...shown };
  const { output, quiet, fields } = self.flags;
  const isSaid =
    terminal.stdoutIsTerminal &&
    terminal.stderrIsTerminal &&
    output === undefined &&
    fields === undefined &&
    quiet !== true &&
    (await io.showsTable());
  return isSaid ? { ...result, page: () => '' } : result;
}

/** What a table shows. */
const SUMMARY = [
  ...['run', 'state', 'rows', ...COUNTS, 'verified', 'createdTwice', 'createdNotListed'],
  ...['createdDiffering', 'rejectedFile', 'resultsFile', 'stopped', 'next'],
];

interface WrittenFiles {
  readonly rejectedFile?: string | undefined;
  readonly resultsFile?: string | undefined;
  /** The first error. The summary of the run is shown all the same. */
  readonly undelivered?: ProcError;
}

async function writeFiles(
  run: EndedRun,
  from: RowSources,
  ports: SendPorts,
): Promise<WrittenFiles> {
  const { header, stop } = run;
  // The ledger cannot be written, or another command continues the run.
  if (stop?.kind === 'journal') return {};
  let undelivered: ProcError | undefined;
  const attempt = async (write: () => Promise<string | undefined>) => {
    try {
      return await write();
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      undelivered ??= thrown;
      return undefined;
    }
  };
  const isWhole = run.hasEnded || run.number === undefined;
  const rejectedFile = await attempt(async () =>
    countsOf(run).rejected === 0
      ? undefined
      : endRejected(header, from, isWhole, foldersOf(ports.self)),
  );
  const { results } = header.files;
  const resultsFile = await attempt(async () => {
    if (results !== undefined) await writeResults(results, header, from);
    return results;
  });
  return { rejectedFile, resultsFile, ...(undelivered === undefined ? {} : { undelivered }) };
}

/** A file as a person in this folder would type it. */
function near(file: string, { self }: SendPorts): string {
  const path = relative(self.cwd, file);
  return path.startsWith('..') ? file : path;
}

async function unconfirmedRows({ number, header }: Pick<EndedRun, 'number' | 'header'>, sql: Sql) {
  if (number === undefined) return [];
  const { record } = rowLayout(header);
  for await (const lot of rowsOfRun(sql, number, ['unconfirmed', 'sending']))
    return lot.slice(0, NAMED).map((row) => ({
      row: row.row,
      code: (record(row).code ?? null) as string | null,
      reason: reasonOf(row) ?? 'no response was recorded',
    }));
  return [];
}

interface Known {
  readonly isLookedUp: boolean;
  readonly rejectedFile: string | undefined;
  readonly undelivered: ProcError | undefined;
}

/**
 * The problems of a run at its end, worst first: a signal, an unknown outcome (9), an undelivered file (11), a stop (10),
 * rejected rows (8). The first decides the exit code of the command, the others become warnings.
 */
function endingsOf(run: EndedRun, known: Known, ports: SendPorts): readonly ProcError[] {
  const { header, stop, hasEnded, number, findings } = run;
  const { rejectedFile, undelivered } = known;
  const counts = countsOf(run);
  const counted = countedIn(header);
  const were = (count: number) => `${countOf(count, counted)} ${count === 1 ? 'was' : 'were'}`;
  const details = { run: number === undefined ? null : header.run, ...counts };
  const endings: ProcError[] = [];
  const add = (code: ErrorCode, message: string, hint?: string) =>
    endings.push(new ProcError(code, message, { hint, details }));
  const open = counts.unconfirmed - header.planned.unconfirmed;
  const resolve = `Check the service, then run: ${runCommand('resolve', header, ports)}`;
  const next = wayOn(run, open, ports);
  const signal = signalOf(stop);
  if (signal !== undefined)
    add(signal.code, signal.message, number === undefined ? undefined : next);
  if (open > 0 && known.isLookedUp)
    add('outcome_unknown', `${were(open)} sent but not confirmed`, resolve);
  if (header.planned.unconfirmed > 0) {
    const message = `${were(header.planned.unconfirmed)} sent before but not confirmed`;
    add(
      'outcome_unknown',
      message,
      'See where: proc imports list --open; and for single writes: proc history list --open',
    );
  }
  for (const message of faultsOf(findings))
    add(
      'not_verified',
      message,
      `Check these records in the service. What was found: ${runCommand('show', header)}`,
    );
  if (undelivered !== undefined) {
    const hint = `Write the rows again: ${runCommand('rows', header)} --out FILE`;
    add(
      'undelivered',
      `${countOf(counts.created, counted)} created, but ${undelivered.message}`,
      hint,
    );
  }
  if (stop !== undefined && signal === undefined) add('incomplete', `stopped: ${stop.why}`, next);
  else if (stop === undefined && number !== undefined && !hasEnded && endings.length === 0)
    add(
      'incomplete',
      `${countOf(counts.pending + open, counted)} still to be sent or looked up`,
      next,
    );
  if (counts.rejected > 0) {
    const hint =
      rejectedFile === undefined
        ? undefined
        : `Correct ${counts.rejected === 1 ? 'it' : 'them'} in ${rejectedFile}, then run: ${importCommand(header, rejectedFile, ports)}`;
    add('rows_rejected', `${were(counts.rejected)} rejected`, hint);
  }
  return endings;
}

/**
 * The hint of a run that is not complete.
 *
 * @param open unconfirmed rows of the run
 */
function wayOn({ header, findings, ...run }: EndedRun, open: number, ports: SendPorts): string {
  if (findings.storedAs !== undefined)
    return `${CHANGE_CODES}. To give the rest of this run up: ${givingUp(header, ports)}`;
  const resume = runCommand('resume', header, ports);
  if (open === 0) return `Resume it: ${resume}`;
  const rows = `${grouped(open)} unconfirmed ${countedWord(open, countedIn(header))}`;
  if (isListed(header)) return `Resume it, to look up ${rows}: ${resume}`;
  // Only a person can tell what became of them.
  const resolve = `check the service, then run: ${runCommand('resolve', header, ports)}`;
  return (run.rows.pending ?? 0) === 0
    ? `For ${rows}: ${resolve}`
    : `Resume it: ${resume}. For ${rows}: ${resolve}`;
}

/** The error of the signal that ended the run. */
function signalOf(stop: Stop | undefined): ProcError | undefined {
  if (stop?.kind !== 'interrupted' || !(stop.error instanceof ProcError)) return undefined;
  return stop.error.exitCode >= EXIT.hungUp ? stop.error : undefined;
}
