import { type StoredProblem, storedProblem } from '../../core/problem/row-problem.ts';
import type { SentEntry } from '../../ledger/port.ts';
import { FINDINGS_OF_ROW, RowFindings } from './reported-rows.ts';
import type { Queries } from './run-database.ts';
import type { StoredRow, Target } from './transitions.ts';

/** Each call of SQLite takes longer than writing a row, so one statement writes several rows. */
const ROWS_PER_INSERT = 20;

export interface StagedRow
  extends Pick<StoredRow, 'row' | 'line' | 'code' | 'name' | 'reason' | 'fingerprint' | 'repairs'>,
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

/** Writes rows in the states that a statement says. Must be called in a transaction. */
export function statedRows(sql: Queries): (rows: readonly SealedRow[]) => void {
  const intoRows = sql.prepare(
    'INSERT INTO rows (row, state, code, name, id, reason, fingerprint, repairs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const intoRecords = sql.prepare(
    'INSERT INTO records (row, line, fields, body) VALUES (?, ?, ?, ?)',
  );
  const findings = new RowFindings(sql);
  return (rows) => {
    for (const { row, state, code, name, id, reason, fingerprint, repairs, ...more } of rows) {
      intoRows.run(row, state, code, name, id, reason, fingerprint, repairs);
      intoRecords.run(row, more.line, more.fields, more.body);
      if (more.findings !== null) findings.addText(row, more.findings);
    }
  };
}

type Insert = (rows: readonly StagedRow[]) => void;

/** Nearly all rows have only a code and a body. Writing null into every other column takes time. */
const RARE = ['fields', 'name', 'reason', 'fingerprint', 'repairs', 'places'] as const;
const ROWS = ['row', 'state', 'code', 'name', 'reason', 'fingerprint', 'repairs'] as const;
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
  row INTEGER PRIMARY KEY, key TEXT NOT NULL, line INTEGER, fields TEXT, body TEXT, problem TEXT,
  repairs INTEGER
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
    for (const { row, key, line, fields, body, problem, repairs } of rows) {
      this.#sql.run(
        'INSERT INTO flat VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[row, key, line, fields, body, problem, repairs],
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

/** A row of a staged run as `--stage` saved it. Empty columns are null. */
export interface SealedRow
  extends Pick<StoredRow, 'row' | 'line' | 'state' | 'code' | 'name' | 'id' | 'reason'>,
    Pick<StoredRow, 'fingerprint' | 'repairs' | 'body' | 'fields'> {
  /** JSON text of an array of `RowFinding`; null if there are none. */
  readonly findings: string | null;
}

/** A reference in rows of a staged run, and the value that replaced it. */
export interface SealedReference {
  readonly field: string;
  readonly typed: string;
  readonly value: string;
  /** JSON of the fields that rows copy from the referenced record, e.g. `{"currency":"EUR"}`. */
  readonly copied: string;
  readonly row: number;
  readonly uses: number;
}

const PER_BATCH = 2_000;

const REFERENCES = `CREATE TABLE IF NOT EXISTS sealed_references (
  field TEXT NOT NULL, typed TEXT NOT NULL, value TEXT NOT NULL, copied TEXT NOT NULL,
  row INTEGER NOT NULL, uses INTEGER NOT NULL, PRIMARY KEY (field, typed)
) STRICT, WITHOUT ROWID`;

const OTHERS = `r.row, b.line, r.code, r.name, r.fingerprint, r.repairs, b.body, b.fields, ${FINDINGS_OF_ROW} AS findings`;
/** Before sending begins, the rows are as their statement has them. */
const NOW = `r.state, r.id, r.reason, ${OTHERS}`;
const KEPT = `coalesce(r.staged ->> 0, 'pending') AS state, r.staged ->> 1 AS id,
  r.staged ->> 2 AS reason, ${OTHERS}`;

/** The rows and references of a staged run, as its statement has them. Sending does not change them. */
export class SealedRows {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  /** Call it in the transaction with which sending begins: from now on, rows change. */
  keep(): void {
    this.#sql.exec(
      `UPDATE rows SET staged = json_array(state, id, reason)
        WHERE state <> 'pending' OR id IS NOT NULL OR reason IS NOT NULL;
      INSERT OR REPLACE INTO run VALUES ('isKept', 'true')`,
    );
  }

  get #columns(): string {
    return this.#sql.has("FROM run WHERE key = 'isKept'") ? KEPT : NOW;
  }

  rows(): Generator<readonly SealedRow[]> {
    return this.#sql.batches<SealedRow>(
      `SELECT ${this.#columns} FROM rows r JOIN records b ON b.row = r.row
        WHERE r.row > ? ORDER BY r.row LIMIT ${PER_BATCH}`,
    );
  }

  between(first: number, last: number): SealedRow[] {
    return this.#sql.all(
      `SELECT ${this.#columns} FROM rows r JOIN records b ON b.row = r.row
        WHERE r.row BETWEEN ? AND ? ORDER BY r.row`,
      ...[first, last],
    );
  }

  counts(): ReadonlyMap<string, number> {
    const counted = this.#sql.all<{
      state: string;
      n: number;
    }>(`SELECT state, count(*) AS n FROM (SELECT ${this.#columns} FROM rows r JOIN records b USING (row))
          GROUP BY state`);
    return new Map(counted.map(({ state, n }) => [state, n]));
  }

  /** All references, sorted, because the digest depends on their order. */
  *references(): Generator<readonly SealedReference[]> {
    if (!this.#sql.has("FROM sqlite_schema WHERE name = 'sealed_references' AND type = 'table'"))
      return;
    const some = `SELECT field, typed, value, copied, row, uses FROM sealed_references
        WHERE (field, typed) > (?, ?) ORDER BY field, typed LIMIT ${PER_BATCH}`;
    for (let last = { field: '', typed: '' }; ; ) {
      const found = this.#sql.all<SealedReference>(some, last.field, last.typed);
      if (found.length === 0) return;
      last = found.at(-1)!;
      yield found;
    }
  }

  /** Must be called before references are noted: creates the table, or empties it. */
  clearReferences(): void {
    this.#sql.exec(`${REFERENCES}; DELETE FROM sealed_references`);
  }

  noteReference(
    one: Pick<SealedReference, 'field' | 'typed' | 'value' | 'copied' | 'row'>,
    uses = 1,
  ): void {
    this.#sql.run(
      'INSERT INTO sealed_references VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET uses = uses + 1',
      ...[one.field, one.typed, one.value, one.copied, one.row, uses],
    );
  }
}
