import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { openDatabase } from '../../store/open-database.ts';
import type { Facts, RunHeader } from './facts.ts';
import { damaged, runFailure } from './ledger-failure.ts';

/** With pages of 4 KiB, staging takes twice as long. */
const PAGE_BYTES = 16_384;

export function stateFolderOf(path: string): string {
  return dirname(dirname(path));
}

/**
 * Creates the file of a run atomically, with its header.
 *
 * @param beforeItAppears called before the file gets its final name
 * @param fill adds what the file has from the beginning
 */
export async function createRunFile(
  path: string,
  header: RunHeader,
  beforeItAppears: () => Promise<void>,
  fill?: (database: DatabaseSync) => Promise<void>,
): Promise<DatabaseSync> {
  const draft = `${path}.new`;
  let database: DatabaseSync | undefined;
  // A kill may have left one.
  removeFiles(draft);
  try {
    database = openDatabase(draft, { pageSize: PAGE_BYTES });
    database.exec('BEGIN IMMEDIATE');
    database.exec(SCHEMA);
    new FactTable(new Queries(database)).set('header', header);
    await fill?.(database);
    database.exec(
      `PRAGMA application_id = ${RUN_FILE_ID}; PRAGMA user_version = ${RUN_FILE_VERSION}; COMMIT`,
    );
    // Moves the log into the file, because only the file is renamed. `close` would move it too, but
    // would not report a failing disk.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    await beforeItAppears();
    renameSync(draft, path);
  } catch (thrown) {
    if (database?.isOpen) database.close();
    removeFiles(draft);
    throw thrown;
  }
  database = openDatabase(path);
  tune(database);
  return database;
}

