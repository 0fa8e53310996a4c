import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { serviceOf } from '../../core/scope.ts';
import type { CodeChange } from '../../core/service/code-change.ts';
import { isShared, openLedger } from '../../ledger/open-ledger.ts';
import type {
  Against,
  Claim,
  KnownRun as KnownHere,
  Noted as RunNoted,
} from '../../ledger/port.ts';
import { Ledger } from '../../ledger/sql-ledger.ts';
import { IN_MEMORY, openDatabase } from '../../store/open-database.ts';
import { FIRST_PHASE, isSent, type Phase, phaseChanged, STEPS, type Step } from '../phases.ts';
import { CommitMark, type OpenedFile, Publisher, RunFile } from './commits.ts';
import type { Facts, RunHeader } from './facts.ts';
import { damaged, elsewhere, isElsewhere, runFailure } from './ledger-failure.ts';
import {
  createRunFile,
  FactTable,
  markPath,
  openRunFile,
  Queries,
  removeFiles,
  SCHEMA,
  stateFolderOf,
} from './run-database.ts';
import { RunRows } from './run-rows.ts';
import type { RunState } from './run-summary.ts';
import { SendQueue } from './send-queue.ts';
import { remadeRows } from './staged-rows.ts';
import type { Counts } from './transitions.ts';

interface Begin {
  /** Written once the run has begun. */
  readonly facts: Partial<Facts>;
  /** The entry of the history for the run, by column. */
  readonly entry?: Readonly<Record<string, string | number | null>> | undefined;
}

interface Opened extends OpenedFile {
  readonly header: RunHeader;
  readonly phase: Phase;
}

/**
 * One run: its rows and their states are in the file of the run, from the first staged row until the run
 * is removed. The ledger has its phase, and an index of the rows that were sent.
 *
 * Every request is recorded before it is sent: first in the file, then in the ledger.
 */
export class Run extends RunFile implements RunState {
  readonly header: RunHeader;
  /** Undefined for a run that is only read, or a preview, which the ledger does not know. */
  readonly #publisher: Publisher | undefined;
  #phase: Phase;
  #counted: { readonly commits: number; readonly counts: Counts } | undefined;

  private constructor({ header, phase, ...file }: Opened) {
    super(file);
    this.header = header;
    this.#phase = phase;
    if (file.claimed !== undefined) this.#publisher = new Publisher(file.claimed, this);
  }

  /** @param isKept false for a preview, which leaves nothing behind */
  static async create(path: string, header: RunHeader, isKept = false): Promise<Run> {
    let ledger: Ledger | undefined;
    let database: DatabaseSync | undefined;
    try {
      let claim: KnownRun | undefined;
      database = await createRunFile(path, header, async () => {
        if (!isKept) return;
        ledger = ledgerOf(stateFolderOf(path));
        claim = await registerRun(ledger, header);
      });
      const mark = new CommitMark(markPath(path));
      const opened = { path, header, database, phase: FIRST_PHASE, mark };
      if (claim === undefined || ledger === undefined) return new Run(opened);
      const run = new Run({ ...opened, claimed: { ledger, claim } });
      run.facts.set('generation', claim.generation);
      return run;
    } catch (thrown) {
      if (database?.isOpen) database.close();
      ledger?.close();
      throw runFailure(path, thrown);
    }
  }

  /**
   * Opens a run for writing. Processes that opened it earlier can write it no more. Before anything
   * else, file and ledger are joined.
   *
   * @param remakes if the file is lost or on another machine, rebuilds it from the ledger
   * @throws ProcError `config_unreadable` if the run is damaged or from another version of proc;
   *   `reference_not_found` if it was removed
   */
  static async open(path: string, { remakes = false } = {}): Promise<Run> {
    if (isElsewhere(path) && !remakes) throw elsewhere(path);
    const ledger = ledgerOf(stateFolderOf(path));
    let run: Run | undefined;
    try {
      const name = nameOf(path);
      const claim = known(await ledger.claim(name));
      if (claim === undefined) throw unknownRun(path, name);
      if (remakes) await remakeFile(path, ledger, claim);
      run = await Run.#claimed(path, ledger, claim);
      if (claim.hasBegun) await run.#join(claim);
      return run;
    } catch (thrown) {
      if (run === undefined) ledger.close();
      else run.close();
      throw runFailure(path, thrown);
    }
  }

