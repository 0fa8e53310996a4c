export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A connection to the database of a ledger. All statements of a ledger are written once, in SQL that SQLite and
 * PostgreSQL read alike. So what a test shows with one of them holds for the other.
 *
 * - Values are `?`.
 * - `json_each(?)` is a list of rows, as {@link rowsOf} writes it: its columns are `value ->> 0`, `value ->> 1`. They
 *   are text in PostgreSQL, so numbers need a CAST.
 */
export interface Sql {
  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** @returns the number of changed rows */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /**
   * Only one process at a time has a transaction; the others wait. It is on the disk when the promise resolves.
   *
   * @param work must use the connection that it is given, and wait for nothing else
   */
  transaction<T>(work: (sql: Statements) => Promise<T>): Promise<T>;
  close(): void;
}

export type Statements = Pick<Sql, 'all' | 'run'>;

/** The value of `json_each(?)`. */
export function rowsOf(rows: readonly (readonly unknown[])[]): string {
  return JSON.stringify(rows);
}

/** The value of `json_each(?)` for a list with one column. */
export function listOf(values: Iterable<unknown>): string {
  return JSON.stringify(Array.from(values, (value) => [value]));
}

export function insertInto(table: string, row: Readonly<Record<string, SqlValue>>): string {
  const names = Object.keys(row);
  // `user` is a word of PostgreSQL, and it would write other names in small letters.
  const columns = names.map((name) => `"${name}"`).join(', ');
  return `INSERT INTO ${table} (${columns}) VALUES (${names.map(() => '?').join(', ')})`;
}
