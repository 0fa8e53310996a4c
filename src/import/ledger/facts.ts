import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Baseline, Learned, Phase, Verified } from './header.ts';

/** A wall time, and the reading of the machine's monotonic clock at that moment. */
export interface ClockBase {
  /** The boot that the monotonic clock counts from; null if that cannot be told. */
  readonly boot: string | null;
  readonly wall: number;
  readonly monotonic: number;
}

/** Facts about a run that change while it lasts, by key; all are optional but the phase. */
export interface Facts {
  readonly phase: Phase;
  readonly baseline: Baseline;
  /** How the list is read, if that was found out by this run. */
  readonly learned: Learned;
  /** What the list showed after the run. */
  readonly verified: Verified;
  /** Wall time, ms. */
  readonly firstSentAt: number;
  readonly finishedAt: number;
  /** Its rows order lines of items, which are counted. */
  readonly ordersLines: boolean;
  /** The service answered a create with another code than the one sent: no look-up can be trusted. */
  readonly codesAltered: boolean;
  /** The service gave answers to the wrong connections: refusals are believed of rows sent alone. */
  readonly answersSwapped: boolean;
  /** Marks the key that was used, without telling it. */
  readonly keyMark: string;
  /** The run's entry of history. */
  readonly historyId: string;
  /** Time of sending and settling, over all parts of the run. */
  readonly workedMs: number;
  /** Where the result goes, if another place was named since the run began. */
  readonly rejectedFile: string;
  readonly resultsFile: string;
  /** When the file of rejected rows was last written by a run, as its own time says. */
  readonly rejectedWritten: number;
  /** The file that this is about. */
  readonly rejectedWrittenTo: string;
  /** Cells whose guarding apostrophe was taken off. */
  readonly unguarded: number;
  /** The last of its rows, when they entered the ledger. */
  readonly staged: number;
  /** What its times are counted by. */
  readonly clock: ClockBase;
  /** The file ends in the middle, or continues after its end: its other rows were taken. */
  readonly fileProblem: string;
}

/** Where the facts of a run are: in its file, or in the ledger under its number. */
export class FactTable {
  readonly #get: StatementSync;
  readonly #put: StatementSync;

  constructor(database: DatabaseSync, run: number | undefined) {
    const [table, columns, values, where] =
      run === undefined
        ? ['run', 'key, value', '?, ?', '']
        : ['facts', 'run, key, value', `${run}, ?, ?`, `run = ${run} AND`];
    this.#get = database.prepare(`SELECT value FROM main.${table} WHERE ${where} key = ?`);
    this.#put = database.prepare(
      `INSERT INTO main.${table} (${columns}) VALUES (${values}) ON CONFLICT DO UPDATE SET value = excluded.value`,
    );
  }

  /** Undefined if it was never written. */
  get(key: string): unknown {
    const row = this.#get.get(key);
    return row === undefined ? undefined : JSON.parse(row.value as string);
  }

  /** Inside or outside of a transaction. */
  set(key: string, value: unknown): void {
    this.#put.run(key, JSON.stringify(value));
  }
}