/** @throws ProcError `config_unreadable` */
export function openRunFile(path: string, readOnly: boolean): DatabaseSync {
  const database = openOrDamaged(path, readOnly);
  try {
    if (!readOnly) tune(database);
    checkVersion(database, path);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** The file of a run is no record of earlier writes to start over without, so its hint is another. */
function openOrDamaged(path: string, readOnly: boolean): DatabaseSync {
  try {
    return openDatabase(path, { readOnly });
  } catch (thrown) {
    throw thrown instanceof ProcError && thrown.code === 'config_unreadable'
      ? damaged(path, thrown)
      : thrown;
  }
}

function checkVersion(database: DatabaseSync, path: string): void {
  const { application_id: id } = database.prepare('PRAGMA application_id').get()!;
  if (id !== RUN_FILE_ID) throw damaged(path);
  const { user_version: version } = database.prepare('PRAGMA user_version').get()!;
  if (version === RUN_FILE_VERSION) return;
  const age = Number(version) > RUN_FILE_VERSION ? 'a newer' : 'an older';
  throw new ProcError('config_unreadable', `${path} is from ${age} version of proc`, {
    hint: 'Resume it with the version of proc that started it',
  });
}

function tune(database: DatabaseSync): void {
  // Each checkpoint stops the run for a moment. 2000 pages are 32 MiB in the log of a run's file.
  database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
}

export function markPath(path: string): string {
  return path.replace(/\.db$/, '.mark');
}

/** SQLite's write-ahead log of a database file. */
export function logPath(path: string): string {
  return `${path}-wal`;
}

export function removeFiles(path: string): void {
  for (const file of [path, logPath(path), `${path}-shm`, markPath(path)]) {
    if (existsSync(file)) rmSync(file, { force: true });
  }
}

/** Marks a database as the file of a run (`PRAGMA application_id`). */
const RUN_FILE_ID = 0x7072_6a6c;

/** `PRAGMA user_version`. Raise it with every change that an earlier version would misread. */
const RUN_FILE_VERSION = 7;

/**
 * - `rows.fingerprint` is set if the service cannot list the created records.
 * - `rows.seen`: the number of another run's intent that stopped this row. A look at the service decides.
 * - `rows.state` has no CHECK, because that would double the time of a write.
 * - `records.places`: `Places` as JSON, for bodies with several lines.
 * - `taken_ids`: ids that no answer can give to a row. This machine knew them before the run, or two answers
 *   of the run had them.
 */
export const SCHEMA = `
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE rows (
  row INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  code TEXT,
  name TEXT,
  id TEXT,
  status INTEGER,
  reason TEXT,
  sent_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  looked_up INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT,
  seen INTEGER
) STRICT;
CREATE TABLE records (row INTEGER PRIMARY KEY, line INTEGER, fields TEXT, body TEXT, places TEXT) STRICT;
CREATE TABLE catalogue (id TEXT PRIMARY KEY, code TEXT, name TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE taken_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** Created after staging: building an index once is much faster than updating it row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS main.rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_name ON rows (name) WHERE name IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS main.rows_created ON rows (id) WHERE state = 'created' AND id IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_unconfirmed ON rows (looked_up) WHERE state = 'unconfirmed';
CREATE INDEX IF NOT EXISTS main.rows_conflicting ON rows (looked_up) WHERE status = 409;
`;

/** The SQL of a run's file. Each statement is prepared once. What is read fails with a `ProcError` that names the file. */
export class Queries {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  #failure(thrown: unknown): unknown {
    return runFailure(this.database.location() ?? '', thrown);
  }

  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    try {
      return this.prepare(sql).all(...values) as unknown as T[];
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  get<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    try {
      return this.prepare(sql).get(...values) as unknown as T | undefined;
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  /** One by one. While the query is open, the database cannot be written. */
  *each<T>(sql: string, ...values: SQLInputValue[]): Generator<T> {
    try {
      // Not shared: the same query may be open twice.
      yield* this.database.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<T>;
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  /**
   * In batches, so that no query is open while the caller writes.
   *
   * @param sql its first parameter is the number of the last row before the batch; orders by `row`
   */
  *batches<T extends { readonly row: number }>(sql: string): Generator<T[]> {
    for (let last = 0; ; ) {
      const rows = this.all<T>(sql, last);
      if (rows.length === 0) return;
      last = rows.at(-1)!.row;
      yield rows;
    }
  }

  /**
   * A column in batches. SQLite returns each batch as one JSON text, which is much faster than one row at a
   * time.
   *
   * @param sql returns the JSON array `texts` and the key `last` of its last element, its only parameter
   */
  *texts(sql: string, first: number | string): Generator<readonly string[]> {
    for (let last = first; ; ) {
      const batch = this.get<{ last: number | string | null; texts: string }>(sql, last)!;
      if (batch.last === null) return;
      last = batch.last;
      yield JSON.parse(batch.texts) as string[];
    }
  }

  /** The first column of each row. */
  values<T extends SQLOutputValue = string>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.all<Record<string, T>>(sql, ...values).map((row) => Object.values(row)[0]!);
  }

  /** @param from e.g. `FROM rows WHERE …` */
  count(from: string, ...values: SQLInputValue[]): number {
    return this.get<{ n: number }>(`SELECT count(*) AS n ${from}`, ...values)!.n;
  }

  /** @param from e.g. `FROM rows WHERE …` */
  has(from: string, ...values: SQLInputValue[]): boolean {
    return this.get(`SELECT 1 ${from} LIMIT 1`, ...values) !== undefined;
  }

  /** Writes temporary tables. A preview may do so too, although it cannot write to the file of the run. */
  temporary(work: () => void): void {
    const isPreview = this.get<{ query_only: number }>('PRAGMA query_only')!.query_only === 1;
    if (isPreview) this.database.exec('PRAGMA query_only = 0');
    try {
      work();
    } finally {
      if (isPreview) this.database.exec('PRAGMA query_only = 1');
    }
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  /** @returns the number of changed rows */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }
}

/** What is known of the run besides its rows. */
export class FactTable {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  get(key: string): unknown {
    const found = this.#sql.get<{ value: string }>('SELECT value FROM run WHERE key = ?', key);
    return found === undefined ? undefined : JSON.parse(found.value);
  }

  set(key: string, value: unknown): void {
    this.#sql.run('INSERT OR REPLACE INTO run VALUES (?, ?)', key, JSON.stringify(value));
  }

  forget(key: string): void {
    this.#sql.run('DELETE FROM run WHERE key = ?', key);
  }

  setAll(facts: Partial<Facts>): void {
    for (const [key, value] of Object.entries(facts)) if (value !== undefined) this.set(key, value);
  }
}
