import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Problem } from '../../core/problem/row-problem.ts';
import type { Confirmed, Intent, Outcome, Refused } from '../../ledger/port.ts';
import { isPhaseChanged } from '../phases.ts';
import { MOST_MARKS, type Publisher, type RunFile } from './commits.ts';
import type { Choices } from './facts.ts';
import type { Queries } from './run-database.ts';
import { keyOf, type RunRows } from './run-rows.ts';
import {
  type Counts,
  type RowState,
  type RowWriter,
  TAKEN_OVER,
  type Target,
} from './transitions.ts';

/** A row that is recorded as sent, so that its request may leave. */
export interface Ready {
  readonly row: number;
  readonly code: string | null;
  /** JSON text, sent as it is. */
  readonly body: string;
  /** How often the row was sent with an unknown outcome so far. */
  readonly tries: number;
  /** When the row was recorded as sent, ms. */
  readonly at: number;
  /**
   * Number of rows that this request marks as handed over: this row and the rows after it. 0 if an
   * earlier request marks this row.
   */
  readonly marks: number;
}

export interface Verdict {
  readonly state: Target<'answer' | 'reconcile' | 'compare'>;
  readonly id?: string | undefined;
  readonly status?: number | undefined;
  readonly reason?: Problem | undefined;
  readonly lookedUp?: boolean;
}

const CREATED = 201;

/** The transition that a verdict makes, by the current state of the row. */
const BY = { sending: 'answer', unconfirmed: 'reconcile', rejected: 'compare' } as const;

export interface Decided {
  readonly row: number;
  readonly was: keyof typeof BY;
  readonly verdict: Verdict;
}

export interface OngoingCommit {
  /** Number of rows that were marked as sent. */
  readonly count: number;
  /** Those of them that may leave: their intents are on the disk, in the file and in the ledger. */
  readonly onDisk: Promise<readonly Ready[]>;
}

/** What a transaction has written, to count it once it is committed. */
interface Written {
  readonly decided: readonly Decided[];
  /** Created rows that are unconfirmed now. */
  readonly doubted: readonly number[];
}

interface QueueParts {
  readonly run: RunFile & { counts(): Counts };
  /** Undefined for a preview, which the ledger does not know. */
  readonly publisher: Publisher | undefined;
  /** Whether unconfirmed rows can be looked up. */
  readonly isListed: boolean;
}

/** One transaction writes verdicts and marks the next rows as sent. */
export class SendQueue {
  readonly #run: RunFile;
  readonly #publisher: Publisher | undefined;
  readonly #rows: RunRows;
  readonly #sql: Queries;
  readonly #writer: RowWriter;
  readonly #counts: Record<RowState, number>;
  readonly #select: StatementSync;
  readonly #markSending: StatementSync;
  readonly #markCreated: StatementSync;
  readonly #rowsPerMark: number;
  readonly #isListed: boolean;
  /** When the intents of the rows that are being sent were written, ms. */
  readonly #intents = new Map<number, number>();
  #falseId: Problem | undefined;
  /** Another process has confirmed a row late, so the counts must be read again. */
  #isLate = false;
  #cursor = 0;
  /** The lowest number of a row that became pending again. */
  #backTo: number | undefined = undefined;

