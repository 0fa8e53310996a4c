import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';

/** As much of a row as is asked for. */
const COLUMNS =
  'state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint, repairs, repaired_by';

/**
 * Where the rows of one run are: `main.rows`, whose `rowid` is above the number of a row by `base` and below
 * `end`. What asks for all of them reads the view `rows`, what asks for a code or name the view `keys`;
 * conditions and orders name the `key`, as nothing else is found by an index. Statements that begin after a
 * row read `main.rows` itself: of two lower bounds SQLite might take the wrong one.
 */
export interface RunRows {
  readonly database: DatabaseSync;
  readonly base: number;
  readonly end: number;
}

/** Rows that are still in the file of their run. */
export function stagedRows(database: DatabaseSync): RunRows {
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT row AS key, row, ${COLUMNS} FROM main.rows;
    CREATE TEMP VIEW keys AS SELECT row AS key, code, name FROM main.rows`);
  return { database, base: 0, end: RUN_SPAN };
}

/** Rows in the ledger; the file of the run is attached as `staged`. Their keys never change, so its indexes serve. */
export function enteredRows(database: DatabaseSync, run: number): RunRows {
  const base = run * RUN_SPAN;
  const end = base + RUN_SPAN;
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT key, key - ${base} AS row, ${COLUMNS} FROM main.rows
      WHERE key > ${base} AND key < ${end};
    CREATE TEMP VIEW keys AS SELECT ${base} + row AS key, code, name FROM staged.rows`);
  return { database, base, end };
}

/** What was staged, as it enters the ledger: the rows after one and up to another. */
export function entering(run: number): string {
  const all = `row, ${COLUMNS}`;
  return `INSERT INTO main.rows (key, ${COLUMNS})
    SELECT ${run * RUN_SPAN} + ${all} FROM staged.rows WHERE row > ? AND row <= ?`;
}
