import type { RunRows } from './run-rows.ts';
import { type Counts, noCounts, type RowState } from './states.ts';

/** SQL condition for unconfirmed rows: the row is parked. */
const PARKED = `(looked_up = 1 OR fingerprint IS NOT NULL OR (code IS NULL AND name IS NULL))`;

/** Once the rows are in the ledger, counting does not need the file of the run. */
export class RowCounts {
  readonly #rows: RunRows;

  constructor(rows: RunRows) {
    this.#rows = rows;
  }

  /** Undefined if a row has a state that this version does not know. */
  byState(): Counts | undefined {
    const counts = noCounts();
    const { database, base, end } = this.#rows;
    const all = database.prepare(
      'SELECT state, count(*) AS n FROM main.rows WHERE rowid > ? AND rowid < ? GROUP BY state',
    );
    for (const { state, n } of all.all(base, end)) {
      if (!Object.hasOwn(counts, state as string)) return undefined;
      counts[state as RowState] = Number(n);
    }
    return counts;
  }

  parked(isRunning = false): number {
    const states = isRunning ? "state = 'unconfirmed'" : "state IN ('unconfirmed', 'sending')";
    return this.#count(`${states} AND ${PARKED}`);
  }

  repaired(): number {
    return this.#count('repaired_by IS NOT NULL');
  }

  #count(which: string): number {
    const { database, base, end } = this.#rows;
    const { n } = database
      .prepare(`SELECT count(*) AS n FROM main.rows WHERE rowid > ? AND rowid < ? AND ${which}`)
      .get(base, end)!;
    return Number(n);
  }
}
