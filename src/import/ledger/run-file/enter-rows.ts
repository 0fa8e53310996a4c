import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';
import type { Step } from '../../phases.ts';
import { type Facts, FactTable } from '../facts.ts';
import { type Claim, checkClaim, moveRun, ROWS_AT_ONCE, removeRowsOf } from '../known-runs.ts';
import { PlannedRows } from '../rows/planned-rows.ts';
import { RowWriter } from '../rows/row-writer.ts';
import { ROW_COLUMNS } from '../rows/run-rows.ts';
import { openWithLedger } from './run-file.ts';

export interface Entering {
  /** Written in the last transaction. */
  readonly facts: Partial<Facts>;
  /** Called between transactions, so that other processes can write. */
  pause(): Promise<void>;
  /** Changes the copied rows before the last transaction. The rows in the file stay as they were. */
  adjust?(planned: PlannedRows): void;
  /** Called in the last transaction. Returns further facts. */
  record?(ledger: DatabaseSync): Partial<Facts>;
}

/**
 * Copies all rows of a run from its file into the ledger, a few thousand per transaction. The run
 * may send only after the last transaction, which changes its phase. If the process ends earlier, the
 * next process copies the rows again.
 *
 * @returns the ledger, with the file of the run attached
 * @throws ProcError `phase_changed` if the rows are in the ledger already, or another process has
 *   opened the run for writing
 */
export async function enterRows(
  path: string,
  claim: Claim,
  step: Step,
  { facts, pause, adjust, record }: Entering,
): Promise<DatabaseSync> {
  const ledger = openWithLedger(path, false);
  const { number } = claim;
  const base = number * RUN_SPAN;
  const transaction = (work: () => void): void => {
    ledger.exec('BEGIN IMMEDIATE');
    checkClaim(ledger, claim, step);
    work();
    ledger.exec('COMMIT');
  };
  try {
    ledger.exec('PRAGMA synchronous = NORMAL');
    removeRowsOf(ledger, number, 'true', transaction);
    const copy = ledger.prepare(
      `INSERT INTO main.rows (key, ${ROW_COLUMNS})
        SELECT ${base} + row, ${ROW_COLUMNS} FROM staged.rows WHERE row > ? AND row <= ?`,
    );
    const last = Number(ledger.prepare('SELECT max(row) AS last FROM staged.rows').get()!.last);
    for (let from = 0; from < last; from += ROWS_AT_ONCE) {
      transaction(() => void copy.run(from, from + ROWS_AT_ONCE));
      await pause();
    }
    const rows = { database: ledger, base, end: base + RUN_SPAN };
    if (adjust !== undefined) {
      transaction(() => adjust(new PlannedRows(rows, new RowWriter(rows))));
    }
    ledger.exec('PRAGMA synchronous = FULL');
    transaction(() => {
      moveRun(ledger, claim, step);
      ledger.exec(`DELETE FROM facts WHERE run = ${number};
        INSERT INTO facts SELECT ${number}, key, value FROM staged.run
          WHERE key NOT IN ('header', 'generation')`);
      const entered = new FactTable(ledger, number);
      entered.set('staged' satisfies keyof Facts, last);
      entered.setAll({ ...facts, ...record?.(ledger) });
      ledger.exec(`UPDATE runs SET is_entered = 1, is_forgotten = 0 WHERE number = ${number}`);
    });
    return ledger;
  } catch (thrown) {
    if (ledger.isTransaction) ledger.exec('ROLLBACK');
    ledger.close();
    throw thrown;
  }
}
