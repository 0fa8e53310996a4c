import { closeSync, fdatasync, openSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { openDatabase } from '../../store/open-database.ts';
import { type Facts, PUT_FACT, readFact } from './facts.ts';
import { logPath, markPath, removeFiles } from './files.ts';
import type { Phase, RunHeader } from './header.ts';
import { damaged, journalFailure, removed } from './ledger-failure.ts';
import {
  JOURNAL_ID,
  JOURNAL_VERSION,
  LATE_INDEXES,
  OLDEST_JOURNAL,
  SCHEMA,
} from './ledger-tables.ts';
import { CommitMark } from './mark.ts';
import { Catalogue } from './rows/catalogue-before.ts';
import { FingerprintedRows } from './rows/fingerprinted-rows.ts';
import { FlatRows } from './rows/flat-rows.ts';
import { LineItems } from './rows/line-items.ts';
import { PlannedRows } from './rows/planned-rows.ts';
import { ReportedRows } from './rows/reported-rows.ts';
import { type Noted, type RowTransition, RowWriter } from './rows/row-writer.ts';
import { SendQueue } from './rows/send-queue.ts';
import { ShownRows } from './rows/shown-rows.ts';
import { StagedRows } from './rows/staged-rows.ts';
import { type Counts, noCounts, type RowState } from './rows/states.ts';
import type { Target } from './rows/transitions.ts';
import { UnconfirmedRows } from './rows/unconfirmed-rows.ts';

/** The journal of one run: an SQLite file that is always ahead of the service. */
export class Journal {
  readonly path: string;
  readonly header: RunHeader;
  /** What existed before the first request. */
  readonly catalogue: Catalogue;
  readonly planned: PlannedRows;
  readonly unconfirmed: UnconfirmedRows;
  readonly reported: ReportedRows;
  readonly fingerprinted: FingerprintedRows;
  readonly #database: DatabaseSync;
  readonly #writer: RowWriter;
  readonly #mark: CommitMark | undefined;
  readonly #bump: StatementSync;
  #commits: number;
  #isRelaxed = false;
  /** The file that was opened. */
  readonly #inode: number | undefined;
  /** A transaction is open over several steps. */
  #isStepping = false;
  /** The write-ahead log, opened when commits are brought to the disk beside other work. */
  #log: number | undefined;
  #marked = 0;
  #counted: { readonly commits: number; readonly counts: Counts } | undefined;

  private constructor(path: string, database: DatabaseSync, header: RunHeader, readOnly: boolean) {
    this.path = path;
    this.#database = database;
    this.#writer = new RowWriter(database);
    this.catalogue = new Catalogue(database);
    this.planned = new PlannedRows(database, this.#writer);
    this.unconfirmed = new UnconfirmedRows(database);
    this.reported = new ReportedRows(database);
    this.fingerprinted = new FingerprintedRows(database);
    this.#inode = inodeOf(path);
    this.header = header;
    this.#commits = Number(readFact(database, 'commits') ?? 0);
    this.#bump = database.prepare(PUT_FACT);
    this.#mark = readOnly ? undefined : new CommitMark(markPath(path));
    if (this.#mark !== undefined && this.#mark.read() > this.#commits) {
      this.close();
      throw damaged(path);
    }
  }

  /** A new journal. It appears with its header on the disk, or not at all. */
  static create(path: string, header: RunHeader): Journal {
    const draft = `${path}.new`;
    let database: DatabaseSync | undefined;
    try {
      database = openDatabase(draft, { pageSize: PAGE_BYTES });
      database.exec('BEGIN IMMEDIATE');
      database.exec(SCHEMA);
      const put = database.prepare(PUT_FACT);
      put.run('header', JSON.stringify(header));
      put.run('phase', JSON.stringify('staging' satisfies Phase));
      database.exec(
        `PRAGMA application_id = ${JOURNAL_ID}; PRAGMA user_version = ${JOURNAL_VERSION}; COMMIT`,
      );
      database.close();
      renameSync(draft, path);
    } catch (thrown) {
      if (database?.isOpen) database.close();
      removeFiles(draft);
      throw journalFailure(path, thrown);
    }
    return Journal.open(path);
  }

  /**
   * @throws ProcError `config_unreadable` if it is damaged or of another version
   */
  static open(path: string, readOnly = false): Journal {
    let database: DatabaseSync | undefined;
    try {
      database = openDatabase(path, { readOnly });
      if (!readOnly) tune(database);
      const id = database.prepare('PRAGMA application_id').get()!.application_id;
      const version = Number(database.prepare('PRAGMA user_version').get()!.user_version);
      const header = id === JOURNAL_ID ? readFact(database, 'header') : undefined;
      if (header === undefined) throw damaged(path);
      if (version < OLDEST_JOURNAL || version > JOURNAL_VERSION) {
        const age = version > JOURNAL_VERSION ? 'a newer' : 'an older';
        throw new ProcError('config_unreadable', `${path} is from ${age} version of proc`, {
          hint: 'Resume it with the version that began it.',
        });
      }
      return new Journal(path, database, header as RunHeader, readOnly);
    } catch (thrown) {
      if (database?.isOpen) database.close();
      throw journalFailure(path, thrown);
    }
  }

  /** Runs work in one transaction; what it did is on the disk when this returns, or not at all. */
  commit<T>(work: () => T): T {
    this.endSteps();
    const result = this.#transaction(work);
    if (!this.#isRelaxed) this.#mark?.write(this.#commits);
    return result;
  }

  /**
   * Runs work in a transaction that stays open for the next step: what is done bit by bit need not be
   * kept in memory until it is worth a commit.
   */
  step(work: () => void): void {
    try {
      if (!this.#isStepping) this.#database.exec('BEGIN IMMEDIATE');
      this.#isStepping = true;
      this.#counted = undefined;
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

  /** Writes facts in one transaction. Rows stay as they are, and so does their count. */
  note(facts: Partial<Facts>): void {
    const counted = this.#counted;
    this.commit(() => {
      for (const [key, value] of Object.entries(facts)) this.#bump.run(key, JSON.stringify(value));
    });
    if (counted?.commits === this.#commits - 1) {
      this.#counted = { ...counted, commits: this.#commits };
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
      return { result, onDisk: this.#sync(this.#commits) };
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  async #sync(commits: number): Promise<void> {
    try {
      this.#log ??= openSync(logPath(this.path), 'r+');
      const log = this.#log;
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (thrown) {
      throw journalFailure(this.path, thrown);
    }
    // A later one may have come first.
    if (commits > this.#marked) this.#mark?.write(commits);
    this.#marked = Math.max(this.#marked, commits);
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#stillThere();
      this.#database.exec('BEGIN IMMEDIATE');
      const result = work();
      this.#bump.run('commits', String(this.#commits + 1));
      this.#database.exec('COMMIT');
      this.#commits++;
      return result;
    } catch (thrown) {
      throw this.#rolledBack(thrown);
    }
  }

  /** SQLite goes on writing into a file that was removed: nothing of it would ever be found again. */
  #stillThere(): void {
    if (this.isRemoved) throw removed(this.path);
  }

  /** The file is gone, or another one has its name. */
  get isRemoved(): boolean {
    return inodeOf(this.path) !== this.#inode;
  }

  /** Undoes the transaction that is open, and says why in words. */
  #rolledBack(thrown: unknown): unknown {
    this.#isStepping = false;
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // A disk that is full may refuse that too; SQLite then rolls back when it next opens the file.
    }
    return journalFailure(this.path, thrown);
  }

  /** Inside or outside of a commit. */
  set<K extends keyof Facts>(key: K, value: Facts[K]): void {
    this.#bump.run(key, JSON.stringify(value));
  }

  get<K extends keyof Facts>(key: K): Facts[K] | undefined {
    return readFact(this.#database, key) as Facts[K] | undefined;
  }

  /** Where the rejected rows, and what became of every row, are written. */
  get files(): Pick<RunHeader, 'rejectedFile' | 'resultsFile'> {
    const { rejectedFile, resultsFile } = this.header;
    return {
      rejectedFile: this.get('rejectedFile') ?? rejectedFile,
      resultsFile: this.get('resultsFile') ?? resultsFile,
    };
  }

  get phase(): Phase {
    return this.get('phase') ?? 'staging';
  }

  /** Rows by state. Counting a million takes a moment, so a count holds until the next commit. */
  counts(): Counts {
    if (this.#mark !== undefined && this.#counted?.commits === this.#commits) {
      return this.#counted.counts;
    }
    const counts = noCounts();
    for (const row of this.#database
      .prepare('SELECT state, count(*) AS n FROM rows GROUP BY state')
      .iterate()) {
      if (!Object.hasOwn(counts, row.state as string)) throw damaged(this.path);
      counts[row.state as RowState] = Number(row.n);
    }
    this.#counted = { commits: this.#commits, counts };
    return counts;
  }

  /**
   * Whether commits may come back before they are on the disk; the first one that may not takes all with
   * it.
   */
  relax(isRelaxed: boolean): void {
    this.#isRelaxed = isRelaxed;
    this.#database.exec(`PRAGMA synchronous = ${isRelaxed ? 'NORMAL' : 'FULL'}`);
  }

  /** Staging is over: what is asked of the rows from now on is found by indexes. */
  addIndexes(): void {
    this.#database.exec(LATE_INDEXES);
  }

  /**
   * Writes what happened to a row, in a transaction.
   *
   * @returns false, and nothing is written, if the row is in no state that the transition leaves
   */
  apply<T extends RowTransition>(
    row: number,
    transition: T,
    to: Target<T>,
    noted?: Noted,
  ): boolean {
    return this.#writer.apply(row, transition, to, noted);
  }

  /** The run is resumed: rows without an outcome are unconfirmed, and what was parked is looked up once more. */
  reopen(): void {
    this.commit(() => {
      this.#writer.interrupt('the run was cut off while this row was sent');
      this.#writer.reopen();
      this.set('phase', 'sending');
    });
  }

  /** For writing rows for the first time. */
  staging(): StagedRows {
    return new StagedRows(this.#database);
  }

  /** For rows of which several make one. */
  flatRows(): FlatRows {
    return new FlatRows(this.#database);
  }

  /** For items that lines of the rows define. */
  lineItems(): LineItems {
    return new LineItems(this.#database);
  }

  sendQueue(): SendQueue {
    return new SendQueue(this, this.#database, this.#writer);
  }

  /** For comparing a list with what was created. */
  shownRows(): ShownRows {
    return new ShownRows(this.#database);
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** A run that was cut off while staging begins again with no rows. */
  empty(): void {
    this.commit(() =>
      this.#database.exec('DELETE FROM rows; DELETE FROM records; DELETE FROM catalogue'),
    );
  }

  close(): void {
    this.#mark?.close();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }

  /** Closes it and leaves no trace. */
  discard(): void {
    this.close();
    removeFiles(this.path);
  }
}

/** Staging writes a few hundred bytes a row, in order: with the usual 4 KiB it takes twice as long. */
const PAGE_BYTES = 16_384;

function tune(database: DatabaseSync): void {
  // Fewer checkpoints, each of which stops the run for a moment; 32 MiB of WAL at most.
  database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
