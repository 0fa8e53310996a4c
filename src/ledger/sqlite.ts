import { closeSync, fdatasync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { cannotUse } from '../core/errors.ts';
import { IN_MEMORY } from '../store/database.ts';
import {
  type Counting,
  type Sql,
  type SqlRow,
  type SqlValue,
  type Statements,
  watched,
} from './sql.ts';

/**
 * The open transaction of this process, by file. SQLite waits for the transaction of another connection without
 * letting this process go on, so two connections of one process would wait for each other.
 */
const open = new Map<string, Promise<void>>();

/** The ledger in the state folder. */
export class Sqlite implements Sql {
  readonly #memory: Counting | undefined;
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  /** The write-ahead log, opened to sync commits in another thread. */
  #log: number | undefined;

  constructor(database: DatabaseSync, path: string, memory?: Counting) {
    this.#memory = memory;
    this.#database = database;
    this.#path = path;
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    while (open.has(this.#path)) await open.get(this.#path);
    return this.#all(sql, values);
  }

  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    while (open.has(this.#path)) await open.get(this.#path);
    return this.#run(sql, values);
  }

  async transaction<T>(work: (sql: Statements) => Promise<T>): Promise<T> {
    while (open.has(this.#path)) await open.get(this.#path);
    const { promise, resolve } = Promise.withResolvers<void>();
    open.set(this.#path, promise);
    let done: { readonly result: T; readonly counted: SqlRow | undefined };
    try {
      done = await this.#transaction(work);
    } finally {
      open.delete(this.#path);
      resolve();
    }
    await this.#sync();
    this.#memory?.remember(done.counted);
    return done.result;
  }

  /** Does not wait for the disk: `#sync` does, in another thread. */
  async #transaction<T>(work: (sql: Statements) => Promise<T>) {
    const database = this.#database;
    try {
      database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      const [own, all] = watched({
        all: async (sql, ...values) => this.#all(sql, values),
        run: async (sql, ...values) => this.#run(sql, values),
      });
      const result = await work(own);
      const counting = await this.#memory?.counting(own);
      const counted = counting ? this.#all(counting, [])[0] : undefined;
      await Promise.all(all);
      database.exec('COMMIT');
      return { result, counted };
    } catch (thrown) {
      try {
        database.exec('ROLLBACK');
      } catch {
        // Nothing has begun; or on a full disk it fails too, and SQLite rolls back when the file is next opened.
      }
      throw cannotUse(this.#path, thrown);
    } finally {
      if (!database.isTransaction) database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #sync(): Promise<void> {
    if (this.#path === IN_MEMORY) return;
    try {
      this.#log ??= openSync(`${this.#path}-wal`, 'r+');
      const log = this.#log;
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (thrown) {
      throw cannotUse(this.#path, thrown);
    }
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }

  #all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    try {
      return this.#statement(sql).all(...values) as SqlRow[];
    } catch (thrown) {
      throw cannotUse(this.#path, thrown);
    }
  }

  #run(sql: string, values: readonly SqlValue[]): number {
    try {
      return Number(this.#statement(sql).run(...values).changes);
    } catch (thrown) {
      throw cannotUse(this.#path, thrown);
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