  static async #claimed(path: string, ledger: Ledger, claim: KnownRun): Promise<Run> {
    if (claim.header === undefined || !existsSync(path)) throw damaged(path);
    const database = openRunFile(path, false);
    let mark: CommitMark | undefined;
    try {
      mark = new CommitMark(markPath(path));
      await takeGeneration(database, path, ledger, claim);
      const { header, phase } = claim;
      const claimed = { ledger, claim };
      const run = new Run({ path, header, database, phase, mark, claimed });
      run.#checkWhole(claim);
      return run;
    } catch (thrown) {
      mark?.close();
      if (database.isOpen) database.close();
      throw thrown;
    }
  }

  /** Opens a run without changing it: one that `remakes` is in memory. @throws ProcError as {@link Run.open} */
  static async read(path: string, { remakes = false } = {}): Promise<Run> {
    let database: DatabaseSync | undefined;
    if (isElsewhere(path) && !remakes) throw elsewhere(path);
    try {
      const found = await readKnown(path);
      if (found?.header === undefined || found.isDiscarded) throw unknownRun(path, nameOf(path));
      const isLost = !existsSync(path);
      if (isLost && !(remakes && found.hasBegun)) throw damaged(path);
      database = isLost ? await remadeInMemory(path, found) : openRunFile(path, true);
      const { header, phase } = found;
      const run = new Run({ path, header, database, phase });
      run.#checkWhole(found);
      return run;
    } catch (thrown) {
      if (database?.isOpen) database.close();
      throw runFailure(path, thrown);
    }
  }

  /**
   * Removes a run. If it has begun to send, the ledger keeps the entries of its rows. After a kill, it may be
   * repeated.
   *
   * @param isUnsent keeps a run that has begun meanwhile
   */
  static async remove(path: string, isUnsent = false): Promise<void> {
    const ledger = ledgerOf(stateFolderOf(path));
    try {
      const run = known(await ledger.beginDiscard(nameOf(path), isUnsent));
      if (isUnsent && run === undefined) return;
      if (run?.hasBegun === true && existsSync(path)) await Run.#publishLast(path, ledger, run);
      removeFiles(path);
      if (run !== undefined) await ledger.endDiscard(run.number);
    } catch (thrown) {
      throw runFailure(path, thrown);
    } finally {
      ledger.close();
    }
  }

  /** Closes the file to all other processes, then publishes its outcomes. Later ones go to the ledger alone. */
  static async #publishLast(path: string, ledger: Ledger, claim: KnownRun): Promise<void> {
    let run: Run | undefined;
    try {
      run = await Run.#claimed(path, ledger, claim);
      await run.#publishAll();
    } catch (thrown) {
      const failure = runFailure(path, thrown);
      // A damaged file has nothing to say.
      if (!(failure instanceof ProcError) || failure.code !== 'config_unreadable') throw failure;
    } finally {
      run?.closeFile();
    }
  }

  /** Refuses a file that has lost commits or records. */
  #checkWhole({ commits }: KnownRun): void {
    if (this.commits < commits) throw damaged(this.path);
    const staged = this.get('staged');
    if (staged !== undefined && staged !== this.rows.last()) throw damaged(this.path);
  }

  /** After a kill, the file may lack facts with which the run began, and the ledger the last outcomes. */
  async #join({ number, entry, counts }: KnownRun): Promise<void> {
    if (this.get('staged') === undefined) this.#noteBegin({ historyId: entry });
    // The machine that has the old file may have heard of a row since.
    if (this.get('isRemade') === true) {
      for await (const entries of this.#publisher!.ledger.entries(number))
        this.commit(() => this.rows.sent.confirm(entries));
    }
    if (counts === undefined) await this.#publishAll();
  }

  override step(work: () => void): void {
    this.#counted = undefined;
    super.step(work);
  }

  /** The cached counts stay valid, because facts do not change the states of rows. */
  note(facts: Partial<Facts>): void {
    const counted = this.#counted;
    this.commit(() => this.facts.setAll(facts));
    const { commits } = this;
    if (counted?.commits === commits - 1) this.#counted = { ...counted, commits };
  }

  /** How the service stores codes, as the run has seen it, or else as it expects it. */
  get codeChange(): CodeChange | undefined {
    return this.get('codesChanged');
  }

  get files(): Pick<RunHeader, 'rejectedFile' | 'resultsFile'> {
    const { rejectedFile, resultsFile } = this.header;
    return {
      rejectedFile: this.get('rejectedFile') ?? rejectedFile,
      resultsFile: this.get('resultsFile') ?? resultsFile,
    };
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Whether requests may have left. */
  get isSent(): boolean {
    return isSent(this.#phase);
  }

  /**
   * Changes the phase.
   *
   * @param facts written first
   * @throws ProcError `phase_changed`
   */
  async advance(step: Step, facts: Partial<Facts> = {}): Promise<void> {
    this.note(facts);
    await this.#move(step, { finishedAt: facts.finishedAt });
  }

  async #move(step: Step, noted: RunNoted, entry?: Begin['entry']): Promise<void> {
    const { from, to } = STEPS[step];
    await this.#publisher?.move({ from, to, hasBegun: isSent(to), noted, entry });
    this.#phase = to;
  }

  /** After this step, the run may send. */
  async begin(step: Step, { facts, entry }: Begin): Promise<void> {
    if (this.#publisher === undefined) throw new Error('a preview sends nothing');
    this.endSteps();
    // Brings all records from the log into the file: a lost log then loses none of them.
    this.rows.sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    await this.#move(step, {}, entry);
    this.commit(() => {
      this.#noteBegin({ ...facts, historyId: entry?.id as string | undefined });
    });
    // From now on, this run has what they have left. Their entries stay.
    for (const run of this.header.continues ?? []) await this.#publisher.ledger.beginDiscard(run);
  }

  #noteBegin(facts: Partial<Facts>): void {
    this.facts.setAll({ ...facts, staged: this.rows.last() });
  }

  /** Call it before the plan is made: it knows of all intents so far. */
  async noteSeen(): Promise<void> {
    this.note({ seen: await this.#publisher?.ledger.lastIntent() });
  }

  /** Counting takes time, so a run that is open for writing counts once per commit. */
  counts(): Counts {
    const { commits } = this;
    if (this.mark !== undefined && this.#counted?.commits === commits) return this.#counted.counts;
    const counts = this.rows.counts();
    if (counts === undefined) throw damaged(this.path);
    this.#counted = { commits, counts };
    return counts;
  }

  countParked(isRunning = false): number {
    return this.rows.countParked(isRunning);
  }

  /** From the next read on, all reads show the same data, even if another process writes. */
  freeze(): void {
    this.step(() => undefined);
  }

  /**
   * Must be called when no process sends rows of this run. A `sending` row becomes pending if its
   * request provably never left, and unconfirmed otherwise.
   *
   * @param isSameBoot false after a reboot: then marks in the file may be lost
   */
  interrupt(isSameBoot: boolean): void {
    const { writer } = this.rows;
    const { mark } = this;
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

  async reopen(isSameBoot: boolean): Promise<void> {
    this.interrupt(isSameBoot);
    this.commit(() => this.rows.writer.reopen());
    await this.advance('reopen');
  }

  /**
   * @param isListed whether unconfirmed rows can be looked up
   */
  sendQueue(isListed: boolean): SendQueue {
    if (this.#publisher !== undefined) this.#publisher.against = this.#against(isListed);
    return new SendQueue({ run: this, publisher: this.#publisher, isListed });
  }

  #against(isListed: boolean): Against {
    const since = this.get('seen') ?? 0;
    if (this.header.choices.onSent === 'send') return { which: 'nothing', since };
    return { which: isListed ? 'new or open' : 'new', since };
  }

  /** Whether other machines use the ledger too. */
  get isShared(): boolean {
    return isShared(stateFolderOf(this.path));
  }

  /** Whether no other process has opened the run for writing since. */
  async isOurs(): Promise<boolean> {
    const publisher = this.#publisher;
    return publisher === undefined || (await publisher.ledger.holds(publisher.claim));
  }

  /**
   * Publishes all outcomes, and withdraws the entries of rows that were not sent. Call it before a
   * run that is open for writing is closed: then the ledger alone can answer `imports list`.
   */
  async finish(): Promise<void> {
    const publisher = this.#publisher;
    if (publisher === undefined || !this.isSent || this.isRemoved) return;
    try {
      this.endSteps();
      await this.#publishAll();
      const counts: RunCounts = {
        states: this.counts(),
        parked: this.countParked(),
      };
      await publisher.ledger.note(publisher.claim, { commits: this.commits, counts });
    } catch (thrown) {
      // The next command that opens the run completes this.
      if (!(runFailure(this.path, thrown) instanceof ProcError)) throw thrown;
    }
  }

  /** Brings the entries of this run in line with its file. */
  async #publishAll(): Promise<void> {
    const publisher = this.#publisher!;
    const { ledger, claim } = publisher;
    const { sent } = this.rows;
    for (let last = 0; ; ) {
      const rows = await ledger.open(claim.number, last);
      if (rows.length === 0) break;
      last = rows.at(-1)!;
      publisher.publish(sent.outcomesOf(rows));
      await publisher.write();
    }
    const isBehind = (await ledger.count(claim.number, 'created')) < sent.countCreated();
    for (const outcomes of sent.entries(isBehind, this.get('isRemade') !== true)) {
      publisher.publish(outcomes);
      await publisher.write();
    }
    await publisher.write();
  }

  close(): void {
    this.closeFile();
    this.#publisher?.ledger.close();
  }

  async discard(): Promise<void> {
    this.close();
    if (this.#publisher === undefined) removeFiles(this.path);
    else await Run.remove(this.path);
  }
}

function nameOf(path: string): string {
  return basename(path, '.db');
}

async function readKnown(path: string): Promise<KnownRun | undefined> {
  const ledger = ledgerOf(stateFolderOf(path), { readOnly: true });
  try {
    return known(await ledger.run(nameOf(path)));
  } finally {
    ledger.close();
  }
}

/** No file makes more commits. A rebuilt file counts from a multiple of this, so it is ahead of all others. */
const MOST_COMMITS = 2 ** 32;

/**
 * Rebuilds a file that is not here. If the old file turns up again, it is behind the ledger, and no verb sends its rows.
 */
async function remakeFile(path: string, ledger: Ledger, claim: KnownRun): Promise<void> {
  const { header, hasBegun } = claim;
  if (existsSync(path) || header === undefined || !hasBegun) return;
  const commits = (Math.floor(claim.commits / MOST_COMMITS) + 1) * MOST_COMMITS;
  // First: from now on, every older file of the run is behind.
  const against = { which: 'nothing', since: 0 } as const;
  const written = await ledger.write(claim, { commits, outcomes: [], intents: [], against });
  if (written === undefined) throw phaseChanged(claim.name);
  removeFiles(path);
  const fill = (draft: DatabaseSync) => remakeRows(draft, ledger, { ...claim, commits });
  (await createRunFile(path, header, async () => undefined, fill)).close();
}

/** What a rebuilt file has: the rows that were sent, or may have been. */
async function remakeRows(
  database: DatabaseSync,
  ledger: Ledger,
  { number, commits, entry }: KnownRun,
): Promise<void> {
  const rows = new RunRows(database);
  const remake = remadeRows(rows.sql);
  for await (const entries of ledger.entries(number)) remake(entries);
  rows.addIndexes();
  const facts = new FactTable(rows.sql);
  facts.set('commits', commits);
  facts.setAll({ staged: rows.last(), historyId: entry, isRemade: true });
}

async function remadeInMemory(path: string, run: KnownRun): Promise<DatabaseSync> {
  const ledger = ledgerOf(stateFolderOf(path), { readOnly: true });
  const database = openDatabase(IN_MEMORY);
  database.exec(SCHEMA);
  await remakeRows(database, ledger, run).finally(() => ledger.close());
  return database;
}

/**
 * From now on, no process that opened the run earlier can write its file.
 *
 * @throws ProcError `phase_changed` if another process opened the run meanwhile; `config_unreadable` if the
 *   ledger is older than the file
 */
async function takeGeneration(
  database: DatabaseSync,
  path: string,
  ledger: Ledger,
  claim: Claim,
): Promise<void> {
  const facts = new FactTable(new Queries(database));
  database.exec('BEGIN IMMEDIATE');
  const isLater = Number(facts.get('generation') ?? 0) < claim.generation;
  if (isLater) facts.set('generation', claim.generation);
  database.exec('COMMIT');
  if (isLater) return;
  throw (await ledger.holds(claim)) ? damaged(path) : phaseChanged(claim.name);
}

function unknownRun(path: string, name: string): ProcError {
  // Without its entry in the ledger, nobody knows which rows of the run were sent.
  if (existsSync(path))
    return isShared(stateFolderOf(path)) ? continuedElsewhere(name) : damaged(path);
  return new ProcError('reference_not_found', `there is no import run "${name}" any more`, {
    hint: 'List all runs: proc imports list',
  });
}

function continuedElsewhere(name: string): ProcError {
  return new ProcError('config_unreadable', `another machine has continued ${name}`, {
    hint: 'The next import here removes the file of the run; the ledger keeps what was sent',
  });
}

/** How many rows are in each state, for `imports list`. */
interface RunCounts {
  readonly states: Counts;
  readonly parked: number;
}

export interface KnownRun extends KnownHere {
  readonly phase: Phase;
  readonly header: RunHeader | undefined;
  readonly counts: RunCounts | undefined;
}

/** Other processes write to the ledger too, but each only for a short time. */
const BUSY_MS = 20_000;

/** The ledger of a state folder. The caller closes it. */
export function ledgerOf(stateFolder: string, options?: { readonly readOnly: boolean }): Ledger {
  return new Ledger(openLedger(stateFolder, { ...options, busyTimeoutMs: BUSY_MS }));
}

/** The part of the ledger that knows only text has what this version of proc has written. */
export function known(run: KnownHere): KnownRun;
export function known(run: KnownHere | undefined): KnownRun | undefined;
export function known(run: KnownHere | undefined): KnownRun | undefined {
  return run as KnownRun | undefined;
}

/** Adds a new run to the ledger, opened for writing. */
async function registerRun(ledger: Ledger, header: RunHeader): Promise<KnownRun> {
  const { run: name, noun, baseUrl, organization } = header;
  const service = serviceOf(baseUrl);
  return known(await ledger.add({ name, noun, service, organization, phase: FIRST_PHASE, header }));
}
