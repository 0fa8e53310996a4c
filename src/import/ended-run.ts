import type { RowCounts } from '../ledger/run-queries.ts';
import type { RunHeader } from './run-header.ts';

/** Why a run stopped before it was complete. */
export interface Stop {
  readonly kind: 'interrupted' | 'refused' | 'impatient' | 'errors' | 'ledger';
  readonly why: string;
  readonly error?: unknown;
}

/** Created rows with the same fault; the first of them by name. */
export interface FaultyRows {
  readonly count: number;
  readonly rows: readonly {
    readonly row: number;
    /** As it was sent; null if the row has none. */
    readonly code: string | null;
    readonly id: string | null;
    /** The id of the other record, or what the list shows instead. */
    readonly other?: string | undefined;
  }[];
}

/** What a run found: in `runs.findings`, as JSON. */
export interface Findings {
  /** The list was read after the last row, and shows each created row as it was sent. Null: there is no list. */
  readonly verified?: boolean | null | undefined;
  /** Why the list could not be read to its end. */
  readonly unread?: string | undefined;
  /** The list does not show them. */
  readonly missing?: FaultyRows | undefined;
  /** The list shows them with another code or name. */
  readonly differing?: FaultyRows | undefined;
  /** Other records have their codes too. */
  readonly doubled?: FaultyRows | undefined;
  /** The service stores codes differently, so no more rows of the run are sent. */
  readonly storedAs?: { readonly sent: string; readonly stored: string } | undefined;
  /** Look-ups could not tell the outcome of its unconfirmed rows. */
  readonly isUndecided?: boolean | undefined;
  /** How long commands worked on the run, ms. Waits for a confirmation do not count. */
  readonly workedMs?: number | undefined;
}

/** What a command knows of a run when it ends. */
export interface EndedRun {
  /** Undefined: no row was to be sent, so nothing of it is in the ledger. */
  readonly number: number | undefined;
  readonly header: RunHeader;
  /** Of the rows in the ledger. `header.planned` has the others. */
  readonly rows: RowCounts;
  readonly hasEnded: boolean;
  readonly findings: Findings;
  /** Why the command stopped before the run was complete. */
  readonly stop: Stop | undefined;
}
