import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { StoredProblem } from '../../../core/problem/row-problem.ts';

const TABLE = `
CREATE TEMP TABLE IF NOT EXISTS flat (
  row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, fields TEXT, body TEXT, problem TEXT,
  repairs INTEGER, findings TEXT
) STRICT;
DELETE FROM flat`;

const LOTS = `
CREATE INDEX IF NOT EXISTS temp.flat_by_key ON flat (key, row);
CREATE TEMP TABLE IF NOT EXISTS lots (first INTEGER PRIMARY KEY, key TEXT NOT NULL) STRICT;
DELETE FROM lots; INSERT INTO lots SELECT min(row), key FROM flat GROUP BY key`;

export interface FlatRow {
  readonly row: number;
  readonly key: string;
  readonly line: number | null;
  /** JSON text. */
  readonly fields: string | null;
  /** JSON text. */
  readonly body: string | null;
  readonly problem: StoredProblem | null;
  readonly repairs: number | null;
  /** JSON text of an array. */
  readonly findings: string | null;
}

/** Stores rows on the disk until the whole source is read, so that memory stays bounded. */
export class FlatRows {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(TABLE);
    this.#insert = database.prepare('INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  }

  add(rows: Iterable<FlatRow>): void {
    this.#database.exec('BEGIN');
    for (const { row, key, line, fields, body, problem, repairs, findings } of rows) {
      const values: SQLInputValue[] = [
        ...[row, key, line, fields, body, problem, repairs, findings],
      ];
      this.#insert.run(...values);
    }
    this.#database.exec('COMMIT');
  }

  /**
   * Groups of rows with the same key, in the order of their first rows. Each group has its own
   * query, so that no query is open while the journal is written.
   */
  *lots(keysAtOnce: number): Generator<Iterable<FlatRow>[]> {
    this.#database.exec(LOTS);
    const lots = this.#database.prepare(
      'SELECT first, key FROM lots WHERE first > ? ORDER BY first LIMIT ?',
    );
    const members = this.#database.prepare('SELECT * FROM flat WHERE key = ? ORDER BY row');
    for (let last = 0; ; ) {
      const next = lots.all(last, keysAtOnce);
      if (next.length === 0) break;
      last = Number(next.at(-1)!.first);
      yield next.map(({ key }) => ({
        [Symbol.iterator]: () =>
          members.iterate(key as string) as Iterator<unknown> as Iterator<FlatRow>,
      }));
    }
    this.#database.exec('DROP TABLE lots; DROP TABLE flat');
  }
}
