import type { DatabaseSync } from 'node:sqlite';
import { type Counts, noCounts, type RowState } from './states.ts';

/** SQL condition for unconfirmed rows: the row is parked. */
const PARKED = `(looked_up = 1 OR fingerprint IS NOT NULL OR (code IS NULL AND name IS NULL))`;

export class RowCounts {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Undefined if a row has a state that this version does not know. */
  byState(): Counts | undefined {
    const counts = noCounts();
    const all = this.#database.prepare('SELECT state, count(*) AS n FROM rows GROUP BY state');
    for (const { state, n } of all.all()) {
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
    return Number(this.#database.prepare(`SELECT count(*) AS n FROM rows WHERE ${which}`).get()!.n);
  }
}
