import { closeSync, fdatasync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isShared, ledgerPath } from '../../ledger/open-ledger.ts';
import {
  type Against,
  type Claim,
  type Confirmed,
  type Intent,
  isHeld,
  type Outcome,
  type Refused,
} from '../../ledger/port.ts';
import type { Ledger } from '../../ledger/sql-ledger.ts';
import { phaseChanged } from '../phases.ts';
import type { Facts } from './facts.ts';
import { damaged, removed, runFailure } from './ledger-failure.ts';
import { FactTable, logPath, stateFolderOf } from './run-database.ts';
import { RunRows } from './run-rows.ts';

export interface OpenedFile {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Undefined if the run is only read. */
  readonly mark?: CommitMark | undefined;
  /** Undefined if the run is only read, or a preview. */
  readonly claimed?: { readonly ledger: Ledger; readonly claim: Claim } | undefined;
}

/** The file of a run: its rows, facts and transactions. */
export class RunFile {
  readonly path: string;
  readonly rows: RunRows;
  protected readonly facts: FactTable;
  protected readonly mark: CommitMark | undefined;
  readonly #database: DatabaseSync;
  readonly #claim: Claim | undefined;
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
  constructor({ path, database, mark, claimed }: OpenedFile) {
    this.path = path;
    this.rows = new RunRows(database);
    this.facts = new FactTable(this.rows.sql);
    this.mark = mark;
    this.#database = database;
    this.#claim = claimed?.claim;
    const folder = stateFolderOf(path);
    const hasOwn = claimed !== undefined && !isShared(folder);
    const paths = hasOwn ? [path, ledgerPath(folder)] : [path];
    this.#inodes = paths.map((file) => [file, inodeOf(file)]);
    this.#count = Number(this.facts.get('commits') ?? 0);
    if (mark !== undefined && mark.read() > this.#count) throw damaged(path);
    // A run without commits has sent no row.
    if (this.#count === 0) mark?.beginRows();
  }

  /** The number of commits so far. */
  get commits(): number {
    return this.#count;
  }

  get<K extends keyof Facts>(key: K): Facts[K] | undefined {
    return this.facts.get(key) as Facts[K] | undefined;
  }

  /** Needs no transaction. */
  set<K extends keyof Facts>(key: K, value: Facts[K]): void {
    this.facts.set(key, value);
  }

  forget(key: keyof Facts): void {
    this.facts.forget(key);
  }

  /**
   * Part of each transaction of a process that writes the run.
   *
   * @throws ProcError `phase_changed` if another process has opened the run for writing since
   */
  #checkGeneration(): void {
    const claim = this.#claim;
    if (claim !== undefined && !isHeld(claim, this.facts.get('generation'))) {
      throw phaseChanged(claim.name);
    }
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
        this.#database.exec(this.#claim === undefined ? 'BEGIN' : 'BEGIN IMMEDIATE');
        this.#checkGeneration();
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
      this.#log ??= openSync(logPath(this.path), 'r+');
      const log = this.#log;
      await new Promise<void>((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      });
    } catch (thrown) {
      throw runFailure(this.path, thrown);
    }
    this.#writeMark(count);
    return count;
  }

  #writeMark(count: number): void {
    // A sync may end after that of a later commit.
    if (count < this.#marked) return;
    this.#marked = count;
    try {
      this.mark?.write(count);
    } catch (thrown) {
      throw runFailure(this.path, thrown);
    }
  }

