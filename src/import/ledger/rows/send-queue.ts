import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { UNPROVED_TAIL } from '../../reconcile/looked-up.ts';
import type { Verdict } from '../../send/verdict.ts';
import type { Journal } from '../journal.ts';
import type { RowState } from './states.ts';

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

/** A row with what became of it, to be written. */
export interface Settled {
  readonly row: number;
  /** The state it is in so far. */
  readonly was: RowState;
  readonly verdict: Verdict;
}

/** A transaction that is written, and on its way to the disk. */
export interface Written {
  readonly next: Ready[];
  readonly onDisk: Promise<void>;
}

/** The journal as the run writes it: intents and verdicts in one transaction, rows by a cursor. */
export class Ledger {
  readonly #journal: Journal;
  readonly #counts: Record<RowState, number>;
  readonly #select: StatementSync;
  readonly #intend: StatementSync;
  readonly #settle: StatementSync;
  readonly #create: StatementSync;
  #byCode: StatementSync | undefined;
  #cursor = 0;
  /** From here on rows were put back behind the cursor. */
  #backTo: number | undefined = undefined;

  constructor(journal: Journal) {
    const { database } = journal;
    this.#journal = journal;
    this.#counts = { ...journal.counts() };
    this.#select = database.prepare(
      "SELECT r.row, r.code, b.body, r.tries FROM rows r JOIN records b ON b.row = r.row WHERE r.row > ? AND r.state = 'pending' ORDER BY r.row LIMIT ?",
    );
    // An object per row is a dictionary, and takes twice as long.
    this.#select.setReturnArrays(true);
    this.#intend = database.prepare(
      "UPDATE rows SET state = 'sent', sent_at = ? WHERE row > ? AND row <= ? AND state = 'pending'",
    );
    // Nearly all rows end this way: one statement for all of them at once.
    this.#create = database.prepare(
      "UPDATE rows SET state = 'created', id = made.value ->> 1, status = NULL, reason = NULL FROM json_each(?) AS made WHERE rows.row = made.value ->> 0",
    );
    this.#settle = database.prepare(
      "UPDATE rows SET state = ?1, id = ?2, status = ?3, reason = ?4, looked_up = ?5, tries = tries + (?1 = 'unknown' AND ?5 = 0) WHERE row = ?6",
    );
  }

  /** Whether any row has this code, whatever became of it. */
  hasRow(code: string): boolean {
    this.#byCode ??= this.#journal.database.prepare('SELECT 1 FROM rows WHERE code = ? LIMIT 1');
    return this.#byCode.get(code) !== undefined;
  }

  /** Rows by state, as far as written. */
  get counts(): Readonly<Record<RowState, number>> {
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
        const created: [row: number, id: string | undefined][] = [];
        for (const { row, verdict } of settled) {
          if (verdict.state === 'created') created.push([row, verdict.id]);
          else this.#write(row, verdict);
        }
        if (created.length > 0) this.#create.run(JSON.stringify(created));
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
    this.#counts.sent += written.next.length;
    this.#counts.pending -= written.next.length;
    return written;
  }

  /** The service swaps answers: whoever was refused so far is looked up and sent once more, alone. */
  doubtRefusals(): void {
    const count = this.#journal.commit(() => {
      this.#journal.set('answersSwapped', true);
      const { changes } = this.#journal.database
        .prepare(
          `UPDATE rows SET state = 'unknown', tries = tries + 1, looked_up = 0, reason = reason || ?
           WHERE state = 'rejected' AND status IS NOT NULL AND sent_at IS NOT NULL`,
        )
        .run(UNPROVED_TAIL);
      return Number(changes);
    });
    this.#counts.rejected -= count;
    this.#counts.unknown += count;
  }

  #write(row: number, verdict: Verdict): void {
    const { state, id = null, status = null, reason = null, lookedUp = false } = verdict;
    this.#settle.run(state, id, status, reason, lookedUp ? 1 : 0, row);
    if (state === 'pending' && row <= this.#cursor) {
      this.#backTo = Math.min(this.#backTo ?? row, row);
    }
  }

  #pending(most: number): SQLOutputValue[][] {
    return this.#select.all(this.#cursor, most) as unknown as SQLOutputValue[][];
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
    this.#intend.run(now, this.#cursor, last);
    this.#cursor = last;
    return ready;
  }
}
