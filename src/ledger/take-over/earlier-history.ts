import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { openDatabase } from '../../store/open-database.ts';
import { versionOf } from '../ledger-schema.ts';

/** The last version of `history.db`; one above, it was taken over. */
export const EARLIER_HISTORY = 5;

/** A row that an import sent, as `history.db` remembers it; it outlives the journal of its run. */
export interface KeptRow {
  readonly run: string;
  readonly row: number;
  readonly service: string;
  readonly organization: string | null;
  readonly fingerprint: string;
  /** Null as long as only the journal tells. */
  readonly outcome: string | null;
  readonly created: string | null;
  /** The row of a later run at which a person recorded the outcome. */
  readonly heirRun: string | null;
  readonly heirRow: number | null;
}

/** Copies what is the same in both: single writes, and what is known of services and keys. */
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

/** By run, the oldest first. */
export function keptRows(history: DatabaseSync | undefined): ReadonlyMap<string, KeptRow[]> {
  const rows = history === undefined ? [] : all(history, 'sent_rows');
  const kept = rows.map(
    (row) =>
      ({
        ...row,
        row: Number(row.row),
        // Older versions knew less.
        organization: row.organization ?? null,
        outcome: row.outcome ?? null,
        created: row.created ?? null,
        heirRun: row.heir_run ?? null,
        heirRow: row.heir_row ?? null,
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

/** Earlier versions refuse it by name from now on. */
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