  #transaction<T>(work: () => T): T {
    try {
      this.#checkNotRemoved();
      this.#database.exec('BEGIN IMMEDIATE');
      this.#checkGeneration();
      const result = work();
      this.facts.set('commits', this.#count + 1);
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

  /** Must be called before the requests of `count` consecutive rows leave. `at`: see {@link CommitMark.handOver} */
  handOver(row: number, at: number, count: number): void {
    try {
      this.mark?.handOver(row, at, count);
      // After the mark: a process that opens the run now either sees the mark, or is seen here.
      this.#checkGeneration();
    } catch (thrown) {
      throw runFailure(this.path, thrown);
    }
  }

  #checkNotRemoved(): void {
    if (this.isRemoved) throw removed(this.path);
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
    return runFailure(this.path, thrown);
  }

  /**
   * After `relax(true)`, commits may return before they are on the disk. The next commit after
   * `relax(false)` brings them all to the disk.
   */
  relax(isRelaxed: boolean): void {
    this.#isRelaxed = isRelaxed;
    this.#database.exec(`PRAGMA synchronous = ${isRelaxed ? 'NORMAL' : 'FULL'}`);
  }

  closeFile(): void {
    this.mark?.close();
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** The number of commits, stored twice. */
const HEADER_BYTES = 16;
const ROW_BYTES = 4;
const LAST_32_BITS = 2 ** 32;
/**
 * At most this many rows are marked with one write. With a write for each row, an import takes 2 %
 * longer.
 */
export const MOST_MARKS = 8;

/**
 * A small file beside the run's file. It survives a kill, but perhaps not a power failure, because it
 * is never synced. It contains:
 *
 * - The number of the last commit. A file with fewer commits has lost some: perhaps it is a copy
 *   from a backup. proc refuses such a file: a resume could send rows again.
 * - For each row, the time of the intent with which its request was last handed over. After a kill,
 *   a row with a later intent was not handed over, so its request cannot have left.
 *
 * The number of commits is stored twice. If this file was lost and recreated, the second copy is missing
 * until all rows that were being sent are reconciled: until then, requests may have left without a mark.
 */
export class CommitMark {
  readonly #file: number;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #marks = Buffer.alloc(MOST_MARKS * ROW_BYTES);
  #isOpen = true;
  #hasRows: boolean;

  constructor(path: string) {
    this.#file = openMark(path);
    const isWhole = readSync(this.#file, this.#header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    this.#hasRows = isWhole && this.#header.readDoubleLE() === this.#header.readDoubleLE(8);
  }

  read(): number {
    return readSync(this.#file, this.#header, 0, 8, 0) === 8 ? this.#header.readDoubleLE() : 0;
  }

  /**
   * Must be called after the commit: a mark ahead of the file means that the file lost
   * commits.
   */
  write(count: number): void {
    this.#header.writeDoubleLE(count);
    this.#header.writeDoubleLE(count, 8);
    writeSync(this.#file, this.#header, 0, this.#hasRows ? HEADER_BYTES : 8, 0);
  }

  /**
   * False if marks were lost with the file. Then any request may have left.
   */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  /** Must be called while no row is being sent. From now on every request is marked. */
  beginRows(): void {
    this.#hasRows = true;
  }

  /**
   * Must be called before the requests of `count` consecutive rows leave.
   *
   * @param row the first of these rows
   * @param at when the intents of the rows were written, ms
   */
  handOver(row: number, at: number, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#marks.writeUInt32LE(at % LAST_32_BITS, index * ROW_BYTES);
    }
    writeSync(this.#file, this.#marks, 0, count * ROW_BYTES, HEADER_BYTES + row * ROW_BYTES);
  }

  isHandedOver(row: number, at: number): boolean {
    this.#marks.fill(0);
    readSync(this.#file, this.#marks, 0, ROW_BYTES, HEADER_BYTES + row * ROW_BYTES);
    return this.#marks.readUInt32LE() === at % LAST_32_BITS;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}

function openMark(path: string): number {
  try {
    return openSync(path, 'r+');
  } catch {
    return openSync(path, 'wx+', 0o600);
  }
}

interface Job {
  readonly intents: readonly Intent[];
  readonly done: (refused: readonly Refused[]) => void;
  readonly failed: (thrown: unknown) => void;
}

/**
 * Writes to the ledger what is in the file of the run: always after the file is on the disk. Jobs that come
 * while a write is under way wait for it, and are then written together.
 */
export class Publisher {
  readonly ledger: Ledger;
  readonly claim: Claim;
  readonly #file: RunFile;
  #outcomes: Outcome[] = [];
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  /** Which entries of other runs stop an intent. */
  against: Against = { which: 'nothing', since: 0 };

  constructor({ ledger, claim }: Pick<Publisher, 'ledger' | 'claim'>, file: RunFile) {
    this.ledger = ledger;
    this.claim = claim;
    this.#file = file;
  }

  /** The outcomes go to the ledger with the next write. */
  publish(outcomes: readonly Outcome[]): void {
    this.#outcomes.push(...outcomes);
  }

  /**
   * Changes the phase of the run.
   *
   * @throws ProcError `phase_changed` if the run is in another phase, or another process has opened it for writing
   */
  async move(move: Parameters<Ledger['move']>[1]): Promise<void> {
    if (!(await this.ledger.move(this.claim, move))) throw phaseChanged(this.claim.name);
  }

  /** Although another process works on the run. */
  confirm(created: readonly Confirmed[]): void {
    this.ledger.confirm(this.claim.number, created).catch(() => undefined);
  }

  /**
   * @returns the rows whose intents were not written
   * @throws ProcError `phase_changed` if another process has opened the run for writing
   */
  write(intents: readonly Intent[] = []): Promise<readonly Refused[]> {
    return new Promise((done, failed) => {
      this.#jobs.push({ intents, done, failed });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs;
      const outcomes = this.#outcomes;
      this.#jobs = [];
      this.#outcomes = [];
      try {
        const commits = await this.#file.sync();
        const intents = jobs.flatMap((job) => job.intents);
        const batch = { commits, outcomes, intents, against: this.against };
        const written = await this.ledger.write(this.claim, batch);
        if (written === undefined) throw phaseChanged(this.claim.name);
        const refused = new Map(written.map((one) => [one.row, one]));
        for (const { intents: own, done } of jobs)
          done(own.flatMap(({ row }) => refused.get(row) ?? []));
      } catch (thrown) {
        this.#outcomes = [...outcomes, ...this.#outcomes];
        for (const { failed } of jobs) failed(thrown);
      }
    }
    this.#running = undefined;
  }
}
