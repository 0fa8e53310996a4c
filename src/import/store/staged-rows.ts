import { type StoredProblem, storedProblem } from '../../core/problem/row-problem.ts';
import type { SentEntry } from '../../ledger/port.ts';
import type { Queries } from './run-database.ts';
import type { StoredRow, Target } from './transitions.ts';

/** Each call of SQLite takes longer than writing a row, so one statement writes several rows. */
const ROWS_PER_INSERT = 20;

export interface StagedRow
  extends Pick<StoredRow, 'row' | 'line' | 'code' | 'name' | 'reason' | 'fingerprint'>,
    Pick<StoredRow, 'fields' | 'body' | 'places'> {
  readonly state: Target<'stage'>;
}

export class StagedRows {
  readonly #one: Insert;
  readonly #many: Insert;
  readonly #plain: Insert;

  constructor(sql: Queries) {
    this.#one = inserts(sql, 1, false);
    this.#many = inserts(sql, ROWS_PER_INSERT, false);
    this.#plain = inserts(sql, ROWS_PER_INSERT, true);
  }

  /** Must be called in a transaction. */
  add<T>(all: readonly T[], rowOf: (one: T) => StagedRow): void {
    for (let from = 0; from < all.length; from += ROWS_PER_INSERT) {
      const lot = all.slice(from, from + ROWS_PER_INSERT).map(rowOf);
      if (lot.length < ROWS_PER_INSERT) for (const row of lot) this.#one([row]);
      else if (lot.every(isPlain)) this.#plain(lot);
      else this.#many(lot);
    }
  }
}

const STOPPED = storedProblem({ code: 'stopped_while_sent', args: {} });

/** Writes rows of a lost file from their entries in the ledger. One that may have been sent is unconfirmed, as after a kill. */
export function remadeRows(sql: Queries): (entries: readonly SentEntry[]) => void {
  const intoRows = sql.prepare(
    `INSERT INTO rows (row, state, code, name, fingerprint, id, sent_at, reason, looked_up)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const intoRecords = sql.prepare('INSERT INTO records (row, body) VALUES (?, ?)');
  return (entries) => {
    for (const { row, key, state, id, at, body } of entries) {
      const [, by, text = null] = /^(code|name|body) (.*)/s.exec(key ?? '') ?? [];
      const names = ['code', 'name', 'body'].map((one) => (by === one ? text : null));
      const to: Target<'remake'> = state === 'maybe' ? 'unconfirmed' : state;
      // Without a time this run never sent the row, so it cannot look it up.
      const looked = [state === 'maybe' ? STOPPED : null, at === null ? 1 : 0];
      intoRows.run(row, to, ...names, id, at, ...looked);
      intoRecords.run(row, body);
    }
  };
}

type Insert = (rows: readonly StagedRow[]) => void;

/** Nearly all rows have only a code and a body. Writing null into every other column takes time. */
const RARE = ['fields', 'name', 'reason', 'fingerprint', 'places'] as const;
const ROWS = ['row', 'state', 'code', 'name', 'reason', 'fingerprint'] as const;
const RECORDS = ['row', 'line', 'fields', 'body', 'places'] as const;

function isPlain(row: StagedRow): boolean {
  return row.state === 'pending' && RARE.every((column) => row[column] === null);
}

function inserts(sql: Queries, count: number, arePlain: boolean): Insert {
  const into = (table: string, names: readonly (keyof StagedRow)[]): Insert => {
    const rare: readonly string[] = arePlain ? RARE : [];
    const columns = names.filter((column) => !rare.includes(column));
    const values = `(${columns.map(() => '?').join(', ')})`;
    const statement = sql.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array<string>(count).fill(values).join(', ')}`,
    );
    return (lot) => {
      const all: (string | number | null)[] = [];
      for (const row of lot) for (const column of columns) all.push(row[column]);
      statement.run(...all);
    };
  };
  const [intoRows, intoRecords] = [into('rows', ROWS), into('records', RECORDS)];
  return (lot) => {
    intoRows(lot);
    intoRecords(lot);
  };
}

const FLAT = `
CREATE TEMP TABLE IF NOT EXISTS flat (
  row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, fields TEXT, body TEXT, problem TEXT
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
}

/** Stores rows on the disk until the whole source is read, so that memory stays bounded. */
export class FlatRows {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
    sql.exec(FLAT);
  }

  add(rows: Iterable<FlatRow>): void {
    this.#sql.exec('BEGIN');
    for (const { row, key, line, fields, body, problem } of rows) {
      this.#sql.run(
        'INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?)',
        ...[row, key, line, fields, body, problem],
      );
    }
    this.#sql.exec('COMMIT');
  }

  /**
   * Groups of rows with the same key, in the order of their first rows. Each group has its own
   * query, so that no query is open while the file is written.
   */
  *lots(keysAtOnce: number): Generator<Iterable<FlatRow>[]> {
    this.#sql.exec(LOTS);
    const members = this.#sql.prepare('SELECT * FROM flat WHERE key = ? ORDER BY row');
    for (let last = 0; ; ) {
      const next = this.#sql.all<{ first: number; key: string }>(
        'SELECT first, key FROM lots WHERE first > ? ORDER BY first LIMIT ?',
        ...[last, keysAtOnce],
      );
      if (next.length === 0) break;
      last = next.at(-1)!.first;
      yield next.map(({ key }) => ({
        [Symbol.iterator]: () => members.iterate(key) as Iterator<unknown> as Iterator<FlatRow>,
      }));
    }
    this.#sql.exec('DROP TABLE lots; DROP TABLE flat');
  }
}
