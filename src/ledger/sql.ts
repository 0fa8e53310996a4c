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
   * @param work must use the connection that it is given, and wait for nothing else. A statement leaves when it is called,
   * so those that need no earlier result need not wait for it: on a shared ledger each wait takes a round trip. The
   * transaction waits for all, and fails if one fails
   */
  transaction<T>(work: (sql: Statements) => Promise<T>): Promise<T>;
  close(): void;
}

/** Counts the transactions of this machine in the ledger: see `Memory`. */
export interface Counting {
  /** SQL that ends each transaction; empty if it does not count. It has no parameters, to be sent with COMMIT. */
  counting(sql: Statements): Promise<string>;
  /** Called once the transaction is on the disk. @param counted what the statement has returned */
  remember(counted: SqlRow | undefined): void;
}

export type Statements = Pick<Sql, 'all' | 'run'>;

/** Statements, and what is under way of them. */
export function watched(sql: Statements): readonly [sql: Statements, all: Promise<unknown>[]] {
  const all: Promise<unknown>[] = [];
  const watch = <T>(answer: Promise<T>): Promise<T> => {
    // Whoever waits for it gets the error too.
    answer.catch(() => undefined);
    all.push(answer);
    return answer;
  };
  const own: Statements = {
    all: (text, ...values) => watch(sql.all(text, ...values)),
    run: (text, ...values) => watch(sql.run(text, ...values)),
  };
  return [own, all];
}

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
