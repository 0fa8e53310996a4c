import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Problem } from '../../core/problem/row-problem.ts';
import type { SeenChange } from '../../core/service/code-change.ts';
import type { Dialect } from '../../core/service-target.ts';
import type { Writer } from '../../history/written-by.ts';
import type { Finding } from '../../messages/findings.ts';
import type { Expected } from '../../rehearsal/expected.ts';
import type { Baseline, Learned, Verified } from './header.ts';
import type { OtherNames } from './rows/catalogue-before.ts';

/** The wall clock and the monotonic clock at the same moment, in ms. */
export interface ClockBase {
  /** Identifies the boot from which the monotonic clock counts. Null if unknown. */
  readonly boot: string | null;
  readonly wall: number;
  readonly monotonic: number;
}

/** What `--stage` saves besides the rows. A *sealed* plan has a digest and never changes again. */
export interface SealedPlan {
  /** Of the statement: `sha256:…` */
  readonly digest: string;
  /** ISO time. */
  readonly at: string;
  readonly version: string;
  /** Who staged the run. */
  readonly importer: Importer;
  readonly dialect: Dialect;
  readonly findings: readonly Finding[];
  readonly fileProblem?: Problem | undefined;
  readonly baseline?: Baseline | undefined;
  readonly otherNames?: Facts['otherNames'] | undefined;
}

/** As the history entry of the run will have them. */
type Importer = Pick<Writer, 'actor' | 'user' | 'host' | 'job'>;

/** An object that rows refer to, e.g. an order. */
export interface ReferredAmount {
  readonly id: string;
  /** Its code; its id if it has no code. */
  readonly name: string;
  /** Decimal number as text. */
  readonly amount: string;
  readonly currency: string | undefined;
}

/** Facts that change during the run. None of them must exist. */
export interface Facts {
  readonly baseline: Baseline;
  readonly learned: Learned;
  readonly verified: Verified;
  /** Wall time, ms. */
  readonly firstSentAt: number;
  readonly finishedAt: number;
  /** The rows contain order lines. The summary counts these lines. */
  readonly ordersLines: boolean;
  /** The service changes codes in a way that proc cannot tell, so a missing code proves nothing. */
  readonly codesAltered: boolean;
  /** The code that was sent first came back as another one, and proc cannot explain it. Says how. */
  readonly codesUnlike: Problem;
  /** The service stores codes in this way. */
  readonly codesChanged: SeenChange;
  /** What a rehearsal lets the run expect of the service. */
  readonly rehearsed: Expected;
  /** An answer has contradicted the rehearsal, so the run no longer relies on it. Says how. */
  readonly rehearsalRefuted: string;
  /** Identifies the API key without revealing it. */
  readonly keyMark: string;
  readonly historyId: string;
  /** How long the run has worked, ms. The time between a stop and a resume does not count. */
  readonly workedMs: number;
  /** Replaces the path in the header. */
  readonly rejectedFile: string;
  /** Replaces the path in the header. */
  readonly resultsFile: string;
  /** Only if the plan file was written. */
  readonly planFile: string;
  /** Modification time of the rejected file after this run wrote it, ms. */
  readonly rejectedWritten: number;
  readonly rejectedWrittenTo: string;
  /** Number of cells from which proc removed the apostrophe before a formula. */
  readonly unguarded: number;
  /** What looks wrong in the source. */
  readonly findings: readonly Finding[];
  /** Objects, e.g. orders, whose amount the rows of the source may exceed together. */
  readonly mayExceed: readonly ReferredAmount[];
  /** The highest row number when the run began to send. */
  readonly staged: number;
  /** The number of the last intent of all runs when the plan was made. */
  readonly seen: number;
  /** When the clock of the run began. */
  readonly clock: ClockBase;
  /** Hashes of the files of `imports resolve --from` whose decisions were recorded. */
  readonly resolvedFrom: readonly string[];
  /** Rows whose codes the catalogue has with another name. `diff`: the command that lists them. */
  readonly otherNames: OtherNames & { readonly diff: string };
  /**
   * The source ends too early or has data after its end. The rows that proc could read are
   * imported.
   */
  readonly fileProblem: Problem;
  readonly sealed: SealedPlan;
}

/** In the file of the run. */
export class FactTable {
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT value FROM run WHERE key = ?');
    this.#remove = database.prepare('DELETE FROM run WHERE key = ?');
    this.#put = database.prepare(
      'INSERT INTO run (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    );
  }

  get(key: string): unknown {
    const row = this.#get.get(key);
    return row === undefined ? undefined : JSON.parse(row.value as string);
  }

  set(key: string, value: unknown): void {
    this.#put.run(key, JSON.stringify(value));
  }

  forget(key: string): void {
    this.#remove.run(key);
  }

  setAll(facts: Partial<Facts>): void {
    for (const [key, value] of Object.entries(facts)) if (value !== undefined) this.set(key, value);
  }
}
