import type { ProcError } from '../../core/errors.ts';
import type { StoredProblem } from '../../core/row-problem.ts';
import type { Place } from '../../ledger/sent-since.ts';
import type { LineCounts } from '../../nouns/shared/items-in-place.ts';
import type { LedgerSource } from '../draft/draft.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Finding } from '../report/findings.ts';
import type { Progress } from '../report/progress.ts';
import type { Choices, LastSent, OtherNames, PlannedCounts } from '../run-header.ts';
import type { RunOptions } from '../run-options.ts';
import type { Source } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import type { PlanValues } from './values.ts';

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

export interface Sample {
  readonly row: number;
  readonly line: number | null;
  readonly code: string | null;
  readonly reason: StoredProblem | null;
  /** Of the record that the row is, or may be. */
  readonly id?: string;
}

export interface ItemsPlan {
  readonly counts: LineCounts;
  /** False if codes could not be looked up, e.g. in a dry run without a key. */
  readonly isLookedUp: boolean;
  readonly refusal?: ProcError | undefined;
}

export interface Plan extends Staged {
  readonly counts: PlannedCounts;
  /** The first rows of each state. */
  readonly samples: Readonly<
    Record<'existing' | 'sentBefore' | 'rejected' | 'unconfirmed' | 'repeated', readonly Sample[]>
  >;
  readonly lastSent: LastSent | undefined;
  /** With `--again`: rows that were sent before, and the last write that had sent one. */
  readonly resent: { readonly rows: number; readonly last: LastSent } | undefined;
  /** See `RunHeader`. */
  readonly againUpTo: number | undefined;
  readonly otherNames: OtherNames | undefined;
  /** The first and last rows as they will be sent; undefined if nobody sees them, or no row is sent. */
  readonly values: PlanValues | undefined;
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
