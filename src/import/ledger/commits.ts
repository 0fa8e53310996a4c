import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { FactTable } from './facts.ts';
import { damaged, journalFailure, removed } from './ledger-failure.ts';
import type { CommitMark } from './run-file/mark.ts';
import { logPath } from './run-file/run-file.ts';

interface Opened {
  readonly database: DatabaseSync;
  /** The file of the run. */
  readonly path: string;
  /** The ledger. Undefined for a preview. */
  readonly ledger: string | undefined;
  readonly facts: FactTable;
  /** Undefined if the journal is read-only. */
  readonly mark: CommitMark | undefined;
  /** Called first in each transaction; throws if another process has opened the run for writing since. */
  readonly check: (() => void) | undefined;
}

export class Commits {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #facts: FactTable;
  readonly #mark: CommitMark | undefined;
  readonly #check: (() => void) | undefined;
  /**
   * Inodes of the files when this process opened them. If an inode changes, the file was removed or
   * replaced.
   */
  readonly #inodes: readonly (readonly [path: string, inode: number | undefined])[];
  #count: number;
  #isRelaxed = false;
  #isStepping = false;
  /** The write-ahead log, opened to sync commits in another thread. */
  #log: number | undefined;
  #marked = 0;

  /** @throws ProcError `config_unreadable` if the file has lost commits */
  constructor({ database, path, ledger, facts, mark, check }: Opened) {
    this.#database = database;
    this.#path = path;
    this.#facts = facts;
    this.#mark = mark;
    this.#check = check;
    const paths = ledger === undefined ? [path] : [path, ledger];
    this.#inodes = paths.map((file) => [file, inodeOf(file)]);
    this.#count = Number(facts.get('commits') ?? 0);
    if (mark !== undefined && mark.read() > this.#count) throw damaged(path);
    // A run without commits has sent no row.
    if (this.#count === 0) mark?.beginRows();
  }

  get count(): number {
    return this.#count;
  }

  /** The transaction is on the disk when this returns, except after `relax(true)`. */
  commit<T>(work: () => T): T {
    this.endSteps();
    const result = this.#transaction(work);
    if (!this.#isRelaxed) this.#writeMark(this.#count);
    return result;
  }

  /** The transaction stays open until `endSteps` or the next commit. */
  step(work: () => void): void {
    try {
      if (!this.#isStepping) {
        this.#database.exec(this.#check === undefined ? 'BEGIN' : 'BEGIN IMMEDIATE');
        this.#check?.();
      }
      this.#isStepping = true;
      work();
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  endSteps(): void {
    try {
      if (this.#isStepping) this.#database.exec('COMMIT');
      this.#isStepping = false;
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /**
   * Does not wait for the disk. A kill loses nothing. A power failure before the next `sync` loses
   * the transaction.
   */
  commitLater<T>(work: () => T): T {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.#transaction(work);
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  /**
   * Brings all commits so far to the disk, in another thread.
   *
   * @returns their number
   */
  async sync(): Promise<number> {
    const count = this.#count;
    try {
      this.#log ??= openSync(logPath(this.#path), 'r+');
      const log = this.#log;
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (thrown) {
      throw journalFailure(this.#path, thrown);
    }
    this.#writeMark(count);
    return count;
  }

  #writeMark(count: number): void {
    // A sync may end after that of a later commit.
    if (count < this.#marked) return;
    this.#marked = count;
    try {
      this.#mark?.write(count);
    } catch (thrown) {
      throw journalFailure(this.#path, thrown);
    }
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#checkNotRemoved();
      this.#database.exec('BEGIN IMMEDIATE');
      this.#check?.();
      const result = work();
      this.#facts.set('commits', this.#count + 1);
      this.#database.exec('COMMIT');
      this.#count++;
      return result;
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /** A transaction of a process that is no longer the last one to have opened the run for writing. */
  unchecked(work: () => void): void {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      work();
      this.#database.exec('COMMIT');
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  #checkNotRemoved(): void {
    if (this.isRemoved) throw removed(this.#path);
  }

  /** SQLite reports no error if its file was removed: it goes on writing, and the data is lost. */
  get isRemoved(): boolean {
    return this.#inodes.some(([path, inode]) => inodeOf(path) !== inode);
  }

  #rolledBack(thrown: unknown): unknown {
    this.#isStepping = false;
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // On a full disk, ROLLBACK may fail too. SQLite then rolls back when the file is next opened.
    }
    return journalFailure(this.#path, thrown);
  }

  /**
   * After `relax(true)`, commits may return before they are on the disk. The next commit after
   * `relax(false)` brings them all to the disk.
   */
  relax(isRelaxed: boolean): void {
    this.#isRelaxed = isRelaxed;
    this.#database.exec(`PRAGMA synchronous = ${isRelaxed ? 'NORMAL' : 'FULL'}`);
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
