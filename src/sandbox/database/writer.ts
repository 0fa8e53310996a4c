import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../server/problem.ts';

interface Job {
  run(): unknown;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Group commit: writes that arrive in one turn of the event loop share a transaction, and each is
 * answered after the commit. A job checks everything before it writes, so if it throws a Problem,
 * nothing was written.
 */
export class Writer {
  readonly #database: DatabaseSync;
  readonly #begin;
  readonly #commit;
  #queue: Job[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** Resolves after the commit with the result of the job; rejects with its error. */
  write<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
      if (this.#queue.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits all waiting jobs now. */
  flush(): void {
    const jobs = this.#queue;
    if (jobs.length === 0) return;
    this.#queue = [];
    if (this.#together(jobs)) return;
    // An unexpected error (e.g. a full disk): run each job alone, so that only the failing one is affected.
    for (const job of jobs) this.#alone(job);
  }

  #together(jobs: readonly Job[]): boolean {
    const done: (() => void)[] = [];
    try {
      this.#begin.run();
      for (const job of jobs) {
        try {
          const value = job.run();
          done.push(() => job.resolve(value));
        } catch (thrown) {
          if (!(thrown instanceof Problem)) throw thrown;
          done.push(() => job.reject(thrown));
        }
      }
      this.#commit.run();
    } catch {
      this.#rollback();
      return false;
    }
    for (const settle of done) settle();
    return true;
  }

  #alone(job: Job): void {
    try {
      this.#begin.run();
      const value = job.run();
      this.#commit.run();
      job.resolve(value);
    } catch (thrown) {
      this.#rollback();
      job.reject(thrown);
    }
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
