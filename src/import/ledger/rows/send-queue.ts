import type { SQLOutputValue, StatementSync } from 'node:sqlite';
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
  readonly reason?: string | undefined;
  readonly lookedUp?: boolean;
}

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

interface QueueCommits {
  counts(): Counts;
  commitSoon<T>(work: () => T): { readonly result: T; readonly onDisk: Promise<void> };
  commitLater<T>(work: () => T): T;
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
  #byCode: StatementSync | undefined;
  #cursor = 0;
  /** The lowest number of a row that became pending again after `#cursor` had passed it. */
  #backTo: number | undefined = undefined;

  /** @param rowsPerMark at most this many rows are marked as handed over at once */
  constructor(journal: QueueCommits, rows: RunRows, writer: RowWriter, rowsPerMark: number) {
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
   */
  commit(decided: readonly Decided[], max: number, now: number): OngoingCommit {
    const before = { cursor: this.#cursor, backTo: this.#backTo };
    let written: OngoingCommit;
    try {
      const { result: next, onDisk } = this.#journal.commitSoon(() => {
        this.#writeAll(decided);
        return max > 0 ? this.#take(max, now) : [];
      });
      written = { next, onDisk };
    } catch (thrown) {
      this.#cursor = before.cursor;
      this.#backTo = before.backTo;
      throw thrown;
    }
    this.#countAll(decided);
    this.#counts.sending += written.next.length;
    this.#counts.pending -= written.next.length;
    return written;
  }

  /** A kill cannot lose these verdicts, but a power failure can. */
  record(decided: readonly Decided[]): void {
    const backTo = this.#backTo;
    try {
      this.#journal.commitLater(() => this.#writeAll(decided));
    } catch (thrown) {
      this.#backTo = backTo;
      throw thrown;
    }
    this.#countAll(decided);
  }

  /** Must be called before the request of the row leaves. */
  handOver({ row, at, marks }: Ready): void {
    if (marks > 0) this.#journal.handOver(row, at, marks);
  }

  #writeAll(decided: readonly Decided[]): void {
    const { base } = this.#rows;
    const created: [key: number, id: string | undefined][] = [];
    for (const { row, was, verdict } of decided) {
      if (was === 'sending' && verdict.state === 'created') created.push([base + row, verdict.id]);
      else this.#write(row, was, verdict);
    }
    if (created.length > 0) this.#writeCreated(created);
  }

  #countAll(decided: readonly Decided[]): void {
    for (const { was, verdict } of decided) {
      this.#counts[was]--;
      this.#counts[verdict.state]++;
    }
  }

  #write(row: number, was: Decided['was'], verdict: Verdict): void {
    const transition = BY[was];
    if (!this.#writer.apply(row, transition, verdict.state, verdict)) throw misplaced(row, was);
    if (verdict.state === 'pending' && row <= this.#cursor) {
      this.#backTo = Math.min(this.#backTo ?? row, row);
    }
  }

  /** Nearly all rows end as created, so one statement writes all of them. */
  #writeCreated(created: readonly [key: number, id: string | undefined][]): void {
    const { changes } = this.#markCreated.run(JSON.stringify(created));
    if (changes !== created.length) throw misplaced(created[0]![0] - this.#rows.base, 'sending');
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
        ({ row, code, body, tries, at: now, marks: marks[index] }) as Ready,
    );
    // All pending rows up to `last` were selected, so one statement can mark them.
    const last = ready.at(-1)!.row;
    const { base } = this.#rows;
    this.#markSending.run(now, base + this.#cursor, base + last);
    this.#cursor = last;
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
