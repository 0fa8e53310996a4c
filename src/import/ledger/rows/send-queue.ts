import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { RowWriter } from './row-writer.ts';
import type { RunRows } from './run-rows.ts';
import type { Counts, RowState } from './states.ts';
import type { Target } from './transitions.ts';

/** A row whose request may leave: its intent is on the disk. */
export interface Ready {
  readonly row: number;
  readonly code: string | null;
  /** JSON text, sent as it is. */
  readonly body: string;
  /** How often its outcome was unknown so far. */
  readonly tries: number;
  /** When the intent was written, ms. */
  readonly at: number;
}

/** What becomes of a row that was sent, or looked up. */
export interface Verdict {
  readonly state: Target<'answer' | 'reconcile' | 'compare'>;
  readonly id?: string | undefined;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  /** Nothing more can be found out by a look-up. */
  readonly lookedUp?: boolean;
}

/** What tells the verdict of a row, by the state that it is in. */
const BY = { sending: 'answer', unconfirmed: 'reconcile', rejected: 'compare' } as const;

/** A row with its verdict, to be written. */
export interface Settled {
  readonly row: number;
  /** The state it is in so far. */
  readonly was: keyof typeof BY;
  readonly verdict: Verdict;
}

/** A transaction that is written, and on its way to the disk. */
export interface Written {
  readonly next: Ready[];
  readonly onDisk: Promise<void>;
}

/** What the queue needs of its journal. */
interface QueueCommits {
  counts(): Counts;
  commit<T>(work: () => T): T;
  commitSoon<T>(work: () => T): { readonly result: T; readonly onDisk: Promise<void> };
  set(fact: 'answersSwapped', value: true): void;
}

/** The journal as a run sends it: intents and verdicts in one transaction, rows by a cursor. */
export class SendQueue {
  readonly #journal: QueueCommits;
  readonly #rows: RunRows;
  readonly #writer: RowWriter;
  readonly #counts: Record<RowState, number>;
  readonly #select: StatementSync;
  readonly #intend: StatementSync;
  readonly #create: StatementSync;
  #byCode: StatementSync | undefined;
  #cursor = 0;
  /** From here on rows were put back behind the cursor. */
  #backTo: number | undefined = undefined;

  constructor(journal: QueueCommits, rows: RunRows, writer: RowWriter) {
    this.#journal = journal;
    this.#rows = rows;
    const { database, base, end } = rows;
    this.#writer = writer;
    this.#counts = { ...journal.counts() };
    this.#select = database.prepare(
      `SELECT b.row, r.code, b.body, r.tries FROM main.rows r JOIN records b ON b.row = r.rowid - ${base}
        WHERE r.rowid > ? AND r.rowid < ${end} AND r.state = 'pending' ORDER BY r.rowid LIMIT ?`,
    );
    // An object per row is a dictionary, and takes twice as long.
    this.#select.setReturnArrays(true);
    this.#intend = writer.intend();
    this.#create = writer.create();
  }

  /** Whether any row has this code, whatever became of it. */
  hasRow(code: string): boolean {
    this.#byCode ??= this.#rows.database.prepare('SELECT 1 FROM keys WHERE code = ? LIMIT 1');
    return this.#byCode.get(code) !== undefined;
  }

  /** Rows by state, as far as written. */
  get counts(): Counts {
    return this.#counts;
  }

  /**
   * Writes what became of rows, and the intents of up to `most` further ones: those may leave once all
   * of it is on the disk.
   */
  commit(settled: readonly Settled[], most: number, now: number): Written {
    const before = { cursor: this.#cursor, backTo: this.#backTo };
    let written: Written;
    try {
      const { result: next, onDisk } = this.#journal.commitSoon(() => {
        const { base } = this.#rows;
        const created: [key: number, id: string | undefined][] = [];
        for (const { row, was, verdict } of settled) {
          if (was === 'sending' && verdict.state === 'created')
            created.push([base + row, verdict.id]);
          else this.#write(row, was, verdict);
        }
        if (created.length > 0) this.#writeCreated(created);
        return most > 0 ? this.#take(most, now) : [];
      });
      written = { next, onDisk };
    } catch (thrown) {
      this.#cursor = before.cursor;
      this.#backTo = before.backTo;
      throw thrown;
    }
    for (const { was, verdict } of settled) {
      this.#counts[was]--;
      this.#counts[verdict.state]++;
    }
    this.#counts.sending += written.next.length;
    this.#counts.pending -= written.next.length;
    return written;
  }

  /**
   * The service swaps answers: whoever was refused so far is looked up and sent once more, alone.
   *
   * @param addedReason what is added to the reason of each
   */
  doubtRefusals(addedReason: string): void {
    const count = this.#journal.commit(() => {
      this.#journal.set('answersSwapped', true);
      return this.#writer.doubt(addedReason);
    });
    this.#counts.rejected -= count;
    this.#counts.unconfirmed += count;
  }

  #write(row: number, was: Settled['was'], verdict: Verdict): void {
    const transition = BY[was];
    if (!this.#writer.apply(row, transition, verdict.state, verdict)) throw misplaced(row, was);
    if (verdict.state === 'pending' && row <= this.#cursor) {
      this.#backTo = Math.min(this.#backTo ?? row, row);
    }
  }

  /** Nearly all rows end this way: one statement for all of them at once. */
  #writeCreated(created: readonly [key: number, id: string | undefined][]): void {
    const { changes } = this.#create.run(JSON.stringify(created));
    if (changes !== created.length) throw misplaced(created[0]![0] - this.#rows.base, 'sending');
  }

  #pending(most: number): SQLOutputValue[][] {
    return this.#select.all(this.#rows.base + this.#cursor, most) as unknown as SQLOutputValue[][];
  }

  /** Marks the next pending rows as sent, and gives them. */
  #take(most: number, now: number): Ready[] {
    let rows = this.#pending(most);
    if (rows.length === 0 && this.#backTo !== undefined) {
      this.#cursor = this.#backTo - 1;
      this.#backTo = undefined;
      rows = this.#pending(most);
    }
    if (rows.length === 0) return [];
    const ready = rows.map(
      ([row, code, body, tries]) => ({ row, code, body, tries, at: now }) as Ready,
    );
    // All pending rows up to the last one were selected: one statement marks them.
    const last = ready.at(-1)!.row;
    const { base } = this.#rows;
    this.#intend.run(now, base + this.#cursor, base + last);
    this.#cursor = last;
    return ready;
  }
}

function misplaced(row: number, was: RowState): Error {
  return new Error(`row ${row}: an outcome was to be written, but the row is not ${was}`);
}
