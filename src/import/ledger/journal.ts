import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { FIRST_PHASE, isPhaseChanged, type Phase, STEPS, type Step } from '../phases.ts';
import { type Facts, FactTable } from './facts.ts';
import type { RunHeader } from './header.ts';
import { type JournalParts, partsOf } from './journal-parts.ts';
import {
  type Claim,
  claimRun,
  discardRun,
  type KnownRun,
  knownRun,
  moveRun,
  registerRun,
} from './known-runs.ts';
import { damaged, journalFailure } from './ledger-failure.ts';
import type { Catalogue } from './rows/catalogue-before.ts';
import type { FingerprintedRows } from './rows/fingerprinted-rows.ts';
import { FlatRows } from './rows/flat-rows.ts';
import { LineItems } from './rows/line-items.ts';
import type { PlannedRows } from './rows/planned-rows.ts';
import type { ReportedRows } from './rows/reported-rows.ts';
import type { Noted, RowTransition } from './rows/row-writer.ts';
import { type Bodies, SendQueue } from './rows/send-queue.ts';
import { ShownRows } from './rows/shown-rows.ts';
import { StagedRows, statedRows } from './rows/staged-rows.ts';
import type { Counts } from './rows/states.ts';
import type { Target } from './rows/transitions.ts';
import type { UnconfirmedRows } from './rows/unconfirmed-rows.ts';
import { type Entering, enterRows } from './run-file/enter-rows.ts';
import { markPath, removeFiles } from './run-file/files.ts';
import { CommitMark, MOST_MARKS } from './run-file/mark.ts';
import { createRunFile, openRunFile, openWithLedger, stateFolderOf } from './run-file/run-file.ts';
import { LATE_INDEXES } from './run-file/run-file-tables.ts';
import type { SealedRow, SealedRows } from './run-file/sealed-rows.ts';
import type { RunState } from './run-state.ts';
import { repairEarlier } from './sent/repaired-rows.ts';

/**
 * The crash-safe record of one run: every request is recorded here before it is sent.
 *
 * The rows are in the file of the run at first, and in the ledger once sending begins. The records
 * and bodies stay in the file.
 */
export class Journal implements RunState {
  readonly path: string;
  readonly header: RunHeader;
  /** Undefined for a preview, which the ledger does not know. */
  readonly #claim: Claim | undefined;
  /** Unused once the rows are in the ledger, because the phase is read there. */
  #phase: Phase;
  readonly #mark: CommitMark | undefined;
  #open: JournalParts;
  #counted: { readonly commits: number; readonly counts: Counts } | undefined;

  private constructor(
    path: string,
    header: RunHeader,
    known: KnownRun | undefined,
    database: DatabaseSync,
    readOnly: boolean,
  ) {
    this.path = path;
    this.header = header;
    this.#claim = known;
    this.#phase = known?.phase ?? FIRST_PHASE;
    const entered = known?.isEntered === true ? known.number : undefined;
    this.#mark = readOnly ? undefined : new CommitMark(markPath(path));
    try {
      // `query_only` forbids even temporary views, which `partsOf` creates.
      if (readOnly) database.exec('PRAGMA query_only = OFF');
      this.#open = partsOf(database, path, entered, this.#mark, readOnly ? undefined : known);
      if (readOnly) database.exec('PRAGMA query_only = ON');
      if (entered !== undefined) this.#checkRecords();
    } catch (thrown) {
      this.#mark?.close();
      throw thrown;
    }
  }

  /** @param isKept false for a preview, which leaves nothing behind */
  static create(path: string, header: RunHeader, isKept = false): Journal {
    try {
      let known: KnownRun | undefined;
      const database = createRunFile(path, header, () => {
        if (isKept) known = registerRun(stateFolderOf(path), header);
      });
      if (known !== undefined)
        new FactTable(database, undefined).set('generation', known.generation);
      return new Journal(path, header, known, database, false);
    } catch (thrown) {
      throw journalFailure(path, thrown);
    }
  }

  /**
   * Opens a run for writing. Processes that opened it earlier can write it no more.
   *
   * @throws ProcError `config_unreadable` if the run is damaged or from another version of proc;
   *   `reference_not_found` if it was discarded
   */
  static open(path: string): Journal {
    return Journal.#opened(path, false, (name) => claimRun(stateFolderOf(path), name));
  }

