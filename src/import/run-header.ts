import type { Writer } from '../history/entry.ts';
import type { Mapping } from './map/mapping.ts';
import type { SourceFormat } from './source/record.ts';

/** The flags that decide which rows are sent, and how. A resumed run uses them again. */
export interface Choices {
  /** `--again`: rows that were sent before are sent again. */
  readonly again: boolean;
  /** `--send-equal`: of equal rows, as many are sent as were not sent before. */
  readonly sendEqual: boolean;
  /** `--exact-codes` */
  readonly exactCodes: boolean;
  /** `--key`: the fields that identify a row of a noun without a list. Undefined: those of the noun; empty: none. */
  readonly key: readonly string[] | undefined;
  readonly maxCreate: number | undefined;
  /** `5%` or a number of rows. */
  readonly maxRejected: string | undefined;
  /** `--rate`, as typed. */
  readonly rate: string | undefined;
}

/**
 * The rows of a file when the run begins. `create` and the unconfirmed rows that a look-up can decide are in the ledger;
 * the others are nowhere else. `rows` is the sum of all.
 */
export interface PlannedCounts {
  readonly rows: number;
  /** Pending rows of the run. */
  readonly create: number;
  /** Rows that are open elsewhere: they enter the run, and a look-up decides. Only of nouns with a list. */
  readonly lookedUp: number;
  readonly existing: number;
  readonly rejected: number;
  /** Rows of a noun with a list that would be sent like an earlier row. */
  readonly repeated: number;
  readonly sentBefore: number;
  /** Sent before, and nobody knows whether they were created. Only of nouns without a list. */
  readonly unconfirmed: number;
}

/** The last of the earlier writes for which rows are not sent. */
export interface LastSent {
  /** Name of the run, or id of the entry of the history. */
  readonly run?: string | undefined;
  readonly entry?: string | undefined;
  /** ms */
  readonly at: number;
}

/** An existing row whose record has another name in the list. */
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
  /** The first of them. */
  readonly samples: readonly OtherName[];
}

/** What a run records of its file, its place and its plan: JSON in `runs.header`. It never changes. */
export interface RunHeader {
  readonly run: string;
  readonly noun: string;
  readonly profile: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string;
  readonly organization: string | undefined;
  /** What the file of rejected rows needs, to be like the source. */
  readonly source: {
    /** As the user named it: `catalog.csv`, or `standard input`. */
    readonly name: string;
    readonly path: string;
    readonly format: SourceFormat;
    readonly columns: readonly string[];
  };
  readonly mapping: Mapping;
  /** Rows with the same value in this column form one body. */
  readonly groupBy: string | undefined;
  readonly choices: Choices;
  /**
   * With `--again`, the number of the last intent when the plan was shown: what others had sent up to it does not hold
   * back rows of this run.
   */
  readonly againUpTo: number | undefined;
  readonly files: {
    readonly rejected: string;
    readonly results: string | undefined;
  };
  readonly planned: PlannedCounts;
  readonly lastSent: LastSent | undefined;
  readonly otherNames: OtherNames | undefined;
  /** See {@link Plan.digest}. */
  readonly digest: string;
  readonly writer: Pick<Writer, 'user' | 'host' | 'job'> | undefined;
  /** ISO time. */
  readonly startedAt: string;
}
