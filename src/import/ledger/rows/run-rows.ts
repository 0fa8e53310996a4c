import type { DatabaseSync } from 'node:sqlite';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';

export const ROW_COLUMNS =
  'state, code, name, id, status, reason, sent_at, tries, looked_up, fingerprint, repairs, repaired_by';

/**
 * The rows of one run in the table `main.rows`. The `rowid` of a row is `base` plus its number, and
 * less than `end`.
 *
 * - Most queries read the view `rows`. To find a code or name, they read the view `keys`.
 * - To find or sort rows by number, a query must use `key`: in the ledger, `row` has no index.
 * - A query for the rows after a given row must read `main.rows`. With the view, SQLite might read all
 *   rows before it too, which is slow.
 */
export interface RunRows {
  readonly database: DatabaseSync;
  readonly base: number;
  readonly end: number;
}

export function isQueryOnly(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA query_only').get()!.query_only === 1;
}

/** Writes temporary tables. A preview may do so too, although it cannot write to the ledger. */
export function writeTemporary(database: DatabaseSync, isPreview: boolean, work: () => void): void {
  if (isPreview) database.exec('PRAGMA query_only = 0');
  try {
    work();
  } finally {
    if (isPreview) database.exec('PRAGMA query_only = 1');
  }
}

export function rowsInFile(database: DatabaseSync): RunRows {
  database.exec(`
    CREATE TEMP VIEW rows AS SELECT row AS key, row, ${ROW_COLUMNS} FROM main.rows;
    CREATE TEMP VIEW keys AS SELECT row AS key, code, name FROM main.rows`);
  return { database, base: 0, end: RUN_SPAN };
}

/**
 * The file of the run is attached as `staged`. Codes and names never change, so the indexes of the
 * file still find rows.
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