  /** Opens a run without changing it. @throws ProcError as {@link Journal.open} */
  static read(path: string): Journal {
    return Journal.#opened(path, true, (name) => {
      const ledger = openLedger(stateFolderOf(path), { readOnly: true });
      try {
        const known = knownRun(ledger, name);
        return known?.isDiscarded === true ? undefined : known;
      } finally {
        ledger.close();
      }
    });
  }

  /** @param find the entry of the run in the ledger; undefined if there is none */
  static #opened(
    path: string,
    readOnly: boolean,
    find: (name: string) => KnownRun | undefined,
  ): Journal {
    let database: DatabaseSync | undefined;
    try {
      const name = /([^/\\]+)\.db$/.exec(path)?.[1] ?? '';
      const known = find(name);
      const header = known?.header;
      if (known === undefined || header === undefined) throw unknownRun(path, name);
      if (!existsSync(path)) throw damaged(path);
      database = known.isEntered ? openWithLedger(path, readOnly) : openRunFile(path, readOnly);
      if (!readOnly && !known.isEntered) {
        new FactTable(database, undefined).set('generation', known.generation);
      }
      return new Journal(path, header, known, database, readOnly);
    } catch (thrown) {
      if (database?.isOpen) database.close();
      throw journalFailure(path, thrown);
    }
  }

  /** Refuses a file that has lost records: the bodies of their rows are lost too. */
  #checkRecords(): void {
    const staged = this.get('staged');
    const { last } = this.#open.rows.database
      .prepare('SELECT max(row) AS last FROM records')
      .get()!;
    if (staged !== undefined && staged !== Number(last)) throw damaged(this.path);
  }

  get catalogue(): Catalogue {
    return this.#open.catalogue;
  }

  get planned(): PlannedRows {
    return this.#open.planned;
  }

  get unconfirmed(): UnconfirmedRows {
    return this.#open.unconfirmed;
  }

  get reported(): ReportedRows {
    return this.#open.reported;
  }

  get fingerprinted(): FingerprintedRows {
    return this.#open.fingerprinted;
  }

  get sealed(): SealedRows {
    return this.#open.sealed;
  }

  commit<T>(work: () => T): T {
    return this.#open.commits.commit(work);
  }

  step(work: () => void): void {
    this.#counted = undefined;
    this.#open.commits.step(work);
  }

  endSteps(): void {
    this.#open.commits.endSteps();
  }

  /** The cached counts stay valid, because facts do not change the states of rows. */
  note(facts: Partial<Facts>): void {
    const counted = this.#counted;
    this.commit(() => this.#open.facts.setAll(facts));
    const { count } = this.#open.commits;
    if (counted?.commits === count - 1) this.#counted = { ...counted, commits: count };
  }

  /** Needs no transaction. */
  set<K extends keyof Facts>(key: K, value: Facts[K]): void {
    this.#open.facts.set(key, value);
  }

  setAll(facts: Partial<Facts>): void {
    this.#open.facts.setAll(facts);
  }

  get<K extends keyof Facts>(key: K): Facts[K] | undefined {
    return this.#open.facts.get(key) as Facts[K] | undefined;
  }

  forget(key: keyof Facts): void {
    this.#open.facts.forget(key);
  }

  get files(): Pick<RunHeader, 'rejectedFile' | 'resultsFile'> {
    const { rejectedFile, resultsFile } = this.header;
    return {
      rejectedFile: this.get('rejectedFile') ?? rejectedFile,
      resultsFile: this.get('resultsFile') ?? resultsFile,
    };
  }

  get phase(): Phase {
    const claim = this.#claim;
    if (claim === undefined || !this.isEntered) return this.#phase;
    return phaseOf(this.#open.rows.database, claim.number);
  }

  /**
   * Changes the phase.
   *
   * @param facts written first; if the rows are in the ledger, in the same transaction
   * @throws ProcError `phase_changed`
   */
  advance(step: Step, facts: Partial<Facts> = {}): void {
    const claim = this.#claim;
    if (this.isEntered && claim !== undefined) {
      this.commit(() => {
        moveRun(this.#open.rows.database, claim, step);
        this.#open.facts.setAll(facts);
      });
      return;
    }
    this.note(facts);
    if (claim !== undefined) moveAlone(stateFolderOf(this.path), claim, step);
    this.#phase = STEPS[step].to;
  }

  /** Counting takes time, so a journal that is open for writing counts once per commit. */
  counts(): Counts {
    const { commits } = this.#open;
    if (this.#mark !== undefined && this.#counted?.commits === commits.count) {
      return this.#counted.counts;
    }
    const counts = this.#open.counts.byState();
    if (counts === undefined) throw damaged(this.path);
    this.#counted = { commits: commits.count, counts };
    return counts;
  }

  countParked(isRunning = false): number {
    return this.#open.counts.parked(isRunning);
  }

  countRepaired(): number {
    return this.#open.counts.repaired();
  }

  repairEarlier(): void {
    const claim = this.#claim;
    if (this.header.repairs === undefined || claim === undefined || !this.isEntered) return;
    this.commit(() => repairEarlier(this.#open.rows.database, this.header, claim.number));
  }

  relax(isRelaxed: boolean): void {
    this.#open.commits.relax(isRelaxed);
  }

  /** From the next read on, all reads show the same data, even if another process writes. */
  freeze(): void {
    this.step(() => undefined);
  }

  /** Must be called after staging. Queries that find rows by key need the indexes. */
  addIndexes(): void {
    this.#open.rows.database.exec(LATE_INDEXES);
  }

  /**
   * Writes the new state of a row. Must be called in a transaction.
   *
   * @returns false if the state of the row does not allow the transition; then nothing is written
   */
  apply<T extends RowTransition>(
    row: number,
    transition: T,
    to: Target<T>,
    noted?: Noted,
  ): boolean {
    return this.#open.writer.apply(row, transition, to, noted);
  }

  /** Copies the rows into the ledger, and takes the step. After that the run may send. */
  async enter(step: Step, entering: Entering): Promise<void> {
    const claim = this.#claim;
    if (claim === undefined) throw new Error('a preview sends nothing');
    this.endSteps();
    let ledger: DatabaseSync;
    try {
      ledger = await enterRows(this.path, claim, step, entering);
    } catch (thrown) {
      throw journalFailure(this.path, thrown);
    }
    this.#phase = STEPS[step].to;
    this.#open.commits.close();
    this.#counted = undefined;
    // Moves all records into the file, so that a loss of the write-ahead log loses no records.
    ledger.exec('PRAGMA staged.wal_checkpoint(TRUNCATE)');
    this.#open = partsOf(ledger, this.path, claim.number, this.#mark, claim);
  }

  /**
   * Must be called when no process sends rows of this run. A `sending` row becomes pending if its
   * request provably never left, and unconfirmed otherwise.
   *
   * @param isSameBoot false after a reboot: then marks in the file may be lost
   */
  interrupt(isSameBoot: boolean): void {
    const { writer } = this.#open;
    const mark = this.#mark;
    const sending = writer.sending();
    if (sending.length > 0) {
      const marks = isSameBoot && mark?.hasRows === true ? mark : undefined;
      this.commit(() => {
        for (const { row, at } of sending) {
          if (marks?.isHandedOver(row, at) === false) writer.apply(row, 'withdraw', 'pending');
        }
        writer.interrupt();
      });
    }
    mark?.beginRows();
  }

  reopen(isSameBoot: boolean): void {
    this.interrupt(isSameBoot);
    this.commit(() => this.#open.writer.reopen());
    this.advance('reopen');
  }

  staging(): StagedRows {
    return new StagedRows(this.#open.rows.database);
  }

  stating(): (rows: readonly SealedRow[]) => void {
    return statedRows(this.#open.rows.database);
  }

  flatRows(): FlatRows {
    return new FlatRows(this.#open.rows.database);
  }

  lineItems(): LineItems {
    return new LineItems(this.#open.rows.database);
  }

  /**
   * @param areLookedUp whether unconfirmed rows can be looked up. If so, one write marks several
   *   rows as handed over, which is faster. After a kill, some of the marked requests may never
   *   have left: only a look-up can tell.
   */
  sendQueue(areLookedUp: boolean, bodies?: Bodies): SendQueue {
    const { commits, rows, writer } = this.#open;
    const queue = {
      counts: () => this.counts(),
      commit: <T>(work: () => T) => commits.commit(work),
      commitSoon: <T>(work: () => T) => commits.commitSoon(work),
      commitLater: <T>(work: () => T) => commits.commitLater(work),
      confirmLate: (work: () => void) => this.#open.commits.unchecked(work),
      handOver: (row: number, at: number, count: number) => this.#handOver(row, at, count),
    };
    return new SendQueue(queue, rows, writer, areLookedUp ? MOST_MARKS : 1, bodies);
  }

  #handOver(row: number, at: number, count: number): void {
    try {
      this.#mark?.handOver(row, at, count);
      // After the mark: a process that opens the run now either sees the mark, or is seen here.
      this.#open.check?.();
    } catch (thrown) {
      throw journalFailure(this.path, thrown);
    }
  }

  shownRows(): ShownRows {
    return new ShownRows(this.#open.rows, this.get('codesChanged'));
  }

  get isEntered(): boolean {
    return this.#open.rows.base > 0;
  }

  get isRemoved(): boolean {
    return this.#open.commits.isRemoved;
  }

  /** Whether no other process has opened the run for writing since. */
  get isOurs(): boolean {
    try {
      this.#open.check?.();
      return true;
    } catch (thrown) {
      if (isPhaseChanged(thrown)) return false;
      throw thrown;
    }
  }

  empty(): void {
    this.commit(() =>
      this.#open.rows.database.exec(
        'DELETE FROM main.rows; DELETE FROM records; DELETE FROM catalogue',
      ),
    );
  }

  close(): void {
    this.#mark?.close();
    this.#open.commits.close();
  }

  discard(): void {
    this.close();
    const removeItsFile = () => removeFiles(this.path);
    if (this.#claim === undefined) removeItsFile();
    else discardRun(stateFolderOf(this.path), this.header.run, removeItsFile);
  }
}

function unknownRun(path: string, name: string): ProcError {
  // Without its entry in the ledger, nobody knows which rows of the run were sent.
  if (existsSync(path)) return damaged(path);
  return new ProcError('reference_not_found', `there is no import run "${name}" any more`, {
    hint: 'List all runs: proc imports list',
  });
}

function phaseOf(ledger: DatabaseSync, number: number): Phase {
  return ledger.prepare('SELECT phase FROM runs WHERE number = ?').get(number)?.phase as Phase;
}

function moveAlone(stateFolder: string, claim: Claim, step: Step): void {
  const ledger = openLedger(stateFolder);
  try {
    ledger.exec('BEGIN IMMEDIATE');
    moveRun(ledger, claim, step);
    ledger.exec('COMMIT');
  } finally {
    ledger.close();
  }
}
