import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';
import { type Facts, FactTable } from '../facts.ts';
import type { Phase } from '../header.ts';
import { ROWS_AT_ONCE, removeRowsOf } from '../known-runs.ts';
import { PlannedRows } from '../rows/planned-rows.ts';
import { RowWriter } from '../rows/row-writer.ts';
import { ROW_COLUMNS } from '../rows/run-rows.ts';
import { openWithLedger } from './run-file.ts';

/**
 * Copies all rows of a run from its file into the ledger, a few thousand per transaction. The run
 * may send only after the last transaction. If the process ends earlier, the next process copies
 * the rows again.
 *
 * @param facts to write in the last transaction
 * @param adjust changes the copied rows before the last transaction; the rows in the file stay as
 *   they were
 * @returns the ledger, with the file of the run attached
 */
export async function enterRows(
  path: string,
  number: number,
  facts: Partial<Facts> & { readonly phase: Phase },
  pause: () => Promise<void>,
  adjust: (planned: PlannedRows) => void = () => undefined,
): Promise<DatabaseSync> {
  const ledger = openWithLedger(path, false);
  try {
    removeRowsOf(ledger, number);
    ledger.exec('PRAGMA synchronous = NORMAL');
    const copy = ledger.prepare(
      `INSERT INTO main.rows (key, ${ROW_COLUMNS})
        SELECT ${number * RUN_SPAN} + row, ${ROW_COLUMNS} FROM staged.rows WHERE row > ? AND row <= ?`,
    );
    const last = Number(ledger.prepare('SELECT max(row) AS last FROM staged.rows').get()!.last);
    for (let from = 0; from < last; from += ROWS_AT_ONCE) {
      copy.run(from, from + ROWS_AT_ONCE);
      await pause();
    }
    const base = number * RUN_SPAN;
    const rows = { database: ledger, base, end: base + RUN_SPAN };
    adjust(new PlannedRows(rows, new RowWriter(rows)));
    ledger.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    ledger.exec(`DELETE FROM facts WHERE run = ${number};
      INSERT INTO facts SELECT ${number}, key, value FROM staged.run WHERE key <> 'header'`);
    const entered = new FactTable(ledger, number);
    entered.set('staged' satisfies keyof Facts, last);
    entered.setAll(facts);
    ledger.exec(
      `UPDATE runs SET is_entered = 1, is_forgotten = 0 WHERE number = ${number}; COMMIT`,
    );
    return ledger;
  } catch (thrown) {
    if (ledger.isTransaction) ledger.exec('ROLLBACK');
    ledger.close();
    throw thrown;
  }
}
