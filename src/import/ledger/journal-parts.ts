import type { DatabaseSync } from 'node:sqlite';
import { ledgerPath } from '../../ledger/open-ledger.ts';
import { Commits } from './commits.ts';
import { FactTable } from './facts.ts';
import { Catalogue } from './rows/catalogue-before.ts';
import { FingerprintedRows } from './rows/fingerprinted-rows.ts';
import { PlannedRows } from './rows/planned-rows.ts';
import { ReportedRows } from './rows/reported-rows.ts';
import { RowCounts } from './rows/row-counts.ts';
import { RowWriter } from './rows/row-writer.ts';
import { type RunRows, rowsInFile, rowsInLedger } from './rows/run-rows.ts';
import { UnconfirmedRows } from './rows/unconfirmed-rows.ts';
import type { CommitMark } from './run-file/mark.ts';
import { stateFolderOf } from './run-file/run-file.ts';
import { SealedRows } from './run-file/sealed-rows.ts';

export type JournalParts = ReturnType<typeof partsOf>;

/**
 * @param path the file of the run
 * @param entered the number of the run, if its rows are in the ledger
 */
export function partsOf(
  database: DatabaseSync,
  path: string,
  entered: number | undefined,
  mark: CommitMark | undefined,
) {
  const facts = new FactTable(database, entered);
  const rows: RunRows =
    entered === undefined ? rowsInFile(database) : rowsInLedger(database, entered);
  const file = entered === undefined ? path : ledgerPath(stateFolderOf(path));
  const schema = entered === undefined ? 'main' : 'staged';
  const writer = new RowWriter(rows);
  return {
    facts,
    rows,
    writer,
    commits: new Commits(database, { path, database: file }, facts, mark),
    counts: new RowCounts(rows),
    catalogue: new Catalogue(database, schema),
    planned: new PlannedRows(rows, writer),
    unconfirmed: new UnconfirmedRows(rows),
    reported: new ReportedRows(rows),
    fingerprinted: new FingerprintedRows(rows),
    sealed: new SealedRows(database, schema),
  };
}
