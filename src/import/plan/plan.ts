import type { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import type { Problem } from '../../core/row-problem.ts';
import type { Place } from '../../ledger/rows.ts';
import type { LedgerSource } from '../draft/draft.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Finding } from '../report/findings.ts';
import type { Progress } from '../report/progress.ts';
import type { Choices, LastSent, OtherNames, PlannedCounts } from '../run-header.ts';
import type { RunOptions } from '../run-options.ts';
import type { Source } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** What staging and planning need of an import. */
export interface Planning {
  readonly target: ImportTarget;
  readonly source: Source;
  readonly mapping: Mapping;
  readonly groupBy: string | undefined;
  readonly choices: Choices;
  readonly options: RunOptions;
  readonly progress: Progress;
  readonly where: Place;
  readonly ledger: LedgerSource;
  /** `--allow-odd` */
  readonly allowOdd: boolean;
  /** `--digest`: any other plan is refused. */
  readonly digest: string | undefined;
}

/** What the reading of a file has found besides its rows. */
export interface Staged {
  /** SHA-256 over the bodies of all valid rows in the order of the file, whether they exist or not. */
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** Codes of orders that rows refer to, by id. */
  readonly orders: Readonly<Record<string, string>>;
}

/** A row as it will be sent. */
export interface SampleRow {
  readonly row: number;
  readonly line: number | null;
  /** All fields; of a requisition with several lines, those of the first line. */
  readonly values: Row;
  /** Of a requisition: the number of lines, if it is not one. */
  readonly lines?: number;
}

export interface RejectedRow {
  readonly row: number;
  readonly line: number | null;
  readonly reason: Problem;
}

export const NO_LINES = { lines: 0, referencedItems: 0, newItems: 0, newItemsWithoutCode: 0 };

export interface ItemsPlan {
  readonly counts: Readonly<typeof NO_LINES>;
  /** False if codes could not be looked up, e.g. in a dry run without a key. */
  readonly isLookedUp: boolean;
  readonly refusal?: ProcError | undefined;
}

export interface Plan extends Staged {
  readonly counts: PlannedCounts;
  /** The first and the last rows to be created. */
  readonly rows: readonly SampleRow[];
  /** The first of them. */
  readonly rejected: readonly RejectedRow[];
  readonly lastSent: LastSent | undefined;
  /** With `--again`: rows to create that were sent before, how many of them are unconfirmed, and the last such write. */
  readonly resent:
    | { readonly rows: number; readonly unconfirmed: number; readonly last: LastSent }
    | undefined;
  /** See `RunHeader`. */
  readonly againUpTo: number | undefined;
  readonly otherNames: OtherNames | undefined;
  /** Columns that are not sent, with one of their values. */
  readonly notSent: Readonly<Record<string, string>>;
  /** Rows of unfinished runs that are not in this plan, by run. */
  readonly remaining: Readonly<Record<string, number>>;
  /** How much of the list is known; undefined if no list was read. `why`: what is wrong with it. */
  readonly list:
    | { readonly rows: number; readonly isComplete: boolean; readonly why?: string | undefined }
    | undefined;
  /** Undefined for nouns without lines. */
  readonly items: ItemsPlan | undefined;
  readonly refusal: ProcError | undefined;
}
