import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { openDatabase } from '../../store/open-database.ts';
import { versionOf } from '../ledger-schema.ts';

/** The last version of `history.db` before the ledger. A file that was taken over has the next version. */
export const EARLIER_HISTORY = 5;

/** A row that an import sent, in `history.db`. It stays there even if the run is discarded. */
export interface KeptRow {
  readonly run: string;
  readonly row: number;
  readonly service: string;
  readonly organization: string | null;
  readonly fingerprint: string;
  /** Null if only the journal has the outcome. */
  readonly outcome: string | null;
  readonly created: string | null;
  /** The row of a later run where a person recorded the outcome. */
  readonly answerRun: string | null;
  readonly answerRow: number | null;
}

/** Copies the tables that are the same in `history.db` and in the ledger. */
export function copyHistory(history: DatabaseSync, ledger: DatabaseSync): void {
  for (const table of ['entries', 'sandboxes', 'organizations', 'key_salt']) {
    const rows = all(history, table);
    if (rows.length === 0) continue;
    const columns = Object.keys(rows[0]!);
    const insert = ledger.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows) insert.run(...columns.map((column) => row[column] as SQLInputValue));
  }
}

export function keptRows(history: DatabaseSync | undefined): ReadonlyMap<string, KeptRow[]> {
  const rows = history === undefined ? [] : all(history, 'sent_rows');
  const kept = rows.map(
    (row) =>
      ({
        ...row,
        row: Number(row.row),
        // Older versions did not have these columns.
        organization: row.organization ?? null,
        outcome: row.outcome ?? null,
        created: row.created ?? null,
        answerRun: row.heir_run ?? null,
        answerRow: row.heir_row ?? null,
      }) as KeptRow,
  );
  kept.sort((a, b) => (a.run < b.run ? -1 : a.run > b.run ? 1 : a.row - b.row));
  return Map.groupBy(kept, ({ run }) => run);
}

function all(database: DatabaseSync, table: string): Readonly<Record<string, unknown>>[] {
  const isThere = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(table);
  return isThere === undefined ? [] : database.prepare(`SELECT * FROM ${table}`).all();
}

/** Raises the version, so that earlier versions of proc refuse the file. */
export function markHistory(path: string): void {
  const history = openDatabase(path);
  try {
    if (versionOf(history) <= EARLIER_HISTORY) {
      history.exec(`PRAGMA user_version = ${EARLIER_HISTORY + 1}`);
    }
  } finally {
    history.close();
  }
}
