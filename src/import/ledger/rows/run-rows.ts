import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';

/** The columns of a row, without its key. */
export const ROW_COLUMNS =
  'state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint, repairs, repaired_by';

/**
 * The rows of one run in the table `main.rows`. The `rowid` of a row is `base` plus its number, and less than
 * `end`. Queries read the view `rows`, or `keys` to find a code or name. To find a row by its number or to sort
 * by it, they must use `key`: it has an index, and `row` has none in the ledger. Queries that continue after a
 * given row read `main.rows` itself: the view has the condition `key > base`, and SQLite might start there
 * instead of at the given row.
 */
export interface RunRows {
  readonly database: DatabaseSync;
  readonly base: number;
  readonly end: number;
}

/** Rows that are still in the file of their run. */
export function rowsInFile(database: DatabaseSync): RunRows {
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT row AS key, row, ${ROW_COLUMNS} FROM main.rows;
    CREATE TEMP VIEW keys AS SELECT row AS key, code, name FROM main.rows`);
  return { database, base: 0, end: RUN_SPAN };
}

/**
 * Rows in the ledger. The file of the run is attached as `staged`: codes never change, so its indexes still
 * find rows by code or name.
 */
export function rowsInLedger(database: DatabaseSync, run: number): RunRows {
  const base = run * RUN_SPAN;
  const end = base + RUN_SPAN;
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT key, key - ${base} AS row, ${ROW_COLUMNS} FROM main.rows
      WHERE key > ${base} AND key < ${end};
    CREATE TEMP VIEW keys AS SELECT ${base} + row AS key, code, name FROM staged.rows`);
  return { database, base, end };
}
