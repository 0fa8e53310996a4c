export interface KnownRun {
  readonly number: number;
  readonly name: string;
  /** Only `src/import/phases.ts` knows the names of the phases. */
  readonly phase: string;
  /** How often the run was opened for writing. */
  readonly generation: number;
  /** The number of the last commit of the run's file of which the ledger has the outcomes. */
  readonly commits: number;
  /** As the last process that wrote the run left them; undefined while a process writes it, and after a kill. */
  readonly counts: unknown;
  /** The run has begun to send. */
  readonly hasBegun: boolean;
  /** Of a discarded run, the ledger keeps only what a later write could repeat. */
  readonly isDiscarded: boolean;
  /** Undefined if the run is completely discarded. */
  readonly header: unknown;
  /** The entry of the history for the whole run. */
  readonly entry: string | undefined;
}

/** What a process needs to write a run: it must be the last one that opened the run for writing. */
export type Claim = Pick<KnownRun, 'name' | 'number' | 'generation'>;

/**
 * Whether no other process has opened the run for writing since. Ledger and file of a run both have its
 * generation, and ask this in each of their transactions.
 */
export function isHeld({ generation }: Claim, now: unknown): boolean {
  return now === generation;
}

export interface NewRun {
  readonly name: string;
  readonly noun: string;
  readonly service: string;
  readonly organization: string | undefined;
  readonly phase: string;
  readonly header: unknown;
}

export interface Noted {
  /** ms */
  readonly finishedAt?: number | undefined;
  /** Of the run's file, with `counts`: no process writes the run any more. */
  readonly commits?: number | undefined;
  readonly counts?: unknown;
}

export interface Move {
  readonly from: readonly string[];
  readonly to: string;
  /** In the new phase, requests may leave. */
  readonly hasBegun: boolean;
  readonly noted: Noted;
  /** A new entry of the history, by column. */
  readonly entry?: Readonly<Record<string, string | number | null>> | undefined;
}

/** By what a row is recognized in other runs: `code X`, `name X`, or `body SHA256`. */
type RowKey = string;

export interface Intent {
  readonly row: number;
  /** Null if nothing identifies the row. */
  readonly key: RowKey | null;
  /** When it was written, ms. */
  readonly at: number;
  /** JSON text. Kept until the outcome is known. */
  readonly body: string;
  /** The number of the last intent of another run that a look at the service has made harmless; else 0. */
  readonly seen: number;
}

/**
 * - `maybe`: the row may have been sent
 * - `created`, `dropped`: as recorded
 * - `none`: it had no effect. The entry is withdrawn
 */
export interface Outcome {
  readonly row: number;
  readonly state: 'maybe' | 'created' | 'dropped' | 'none';
  readonly id?: string | null | undefined;
  /** For a row that may have no entry yet. Without it, the row must have one, or the outcome be `none`. */
  readonly entry?: { readonly key: RowKey | null; readonly at: number | null } | undefined;
}

export interface Batch {
  /** Of the run's file: the number of the commit that wrote these outcomes and intents. */
  readonly commits: number;
  readonly outcomes: readonly Outcome[];
  readonly intents: readonly Intent[];
  /** What of other runs stops an intent. */
  readonly against: Against;
}

/**
 * Entries with the key of the row, made by other runs of the same noun, service and organization:
 *
 * - `new`: with a number after `since`
 * - `new or open`: besides, all that may have been sent. A look at the service decides
 * - `nothing`: the user wants the rows to be sent again
 */
export interface Against {
  readonly which: 'new' | 'new or open' | 'nothing';
  readonly since: number;
}

/** A row whose intent was not written, and the entry that stopped it. */
export interface Refused {
  readonly row: number;
  readonly intent: number;
  readonly run: string;
  readonly state: 'maybe' | 'created' | 'dropped';
  readonly id: string | null;
}

/** A row in the index. */
export interface SentEntry {
  readonly row: number;
  readonly key: RowKey | null;
  readonly state: 'maybe' | 'created' | 'dropped';
  readonly id: string | null;
  /** When the intent was written, ms; null if the run never sent the row. */
  readonly at: number | null;
  /** JSON text; null once the outcome is known. */
  readonly body: string | null;
}

export interface Confirmed {
  readonly row: number;
  /** When the intent was written, ms. */
  readonly at: number;
  readonly id: string | null;
}

export type SentOutcome = 'created' | 'unconfirmed' | 'dropped';

export interface Place {
  readonly run: string;
  readonly row: number;
}

/** A row that a run sent, or may have sent. */
export interface SentRow extends Place {
  readonly by: 'run';
  readonly outcome: SentOutcome;
  readonly created: string | undefined;
  /** The number of its last intent. */
  readonly intent: number;
  /** The run was discarded, so no outcome can be recorded in it. */
  readonly isDiscarded: boolean;
  /**
   * The row of a later run that inherited this row. A person decided about both there. `sent` is
   * undefined if that row was not sent since, and has no outcome.
   */
  readonly answer: (Place & { readonly sent: SentRow | undefined }) | undefined;
}

/** An earlier write with the same content: a row of a run, or a single command. */
export type SentBefore =
  | SentRow
  | {
      readonly by: 'command';
      readonly entry: string;
      readonly isUnconfirmed: boolean;
      readonly created: string | undefined;
    };

export interface CreatedBefore {
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

export interface Creator extends Place {
  readonly id: string;
  readonly code: string | null;
  /** Of the run, ms; undefined until it is finished. */
  readonly finishedAt: number | undefined;
}
