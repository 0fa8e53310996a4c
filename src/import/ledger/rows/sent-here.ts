import type { DatabaseSync } from 'node:sqlite';
import type { Outcome } from '../../../ledger/port.ts';
import { keyOf } from './send-queue.ts';
import type { RowState } from './states.ts';

const PER_BATCH = 5_000;

/** A created row of this run. The outcome of a repaired row belongs to the run that repaired it. */
const CREATED = "state = 'created' AND repaired_by IS NULL";

/** May have been sent by this run, and not only by another one. */
const OPEN = "state IN ('sending', 'unconfirmed') AND sent_at IS NOT NULL AND seen IS NULL";

interface Stored {
  readonly row: number;
  readonly state: RowState | null;
  readonly id: string | null;
  readonly code: string | null;
  readonly name: string | null;
  readonly fingerprint: string | null;
  readonly sent_at: number | null;
  readonly repaired_by: string | null;
}

/** What the ledger is to say about the rows of a run. */
export class SentHere {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Outcomes of the given rows. Leaves out rows whose outcome is not known. */
  outcomesOf(rows: readonly number[]): Outcome[] {
    const found = this.#database
      .prepare(
        `SELECT r.row, r.state, r.id, r.repaired_by FROM json_each(?) w CROSS JOIN rows r ON r.row = w.value`,
      )
      .all(JSON.stringify(rows)) as unknown as Stored[];
    return found.flatMap(({ row, state, id, repaired_by: by }): Outcome[] => {
      if (state === 'sending' || state === 'unconfirmed') return [];
      if (state === 'created' && by === null) return [{ row, state, id }];
      return [{ row, state: state === 'dropped' ? state : 'none' }];
    });
  }

  countCreated(): number {
    const { n } = this.#database.prepare(`SELECT count(*) AS n FROM rows WHERE ${CREATED}`).get()!;
    return Number(n);
  }

  /**
   * Rows that may lack an entry: a person decided about rows that this run had not sent, or the ledger
   * lost commits.
   *
   * @param withCreated whether entries of created rows are missing
   */
  *entries(withCreated: boolean): Generator<Outcome[]> {
    const which = `${OPEN} OR state = 'dropped'${withCreated ? ` OR ${CREATED}` : ''}`;
    const some = this.#database.prepare(
      `SELECT row, state, id, code, name, fingerprint, sent_at FROM rows
        WHERE row > ? AND (${which}) ORDER BY row LIMIT ${PER_BATCH}`,
    );
    for (let last = 0; ; ) {
      const rows = some.all(last) as unknown as Stored[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.row;
      yield rows.map(({ row, state, id, code, name, fingerprint, sent_at: at }) => ({
        row,
        state: state === 'created' || state === 'dropped' ? state : 'maybe',
        id,
        entry: { key: keyOf(code, name, fingerprint), at },
      }));
    }
  }
}
