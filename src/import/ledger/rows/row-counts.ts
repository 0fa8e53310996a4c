import type { RunRows } from './run-rows.ts';
import { type Counts, noCounts, type RowState } from './states.ts';

/** Rows of which no look-up can tell more: only a person can, by `imports resolve`. */
const PARKED = `state IN ('unconfirmed', 'sending')
  AND (looked_up = 1 OR fingerprint IS NOT NULL OR (code IS NULL AND name IS NULL))`;

/** How many rows of a run there are. Of one whose rows are in the ledger, the ledger alone tells. */
export class RowCounts {
  readonly #rows: RunRows;

  constructor(rows: RunRows) {
    this.#rows = rows;
  }

  /** Undefined if a state is none of ours. */
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

  parked(): number {
    return this.#count(PARKED);
  }

  /** Rejected rows that a later run brought in. */
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
