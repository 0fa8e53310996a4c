import type { Problem } from '../../core/problem/row-problem.ts';
import type { SeenChange } from '../../core/service/code-change.ts';
import type { Writer } from '../../history/written-by.ts';
import type { Finding } from '../report/findings.ts';
import type { Choices as NewChoices } from '../run-header.ts';
import type { SourceFormat } from '../source/record.ts';

export interface Choices extends NewChoices {
  readonly onExisting?: 'skip' | 'fail';
  readonly onDuplicate?: 'first' | 'last' | 'all' | undefined;
  readonly onSent?: 'skip' | 'send' | undefined;
}

/** The identity of a run, written before the first row and never changed. */
export interface RunHeader {
  readonly run: string;
  readonly noun: string;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string;
  /** Undefined in runs of versions that did not record the organization. */
  readonly organization: string | undefined;
  readonly source: {
    readonly name: string;
    readonly path: string;
    readonly bytes: number;
    readonly hash: string;
    readonly format: SourceFormat;
    readonly columns: readonly string[];
    /** From `--path`. */
    readonly arrayPath: string | undefined;
    readonly encoding: string | undefined;
    readonly sheet: string | undefined;
    /** From `--header-row`. */
    readonly headerRow?: number | undefined;
  };
  readonly mapping: unknown;
  readonly choices: Choices;
  /** Rows with the same value in this column form one body. */
  readonly groupBy: string | undefined;
  /** With a shared ledger: who runs it, and where its file is. */
  readonly writer?: Pick<Writer, 'user' | 'host' | 'job'> | undefined;
  /** With a shared ledger: unfinished runs of other machines that this run continues, the latest first. */
  readonly continues?: readonly string[] | undefined;
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
  /** ISO time. */
  readonly startedAt: string;
}

/** What is known about the catalogue before the first request. */
export type Baseline =
  /** The table `catalogue` contains the whole list. */
  | 'complete'
  /** Each code was searched for. The table `catalogue` contains the records found. */
  | 'searched'
  /** The list may be incomplete, or could not be read. */
  | 'unproved';

/** What a run detected about the list of its noun. A resume uses it again. */
export interface Learned {
  /** The dialect with the detected names, as text. */
  readonly text: string;
  /** False if proc does not know the names of the sort parameters. */
  readonly takesSort: boolean;
}

/** What the list shows after the run. `named` and `notListed` contain only examples. */
export interface Verified {
  /** False if the list may be incomplete, or does not show all created rows. */
  readonly isComplete: boolean;
  /** Number of codes that a created row shares with another record. */
  readonly twice: number;
  /**
   * Number of codes that a created row shares only with records of other runs or commands of this
   * machine. Missing if zero.
   */
  readonly twiceHere?: number;
  readonly named: readonly { readonly code: string; readonly ids: readonly string[] }[];
  /** Number of created rows that the complete list does not show under their code or name. */
  readonly hidden?: number;
  readonly notListed?: readonly { readonly code: string; readonly id: string }[];
  /** Some rows that the service refused, although the list has a new record with their code. */
  readonly refused?: readonly { readonly code: string; readonly id: string }[];
  /** A row without a code appears in `named` or `notListed` with its name as `code`. */
  readonly byName?: boolean;
}

/** The wall clock and the monotonic clock at the same moment, in ms. */
export interface ClockBase {
  /** Identifies the boot from which the monotonic clock counts. Null if unknown. */
  readonly boot: string | null;
  readonly wall: number;
  readonly monotonic: number;
}

/** A row whose code exists in the catalogue under another name. */
export interface OtherName {
  readonly row: number;
  readonly line: number | null;
  readonly code: string;
  readonly name: string;
  readonly catalogueName: string;
  readonly id: string;
}

export interface OtherNames {
  readonly count: number;
  readonly samples: readonly OtherName[];
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
  /** Identifies the API key without revealing it. */
  readonly keyMark: string;
  readonly historyId: string;
  /** How long the run has worked, ms. The time between a stop and a resume does not count. */
  readonly workedMs: number;
  /** Replaces the path in the header. */
  readonly rejectedFile: string;
  /** Replaces the path in the header. */
  readonly resultsFile: string;
  /** The file of rejected rows that this run wrote last, and its modification time then. */
  readonly rejectedWritten: { readonly file: string; readonly modifiedMs: number };
  /** Number of cells from which proc removed the apostrophe before a formula. */
  readonly unguarded: number;
  /** What looks wrong in the source. */
  readonly findings: readonly Finding[];
  /** Codes of orders that rows refer to, by id: lists show codes, and so does the plan. */
  readonly spelled: Readonly<Record<string, string>>;
  /** The highest row number when the run began to send. */
  readonly staged: number;
  /** The number of the last intent of all runs when the plan was made. */
  readonly seen: number;
  /** When the clock of the run began. */
  readonly clock: ClockBase;
  /** Rows whose codes the catalogue has with another name. */
  readonly otherNames: OtherNames;
  /**
   * The source ends too early or has data after its end. The rows that proc could read are
   * imported.
   */
  readonly fileProblem: Problem;
  /** The file was lost and rebuilt from the ledger: rows that were not sent are missing. */
  readonly isRemade: boolean;
}
