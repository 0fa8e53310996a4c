import { readConfig, storedProfile } from '../../config/config-file.ts';
import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import type { Column, Next, Result, Row, RowsResult, TextResult } from '../../core/result.ts';
import { listed } from '../../core/wording.ts';
import type { LedgerLocks } from '../../ledger/ledger-locks.ts';
import { type Ledger, ledgerExists } from '../../ledger/open-ledger.ts';
import { findRun, rowsOfRun, runsIn, type StoredRun } from '../../ledger/run-queries.ts';
import type { Sql } from '../../ledger/sql.ts';
import { isPage } from '../../output/format.ts';
import { holderIn, holderText } from '../import-lock.ts';
import { rowLayout } from '../report/row-record.ts';
import { runRecord } from '../report/run-endings.ts';
import { runPage } from '../report/run-page.ts';
import {
  type Counts,
  columnsOf,
  faultsOf,
  isRunning,
  leftOf,
  type ReportedRun,
  reported,
  statesOf,
} from '../report/run-summary.ts';
import type { RunHeader } from '../run-header.ts';
import { importsFolder } from '../workplace.ts';

/** The ledger, if there is one: reading must not create it. */
export async function ledgerOf(ctx: Context): Promise<Ledger | undefined> {
  return ledgerExists(ctx) ? ctx.ledger() : undefined;
}

interface OpenedRun {
  readonly sql: Sql;
  readonly locks: LedgerLocks | undefined;
  readonly stored: StoredRun;
  readonly run: ReportedRun & { readonly number: number };
}

/**
 * @param typed undefined: the last run
 * @throws ProcError `reference_not_found`, `ambiguous_reference`
 */
export async function openRun(typed: string | undefined, ctx: Context): Promise<OpenedRun> {
  const ledger = await ledgerOf(ctx);
  if (ledger === undefined) throw new ProcError('reference_not_found', 'there are no import runs');
  const { sql, locks } = ledger;
  const stored = await findRun(sql, typed ?? 'last');
  const holder = await holderIn(importsFolder(ctx), stored.header as RunHeader, locks);
  return { sql, locks, stored, run: reported(stored, holder) };
}

const LIST_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN', priority: 4 },
  { key: 'state', header: 'STATE', priority: 4 },
  { key: 'startedAt', header: 'STARTED AT', kind: 'date', priority: 0 },
  { key: 'source', header: 'SOURCE', priority: 3 },
  { key: 'profile', header: 'PROFILE', priority: 0 },
  { key: 'rows', header: 'ROWS', kind: 'count' },
  { key: 'created', header: 'CREATED', kind: 'count', priority: 2 },
  { key: 'rejected', header: 'REJECTED', kind: 'count', priority: 2 },
  { key: 'unconfirmed', header: 'UNCONFIRMED', kind: 'count' },
  { key: 'pending', header: 'PENDING', kind: 'count' },
];

/** Commands under a list. */
const MAX_NEXT = 3;

/** @param isOpen only runs of which something is left */
export async function listRuns(isOpen: boolean, ctx: Context): Promise<Result> {
  const { profile, env } = ctx.flags;
  const ledger = await ledgerOf(ctx);
  const rows: Row[] = [];
  for (const stored of ledger === undefined ? [] : await runsIn(ledger.sql)) {
    const header = stored.header as RunHeader;
    if ((profile ?? header.profile) !== header.profile) continue;
    if ((env ?? header.environment) !== header.environment) continue;
    // Only an unfinished run can have one.
    const holder = stored.hasEnded
      ? undefined
      : await holderIn(importsFolder(ctx), header, ledger!.locks);
    const run = reported(stored, holder);
    if (!isOpen || leftOf(run) !== 'nothing') rows.push(runRecord(run, ctx));
  }
  // The ledger may have runs of a profile that was removed.
  if (rows.length === 0 && profile !== undefined)
    storedProfile(readConfig(ctx.env), profile, '--profile');
  const next = rows.flatMap((row) => (row.next as readonly Next[])[0]?.command ?? []);
  return {
    kind: 'rows',
    columns: LIST_COLUMNS,
    rows,
    idField: 'run',
    empty: isOpen ? 'No open imports.' : 'No imports.',
    footnote: () => (next.length === 0 ? undefined : `Next: ${listed(next, MAX_NEXT, '; ')}`),
  };
}

/** With what the run found at its end, and the process that works on it. */
export async function showRun(typed: string | undefined, ctx: Context): Promise<Result> {
  const { run } = await openRun(typed, ctx);
  const { mapping, choices, groupBy, digest, files } = run.header;
  const { next, ...record } = runRecord(run, ctx);
  const value = {
    ...record,
    ...{ resultsFile: files.results ?? null, digest, groupBy: groupBy ?? null },
    ...{ mapping, choices, next },
  };
  for (const text of [...processTexts(run), ...faultsOf(run.findings)])
    ctx.io.say({ kind: 'warning', text });
  return { kind: 'record', columns: columnsOf(value), isBrief: true, idField: 'run', value };
}

function processTexts(run: ReportedRun): readonly string[] {
  const { holder, hasEnded } = run;
  if (holder === undefined || hasEnded) return [];
  const who = holderText(holder, true);
  if (isRunning(run)) return [`${who} has been working on this run since ${holder.since}`];
  return [
    `${who} ended without completing this run. A resume, or the next import of its rows, takes it over`,
  ];
}

/** @throws ProcError `reference_not_found`, `ambiguous_reference` */
export async function listRows(
  typed: string | undefined,
  state: keyof Counts | undefined,
  ctx: Context,
): Promise<RowsResult> {
  const { sql, run } = await openRun(typed, ctx);
  const { fields, columns, record } = rowLayout(run.header);
  const states = state === undefined ? [] : statesOf(run.header, state);
  async function* rows(): AsyncGenerator<readonly Row[]> {
    if (state !== undefined && states.length === 0) return;
    for await (const lot of rowsOfRun(sql, run.number, states)) yield lot.map(record);
  }
  return { kind: 'rows', columns, fields, rows: rows(), idField: 'row', empty: 'No rows.' };
}

/** The page of a run. */
export async function reportRun(typed: string | undefined, ctx: Context): Promise<TextResult> {
  const { out } = ctx.flags;
  if (out === undefined ? ctx.io.terminal.stdoutIsTerminal : !isPage(out)) {
    throw new ProcError('invalid_usage', 'the report is an HTML page', {
      hint: 'Write it to a file: --out report.html',
    });
  }
  const { sql, run } = await openRun(typed, ctx);
  return { kind: 'text', text: runPage({ ...run, sql }, ctx) };
}
