import type { DatabaseSync } from 'node:sqlite';
import { ledgerPath } from '../../ledger/open-ledger.ts';
import { phaseChanged } from '../phases.ts';
import { Commits } from './commits.ts';
import { FactTable } from './facts.ts';
import { type Claim, checkClaim } from './known-runs.ts';
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
 * @param claim undefined for a journal that is read-only or a preview
 */
export function partsOf(
  database: DatabaseSync,
  path: string,
  entered: number | undefined,
  mark: CommitMark | undefined,
  claim: Claim | undefined,
) {
  const facts = new FactTable(database, entered);
  const rows: RunRows =
    entered === undefined ? rowsInFile(database) : rowsInLedger(database, entered);
  const file = entered === undefined ? path : ledgerPath(stateFolderOf(path));
  const schema = entered === undefined ? 'main' : 'staged';
  const writer = new RowWriter(rows);
  const check = claim === undefined ? undefined : checkOf(database, facts, entered, claim);
  return {
    facts,
    rows,
    writer,
    check,
    commits: new Commits(database, { path, database: file }, facts, mark, check),
    counts: new RowCounts(rows),
    catalogue: new Catalogue(database, schema),
    planned: new PlannedRows(rows, writer),
    unconfirmed: new UnconfirmedRows(rows),
    reported: new ReportedRows(rows),
    fingerprinted: new FingerprintedRows(rows),
    sealed: new SealedRows(database, schema),
  };
}

/** Before the rows are in the ledger, the generation of the run is in its file too. */
function checkOf(
  database: DatabaseSync,
  facts: FactTable,
  entered: number | undefined,
  claim: Claim,
): () => void {
  if (entered !== undefined) return () => checkClaim(database, claim);
  return () => {
    if (facts.get('generation') !== claim.generation) throw phaseChanged(claim.name);
  };
}
