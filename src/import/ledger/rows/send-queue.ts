import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { RUN_SPAN } from '../../../ledger/ledger-schema.ts';
import { isPhaseChanged } from '../../phases.ts';
import type { Choices } from '../header.ts';
import type { PlannedRows } from './planned-rows.ts';
import type { RowWriter } from './row-writer.ts';
import type { RunRows } from './run-rows.ts';
import type { Counts, RowState } from './states.ts';
import type { Target } from './transitions.ts';

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
  readonly next: Ready[];
  readonly onDisk: Promise<void>;
}

/** What a transaction has written, to count it once it is committed. */
interface Written {
  readonly decided: readonly Decided[];
  /** Number of created rows that are unconfirmed now. */
  readonly doubted: number;
}

/** Bodies to send instead of those in the file of the run. */
export interface Bodies {
  /** JSON text. @throws ProcError if the row may not be sent */
  of(row: number): string;
}

interface QueueCommits {
  counts(): Counts;
  commit<T>(work: () => T): T;
  commitSoon<T>(work: () => T): { readonly result: T; readonly onDisk: Promise<void> };
  commitLater<T>(work: () => T): T;
  confirmLate(work: () => void): void;
  handOver(row: number, at: number, count: number): void;
}

/** One transaction writes verdicts and marks the next rows as sent. */
export class SendQueue {
  readonly #journal: QueueCommits;
  readonly #rows: RunRows;
  readonly #writer: RowWriter;
  readonly #counts: Record<RowState, number>;
  readonly #select: StatementSync;
  readonly #markSending: StatementSync;
  readonly #markCreated: StatementSync;
  readonly #rowsPerMark: number;
  readonly #bodies: Bodies | undefined;
  /** When the intents of the rows that are being sent were written, ms. */
  readonly #intents = new Map<number, number>();
  #byCode: StatementSync | undefined;
  #byId: StatementSync | undefined;
  #stateAt: StatementSync | undefined;
  #falseId: Problem | undefined;
  /** Another process has confirmed a row late, so the counts must be read again. */
  #isLate = false;
  #cursor = 0;
  /** The lowest number of a row that became pending again after `#cursor` had passed it. */
  #backTo: number | undefined = undefined;