  constructor({ run, publisher, isListed }: QueueParts) {
    const { sql, writer } = run.rows;
    this.#run = run;
    this.#publisher = publisher;
    this.#rows = run.rows;
    this.#sql = sql;
    this.#isListed = isListed;
    // One write that marks several rows is faster. After a kill, some of their requests may never
    // have left: only a look-up can tell.
    this.#rowsPerMark = isListed ? MOST_MARKS : 1;
    this.#writer = writer;
    this.#counts = { ...run.counts() };
    this.#select = sql.database.prepare(
      `SELECT r.row, r.code, b.body, r.tries, r.name, r.fingerprint, r.seen
        FROM rows r JOIN records b ON b.row = r.row
        WHERE r.row > ? AND r.state = 'pending' ORDER BY r.row LIMIT ?`,
    );
    // SQLite needs twice as long to return rows as objects.
    this.#select.setReturnArrays(true);
    this.#markSending = writer.markSending();
    this.#markCreated = writer.markCreated();
  }

  hasRow(code: string): boolean {
    return this.#sql.has('FROM rows WHERE code = ?', code);
  }

  get counts(): Counts {
    return this.#counts;
  }

  /**
   * Writes verdicts, and marks up to `max` further rows as sent. Their requests may leave once the
   * transaction is on the disk, and after it the intents in the ledger.
   *
   * @throws ProcError `phase_changed` if another process has opened the run for writing since. Then
   *   only created rows are written.
   */
  commit(decided: readonly Decided[], max: number, now: number): OngoingCommit {
    const { ready, intents } = this.#transaction(decided, () =>
      max > 0 ? this.#take(max, now) : { ready: [], intents: [] },
    );
    this.#counts.sending += ready.length;
    this.#counts.pending -= ready.length;
    const written = this.#publisher?.write(intents) ?? Promise.resolve([]);
    const onDisk = written.then((refused) => this.#leaving(ready, refused, now));
    return { count: ready.length, onDisk };
  }

  /** A kill cannot lose these verdicts, but a power failure can. @throws as {@link SendQueue.commit} */
  record(decided: readonly Decided[]): void {
    this.#transaction(decided, () => undefined);
  }

  #transaction<T>(decided: readonly Decided[], take: () => T): T {
    const before = { cursor: this.#cursor, backTo: this.#backTo };
    try {
      const { all, taken } = this.#run.commitLater(() => ({
        all: this.#writeAll(decided),
        taken: take(),
      }));
      this.#countAll(all);
      this.#publish(all);
      return taken;
    } catch (thrown) {
      this.#cursor = before.cursor;
      this.#backTo = before.backTo;
      if (isPhaseChanged(thrown)) this.#confirm(decided);
      throw thrown;
    }
  }

  /** Another run may have sent some of the rows since this run looked at them: they do not leave. */
  #leaving(ready: readonly Ready[], refused: readonly Refused[], now: number): readonly Ready[] {
    if (refused.length === 0) return ready;
    this.#run.commitLater(() => {
      for (const { row, state, id, run, intent } of refused) {
        this.#writer.apply(row, 'withdraw', 'pending');
        const outcome = state === 'maybe' ? 'unconfirmed' : state;
        const reason = { code: 'sent_before', args: { by: { run }, outcome } } as const;
        // A look-up decides, once the request of the other run can no longer take effect. When it left, only the
        // clock of the other machine could tell.
        const sentAt = this.#isListed ? now : null;
        const open = { lookedUp: !this.#isListed, sentAt, seen: intent };
        const noted = { id, reason, ...(outcome === 'unconfirmed' ? open : {}) };
        this.#writer.takeOver(row, outcome, noted);
      }
    });
    for (const { row, state } of refused) {
      this.#intents.delete(row);
      this.#counts.sending--;
      this.#counts[TAKEN_OVER[state === 'maybe' ? 'unconfirmed' : state]]++;
    }
    const stopped = new Set(refused.map(({ row }) => row));
    return withMarks(
      ready.filter(({ row }) => !stopped.has(row)),
      this.#rowsPerMark,
    );
  }

  #publish({ decided, doubted }: Written): void {
    const outcomes = decided.flatMap(({ row, verdict: { state, id } }): Outcome[] => {
      if (state === 'created') return [{ row, state, id }];
      // The entry of a row that is pending again, or unconfirmed, stays until its outcome is known.
      return state === 'pending' || state === 'unconfirmed' ? [] : [{ row, state: 'none' }];
    });
    const open = doubted.map((row): Outcome => ({ row, state: 'maybe' }));
    // A row of this batch may be doubted because of one after it.
    this.#publisher?.publish([...outcomes, ...open]);
  }

  /** The last answer with an id that cannot belong to its row; undefined if there was none. */
  get falseId(): Problem | undefined {
    return this.#falseId;
  }

  /** Confirms rows whose intents this process wrote, also if another process works on the run now. */
  #confirm(decided: readonly Decided[]): void {
    const created = decided.flatMap(({ row, was, verdict: { state, id = null } }): Confirmed[] => {
      const at = this.#intents.get(row);
      return was === 'sending' && state === 'created' && at !== undefined ? [{ row, at, id }] : [];
    });
    this.#run.unchecked(() => {
      for (const { row, at, id } of created) this.#writer.confirm(row, at, id);
    });
    // Whoever works on the run now may have published its outcomes already.
    this.#publisher?.confirm(created);
  }

  /** Must be called before the request of the row leaves. */
  handOver({ row, at, marks }: Ready): void {
    if (marks > 0) this.#run.handOver(row, at, marks);
  }

  /**
   * Pending rows whose codes exist as the service stores them become `existing`. Rows with the stored
   * code of another row of the run become duplicates. Call it while no row is ready to leave.
   */
  markChanged({ onExisting, onDuplicate }: Choices): void {
    const { existing, duplicates } = this.#run.commit(() => ({
      existing: onExisting === 'skip' ? this.#rows.planned.markInCatalogue() : 0,
      duplicates: onDuplicate === 'all' ? 0 : this.#writer.collapseStored(),
    }));
    this.#counts.existing += existing;
    this.#counts.duplicate += duplicates;
    this.#counts.pending -= existing + duplicates;
  }

  #writeAll(decided: readonly Decided[]): Written {
    const created: Decided[] = [];
    const others: Decided[] = [];
    const doubted: number[] = [];
    for (const one of decided) {
      const { row, was, verdict } = one;
      if (was === 'sending' && verdict.state === 'created') created.push(one);
      else {
        if (verdict.state === 'created') doubted.push(...this.#doubtHolder(verdict.id!, row));
        others.push({ row, was, verdict: this.#write(row, was, verdict) });
      }
    }
    if (created.length === 0) return { decided: others, doubted };
    // Nearly all rows end as created, so one statement writes all of them.
    const pairs = created.map(({ row, verdict }) => [row, verdict.id]);
    const { changes } = this.#markCreated.run(JSON.stringify(pairs));
    if (changes === created.length) return { decided: [...others, ...created], doubted };
    // Before any row is doubted: a row may be doubted because of one before it.
    const failed = new Set(created.filter(({ row }) => this.#rows.at(row)!.state !== 'created'));
    const sorted = created.map((one): Decided => {
      if (!failed.has(one)) return one;
      const { verdict, holder } = this.#falselyCreated(one);
      if (holder !== undefined) doubted.push(holder);
      return { ...one, verdict };
    });
    return { decided: [...others, ...sorted], doubted };
  }

  #countAll({ decided, doubted }: Written): void {
    this.#counts.created -= doubted.length;
    this.#counts.unconfirmed += doubted.length;
    for (const { row, was, verdict } of decided) {
      this.#intents.delete(row);
      this.#counts[was]--;
      this.#counts[verdict.state]++;
    }
    if (this.#isLate) Object.assign(this.#counts, this.#rows.counts());
    this.#isLate = false;
  }

  /** @returns the verdict that was written: a look-up may find an id that another row has */
  #write(row: number, was: Decided['was'], verdict: Verdict): Verdict {
    const holder = verdict.state === 'created' ? this.#holderOf(verdict.id) : undefined;
    const written: Verdict =
      holder === undefined
        ? verdict
        : {
            state: 'unconfirmed',
            status: verdict.status,
            reason: { code: 'id_listed_again', args: { id: verdict.id!, row: holder } },
            lookedUp: true,
          };
    if (!this.#writer.apply(row, BY[was], written.state, written)) {
      const { state, id } = this.#rows.at(row)!;
      if (state !== 'created') throw misplaced(row, was);
      this.#isLate = true;
      return { state, id: id ?? undefined };
    }
    if (written.state === 'pending') this.#backTo = Math.min(this.#backTo ?? row, row);
    return written;
  }

  /**
   * A look-up has found the record of a row, but an answer gave its id to another row. The list knows better, so the
   * other row becomes unconfirmed. If this happens again with the same id, the list shows it for several rows.
   *
   * @returns the other row, if there was one
   */
  #doubtHolder(id: string, row: number): number[] {
    const holder = this.#holderOf(id);
    if (holder === undefined) return [];
    if (!this.#takeId(id)) return [];
    const reason = { code: 'id_of_row', args: { id, row } } as const;
    return this.#writer.apply(holder, 'doubt', 'unconfirmed', { status: CREATED, reason })
      ? [holder]
      : [];
  }

  /**
   * The answer to a row has an id that cannot be the row's. If it is the id of another created row, that row may
   * have got it falsely, so both become unconfirmed. From now on, only look-ups can give the id to a row.
   */
  #falselyCreated({ row, verdict: { id, status } }: Decided): {
    readonly verdict: Verdict;
    readonly holder: number | undefined;
  } {
    const holder = this.#holderOf(id);
    const reason: Problem = { code: 'id_taken', args: { id: id!, row: holder } };
    const verdict = { state: 'unconfirmed', status, reason } as const;
    if (!this.#writer.apply(row, 'answer', 'unconfirmed', verdict)) throw misplaced(row, 'sending');
    this.#takeId(id!);
    if (holder !== undefined) {
      const again = { code: 'id_given_again', args: { id: id!, row } } as const;
      this.#writer.apply(holder, 'doubt', 'unconfirmed', { status, reason: again });
    }
    this.#falseId = { ...reason, place: { row } };
    return { verdict, holder };
  }

  /** From now on, no answer can give the id to a row. @returns false if none could before */
  #takeId(id: string): boolean {
    return this.#sql.run('INSERT OR IGNORE INTO taken_ids VALUES (?)', id) > 0;
  }

  /** The created row of this run that has the id. */
  #holderOf(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#rows.reported.creatorOf(id);
  }

  #pending(max: number): SQLOutputValue[][] {
    return this.#select.all(this.#cursor, max) as unknown as SQLOutputValue[][];
  }

  #take(max: number, now: number): { readonly ready: Ready[]; readonly intents: Intent[] } {
    let rows = this.#pending(max);
    if (rows.length === 0 && this.#backTo !== undefined) {
      this.#cursor = this.#backTo - 1;
      this.#backTo = undefined;
      rows = this.#pending(max);
    }
    const intents: Intent[] = [];
    if (rows.length === 0) return { ready: [], intents };
    const ready = rows.map(([row, code, text, tries, name, fingerprint, seen]): Ready => {
      const body = text as string;
      const key = keyOf(code as string | null, name as string | null, fingerprint as string | null);
      intents.push({ row: row as number, key, at: now, body, seen: Number(seen ?? 0) });
      return {
        row: row as number,
        code: code as string | null,
        body,
        tries: tries as number,
        at: now,
        marks: 0,
      };
    });
    // All pending rows up to `last` were selected, so one statement can mark them.
    const last = ready.at(-1)!.row;
    this.#markSending.run(now, this.#cursor, last);
    this.#cursor = last;
    for (const { row } of ready) this.#intents.set(row, now);
    return { ready: withMarks(ready, this.#rowsPerMark), intents };
  }
}

/**
 * One write marks one block of consecutive rows. A row between two blocks must not be marked: its
 * request may be on its way.
 *
 * @param rows in ascending order
 * @param max number of rows in a block
 */
function withMarks(rows: readonly Ready[], max: number): Ready[] {
  const marks = new Array<number>(rows.length).fill(0);
  let first = 0;
  for (let index = 0; index < rows.length; index++) {
    const isNext = rows[index]!.row === rows[first]!.row + index - first;
    if (!isNext || index - first === max) first = index;
    marks[first]!++;
  }
  return rows.map((row, index) => ({ ...row, marks: marks[index]! }));
}

function misplaced(row: number, was: RowState): Error {
  return new Error(`cannot write the outcome of row ${row}: the row is not ${was}`);
}
