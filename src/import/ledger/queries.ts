import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

/** The SQL of a run's file. Each statement is prepared once. */
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

  all<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.prepare(sql).all(...values) as unknown as T[];
  }

  get<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.prepare(sql).get(...values) as unknown as T | undefined;
  }

  /** One by one. While the query is open, the database cannot be written. */
  each<T>(sql: string, ...values: SQLInputValue[]): Iterable<T> {
    // Not shared: the same query may be open twice.
    return this.database.prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<T>;
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
