import type { Writer } from '../../history/written-by.ts';
import type { Refusal } from '../import-flags.ts';
import type { SourceFormat } from '../source/record.ts';

/** The options of the plan. A resumed run uses them again. */
export interface Choices {
  readonly onExisting: 'skip' | 'fail';
  /**
   * If undefined, rows with the same key and different values stop the run before it sends
   * anything.
   */
  readonly onDuplicate: 'first' | 'last' | 'all' | undefined;
  readonly noCode: 'reject' | 'name';
  readonly allow: readonly Refusal[];
  readonly maxCreate: number | undefined;
  /** `5%` or a number of rows. */
  readonly maxRejected: string | undefined;
  /** Send nothing if the plan has warnings. */
  readonly strict?: boolean | undefined;
  /**
   * If a line defines an item whose code exists, either refer to the existing item or define
   * another.
   */
  readonly itemsInPlace?: 'reference' | 'define' | undefined;
  /** Columns in which an empty cell has the value of the row above. */
  readonly fillDown?: readonly string[] | undefined;
  /** A repaired row gets back the codes that it had when it was rejected. */
  readonly restoreCodes?: boolean | undefined;
  /** `--tune` and `--rate`, as typed. A resumed run keeps them. */
  readonly tune?: readonly string[] | undefined;
  readonly rate?: string | undefined;
  /** The conditions of `--where`, as typed. */
  readonly where?: readonly string[] | undefined;
  /**
   * For rows that were sent before. If undefined, these rows stop the run before it sends anything.
   */
  readonly onSent: 'skip' | 'send' | undefined;
  /** Keep the apostrophes before formulas in cells as part of the values. */
  readonly csvRaw?: boolean | undefined;
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
    /** From `--header-row` and `--skip-rows`. */
    readonly headerRow?: number | undefined;
    readonly skipRows?: number | undefined;
  };
  readonly mapping: unknown;
  readonly choices: Choices;
  /** Rows with the same value in this column form one body. */
  readonly groupBy: string | undefined;
  /** With a shared ledger: who runs it, and where its file is. */
  readonly writer?: Pick<Writer, 'user' | 'host' | 'job'> | undefined;
  /** With a shared ledger: unfinished runs of other machines that this run continues, the latest first. */
  readonly continues?: readonly string[] | undefined;
  /** The run whose rejected rows this run repairs. */
  readonly repairs: string | undefined;
  readonly rejectedFile: string | undefined;
  readonly resultsFile: string | undefined;
  readonly planFile?: string | undefined;
  /** `--stage`: the run ends after planning, and `imports send` sends it. */
  readonly isStaged?: boolean | undefined;
  /** Path of the statement from which this machine has the run. */
  readonly statement?: string | undefined;
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
