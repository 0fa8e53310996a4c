import { closeSync, fdatasync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { FactTable } from './facts.ts';
import { logPath } from './files.ts';
import { damaged, journalFailure, removed } from './ledger-failure.ts';
import type { CommitMark } from './mark.ts';

interface Files {
  /** The file of the run, which messages name. */
  readonly path: string;
  /** Where commits are written: the same, or the ledger. */
  readonly database: string;
}

/** What a run writes, transaction by transaction: on the disk before anything that depends on it happens. */
export class Commits {
  readonly #database: DatabaseSync;
  readonly #files: Files;
  readonly #facts: FactTable;
  readonly #mark: CommitMark | undefined;
  /** The files that were opened. */
  readonly #inodes: readonly (readonly [path: string, inode: number | undefined])[];
  #count: number;
  #isRelaxed = false;
  /** A transaction is open over several steps. */
  #isStepping = false;
  /** The write-ahead log, opened when commits are brought to the disk beside other work. */
  #log: number | undefined;
  #marked = 0;

  /**
   * @param mark undefined if nothing will be written
   * @throws ProcError `config_unreadable` if the file lost commits that it had
   */
  constructor(
    database: DatabaseSync,
    files: Files,
    facts: FactTable,
    mark: CommitMark | undefined,
  ) {
    this.#database = database;
    this.#files = files;
    this.#facts = facts;
    this.#mark = mark;
    this.#inodes = [...new Set([files.path, files.database])].map((path) => [path, inodeOf(path)]);
    this.#count = Number(facts.get('commits') ?? 0);
    if (mark !== undefined && mark.read() > this.#count) throw damaged(files.path);
  }

  /** How many there were, of this process and those before it. */
  get count(): number {
    return this.#count;
  }

  /** Runs work in one transaction; what it did is on the disk when this returns, or not at all. */
  commit<T>(work: () => T): T {
    this.endSteps();
    const result = this.#transaction(work);
    if (!this.#isRelaxed) this.#mark?.write(this.#count);
    return result;
  }

  /**
   * Runs work in a transaction that stays open for the next step: what is done bit by bit need not be
   * kept in memory until it is worth a commit.
   */
  step(work: () => void): void {
    try {
      // Others may write as long as this one only fills temporary tables.
      if (!this.#isStepping) this.#database.exec('BEGIN');
      this.#isStepping = true;
      work();
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /** Commits the steps done so far. */
  endSteps(): void {
    try {
      if (this.#isStepping) this.#database.exec('COMMIT');
      this.#isStepping = false;
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /**
   * As `commit`, but the disk is waited for beside other work: `onDisk` is what `synchronous=FULL` does
   * at the end of a commit (one sync of the write-ahead log), in another thread. A kill loses nothing
   * from here on; whatever a loss of power must not take waits for `onDisk`.
   */
  commitSoon<T>(work: () => T): { readonly result: T; readonly onDisk: Promise<void> } {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    try {
      const result = this.#transaction(work);
      return { result, onDisk: this.#sync(this.#count) };
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #sync(count: number): Promise<void> {
    try {
      this.#log ??= openSync(logPath(this.#files.database), 'r+');
      const log = this.#log;
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (thrown) {
      throw journalFailure(this.#files.path, thrown);
    }
    // A later one may have come first.
    if (count > this.#marked) this.#mark?.write(count);
    this.#marked = Math.max(this.#marked, count);
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#stillThere();
      this.#database.exec('BEGIN IMMEDIATE');
      const result = work();
      this.#facts.set('commits', this.#count + 1);
      this.#database.exec('COMMIT');
      this.#count++;
      return result;
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /** SQLite goes on writing into a file that was removed: nothing of it would ever be found again. */
  #stillThere(): void {
    if (this.isRemoved) throw removed(this.#files.path);
  }

  /** A file is gone, or another one has its name. */
  get isRemoved(): boolean {
    return this.#inodes.some(([path, inode]) => inodeOf(path) !== inode);
  }

  /** Undoes the transaction that is open, and says why in words. */
  #rolledBack(thrown: unknown): unknown {
    this.#isStepping = false;
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // A disk that is full may refuse that too; SQLite then rolls back when it next opens the file.
    }
    return journalFailure(this.#files.path, thrown);
  }

  /**
   * Whether commits may come back before they are on the disk; the first one that may not takes all with
   * it.
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