  /**
   * @param rowsPerMark at most this many rows are marked as handed over at once
   * @param bodies undefined for those in the file of the run
   */
  constructor(
    journal: QueueCommits,
    rows: RunRows,
    writer: RowWriter,
    rowsPerMark: number,
    bodies?: Bodies,
  ) {
    this.#bodies = bodies;
    this.#journal = journal;
    this.#rows = rows;
    this.#rowsPerMark = rowsPerMark;
    const { database, base, end } = rows;
    this.#writer = writer;
    this.#counts = { ...journal.counts() };
    this.#select = database.prepare(
      `SELECT b.row, r.code, b.body, r.tries FROM main.rows r JOIN records b ON b.row = r.rowid - ${base}
        WHERE r.rowid > ? AND r.rowid < ${end} AND r.state = 'pending' ORDER BY r.rowid LIMIT ?`,
    );
    // SQLite needs twice as long to return rows as objects.
    this.#select.setReturnArrays(true);
    this.#markSending = writer.markSending();
    this.#markCreated = writer.markCreated();
  }

  hasRow(code: string): boolean {
    this.#byCode ??= this.#rows.database.prepare('SELECT 1 FROM keys WHERE code = ? LIMIT 1');
    return this.#byCode.get(code) !== undefined;
  }

  get counts(): Counts {
    return this.#counts;
  }

  /**
   * Writes verdicts, and marks up to `max` further rows as sent. Their requests may leave once the
   * transaction is on the disk.
   *
   * @throws ProcError `phase_changed` if another process has opened the run for writing since. Then
   *   only created rows are written.
   */
  commit(decided: readonly Decided[], max: number, now: number): OngoingCommit {
    const before = { cursor: this.#cursor, backTo: this.#backTo };
    let written: OngoingCommit;
    try {
      const { result, onDisk } = this.#journal.commitSoon(() => {
        const all = this.#writeAll(decided);
        return { all, next: max > 0 ? this.#take(max, now) : [] };
      });
      this.#countAll(result.all);
      written = { next: result.next, onDisk };
    } catch (thrown) {
      this.#cursor = before.cursor;
      this.#backTo = before.backTo;
      if (isPhaseChanged(thrown)) this.#confirm(decided);
      throw thrown;
    }
    this.#counts.sending += written.next.length;
    this.#counts.pending -= written.next.length;
    return written;
  }

  /** A kill cannot lose these verdicts, but a power failure can. */
  record(decided: readonly Decided[]): void {
    const backTo = this.#backTo;
    try {
      this.#countAll(this.#journal.commitLater(() => this.#writeAll(decided)));
    } catch (thrown) {
      this.#backTo = backTo;
      if (isPhaseChanged(thrown)) this.#confirm(decided);
      throw thrown;
    }
  }

  /** The last answer with an id that cannot belong to its row; undefined if there was none. */
  get falseId(): Problem | undefined {
    return this.#falseId;
  }

  /** Confirms rows whose intents this process wrote, also if another process works on the run now. */
  #confirm(decided: readonly Decided[]): void {
    this.#journal.confirmLate(() => {
      for (const { row, was, verdict } of decided) {
        const at = this.#intents.get(row);
        if (was !== 'sending' || verdict.state !== 'created' || at === undefined) continue;
        this.#writer.confirm(row, at, verdict.id);
      }
    });
  }

  /** Must be called before the request of the row leaves. */
  handOver({ row, at, marks }: Ready): void {
    if (marks > 0) this.#journal.handOver(row, at, marks);
  }

  /**
   * Pending rows whose codes exist as the service stores them become `existing`. Rows with the stored
   * code of another row of the run become duplicates. Call it while no row is ready to leave.
   */
  markChanged(planned: PlannedRows, { onExisting, onDuplicate }: Choices): void {
    const { existing, duplicates } = this.#journal.commit(() => ({
      existing: onExisting === 'skip' ? planned.markInCatalogue() : 0,
      duplicates: onDuplicate === 'all' ? 0 : this.#writer.collapseStored(),
    }));
    this.#counts.existing += existing;
    this.#counts.duplicate += duplicates;
    this.#counts.pending -= existing + duplicates;
  }

  #writeAll(decided: readonly Decided[]): Written {
    const { base } = this.#rows;
    const created: Decided[] = [];
    const others: Decided[] = [];
    let doubted = 0;
    for (const one of decided) {
      const { row, was, verdict } = one;
      if (was === 'sending' && verdict.state === 'created') created.push(one);
      else {
        if (verdict.state === 'created' && this.#doubtHolder(verdict.id!, row)) doubted++;
        others.push({ row, was, verdict: this.#write(row, was, verdict) });
      }
    }
    if (created.length === 0) return { decided: others, doubted };
    // Nearly all rows end as created, so one statement writes all of them.
    const pairs = created.map(({ row, verdict }) => [base + row, verdict.id]);
    const { changes } = this.#markCreated.run(JSON.stringify(pairs));
    if (changes === created.length) return { decided: [...others, ...created], doubted };
    // Before any row is doubted: a row may be doubted because of one before it.
    const failed = new Set(created.filter(({ row }) => this.#stateOf(row) !== 'created'));
    const sorted = created.map((one): Decided => {
      if (!failed.has(one)) return one;
      const { verdict, holder } = this.#falselyCreated(one);
      if (holder !== undefined) doubted++;
      return { ...one, verdict };
    });
    return { decided: [...others, ...sorted], doubted };
  }

  #countAll({ decided, doubted }: Written): void {
    this.#counts.created -= doubted;
    this.#counts.unconfirmed += doubted;
    for (const { row, was, verdict } of decided) {
      this.#intents.delete(row);
      this.#counts[was]--;
      this.#counts[verdict.state]++;
    }
    if (this.#isLate) Object.assign(this.#counts, this.#journal.counts());
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
      if (!this.#writer.isCreated(row)) throw misplaced(row, was);
      this.#isLate = true;
      return { state: 'created' };
    }
    if (written.state === 'pending' && row <= this.#cursor) {
      this.#backTo = Math.min(this.#backTo ?? row, row);
    }
    return written;
  }

  /**
   * A look-up has found the record of a row, but an answer gave its id to another row. The list knows better, so the
   * other row becomes unconfirmed. If this happens again with the same id, the list shows it for several rows.
   *
   * @returns whether there was such a row
   */
  #doubtHolder(id: string, row: number): boolean {
    const holder = this.#holderOf(id);
    if (holder === undefined) return false;
    const { database } = this.#rows;
    if (database.prepare('INSERT OR IGNORE INTO taken_ids VALUES (?)').run(id).changes === 0) {
      return false;
    }
    const reason = { code: 'id_of_row', args: { id, row } } as const;
    return this.#writer.apply(holder, 'doubt', 'unconfirmed', { status: CREATED, reason });
  }

  /**
   * The answer to a row has an id that cannot be the row's. If it is the id of another created row, that row may
   * have got it falsely, so both become unconfirmed. From now on, only look-ups can give the id to a row.
   */
  #falselyCreated({ row, verdict: { id, status } }: Decided): {
    readonly verdict: Verdict;
    readonly holder: number | undefined;
  } {
    const { database } = this.#rows;
    const holder = this.#holderOf(id);
    const reason: Problem = { code: 'id_taken', args: { id: id!, row: holder } };
    const verdict = { state: 'unconfirmed', status, reason } as const;
    if (!this.#writer.apply(row, 'answer', 'unconfirmed', verdict)) throw misplaced(row, 'sending');
    database.prepare('INSERT OR IGNORE INTO taken_ids VALUES (?)').run(id!);
    if (holder !== undefined) {
      const again = { code: 'id_given_again', args: { id: id!, row } } as const;
      this.#writer.apply(holder, 'doubt', 'unconfirmed', { status, reason: again });
    }
    this.#falseId = { ...reason, place: { row } };
    return { verdict, holder };
  }

  /** The created row of this run that has the id. */
  #holderOf(id: string | undefined): number | undefined {
    if (id === undefined) return undefined;
    this.#byId ??= this.#rows.database.prepare(
      `SELECT key FROM main.rows WHERE key >> 32 = ${this.#rows.base / RUN_SPAN} AND id = ? AND state = 'created' AND id IS NOT NULL`,
    );
    const found = this.#byId.get(id);
    return found === undefined ? undefined : Number(found.key) - this.#rows.base;
  }

  #stateOf(row: number): RowState {
    this.#stateAt ??= this.#rows.database.prepare('SELECT state FROM main.rows WHERE rowid = ?');
    return this.#stateAt.get(this.#rows.base + row)!.state as RowState;
  }

  #pending(max: number): SQLOutputValue[][] {
    return this.#select.all(this.#rows.base + this.#cursor, max) as unknown as SQLOutputValue[][];
  }

  #take(max: number, now: number): Ready[] {
    let rows = this.#pending(max);
    if (rows.length === 0 && this.#backTo !== undefined) {
      this.#cursor = this.#backTo - 1;
      this.#backTo = undefined;
      rows = this.#pending(max);
    }
    if (rows.length === 0) return [];
    const marks = marksOf(rows as [number][], this.#rowsPerMark);
    const ready = rows.map(
      ([row, code, body, tries], index) =>
        ({
          row,
          code,
          body: this.#bodies?.of(row as number) ?? body,
          tries,
          at: now,
          marks: marks[index],
        }) as Ready,
    );
    // All pending rows up to `last` were selected, so one statement can mark them.
    const last = ready.at(-1)!.row;
    const { base } = this.#rows;
    this.#markSending.run(now, base + this.#cursor, base + last);
    this.#cursor = last;
    for (const { row } of ready) this.#intents.set(row, now);
    return ready;
  }
}

/**
 * One write marks one block of consecutive rows. A row between two blocks must not be marked: its
 * request may be on its way.
 *
 * @param rows in ascending order
 * @param max number of rows in a block
 * @returns for the first row of a block its size; for every other row 0
 */
function marksOf(rows: readonly [row: number, ...unknown[]][], max: number): number[] {
  const marks = new Array<number>(rows.length).fill(0);
  let first = 0;
  for (let index = 0; index < rows.length; index++) {
    const isNext = rows[index]![0] === rows[first]![0] + index - first;
    if (!isNext || index - first === max) first = index;
    marks[first]!++;
  }
  return marks;
}

function misplaced(row: number, was: RowState): Error {
  return new Error(`cannot write the outcome of row ${row}: the row is not ${was}`);
}
