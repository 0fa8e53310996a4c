import type { DatabaseSync } from 'node:sqlite';
import { Problem } from '../server/problem.ts';

interface Job {
  run(): unknown;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Group commit: writes that arrive in one turn of the event loop share a transaction. A job checks
 * its input before it writes, so a job that throws a Problem needs no rollback.
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

  write<T>(job: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: job, resolve: resolve as (value: unknown) => void, reject });
      if (this.#queue.length === 1) setImmediate(() => this.flush());
    });
  }

  flush(): void {
    const jobs = this.#queue;
    if (jobs.length === 0) return;
    this.#queue = [];
    if (this.#together(jobs)) return;
    // After an unexpected error, e.g. a full disk, run each job alone, so that only the failing job
    // is refused.
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
    // A sandbox may be stopped while requests wait.
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}
