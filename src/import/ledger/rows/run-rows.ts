import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';

/** The columns of a row, without its key. */
export const ROW_COLUMNS =
  'state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint, repairs, repaired_by';

/**
 * The rows of one run in the table `main.rows`: their `rowid` is `base` plus the number of the row, and
 * below `end`. Queries use the view `rows`, or the view `keys` to find a code or name. Their conditions and
 * order must use `key`, which has an index. Queries that start after a given row use `main.rows` itself,
 * because with two lower bounds SQLite might choose the wrong one.
 */
export interface RunRows {
  readonly database: DatabaseSync;
  readonly base: number;
  readonly end: number;
}

/** Rows that are still in the file of their run. */
export function stagedRows(database: DatabaseSync): RunRows {
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT row AS key, row, ${ROW_COLUMNS} FROM main.rows;
    CREATE TEMP VIEW keys AS SELECT row AS key, code, name FROM main.rows`);
  return { database, base: 0, end: RUN_SPAN };
}

/**
 * Rows in the ledger. The file of the run is attached as `staged`: codes never change, so its indexes still
 * find rows by code or name.
 */
export function enteredRows(database: DatabaseSync, run: number): RunRows {
  const base = run * RUN_SPAN;
  const end = base + RUN_SPAN;
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT key, key - ${base} AS row, ${ROW_COLUMNS} FROM main.rows
      WHERE key > ${base} AND key < ${end};
    CREATE TEMP VIEW keys AS SELECT ${base} + row AS key, code, name FROM staged.rows`);
  return { database, base, end };
}
