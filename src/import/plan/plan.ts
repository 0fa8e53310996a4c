import type { ProcError } from '../../core/errors.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import type { RecordResult } from '../../core/result.ts';
import type { Place } from '../../ledger/sent-since.ts';
import type { LineCounts } from '../../nouns/shared/items-in-place.ts';
import type { Draft } from '../draft/draft.ts';
import type { Mapping } from '../map/mapping.ts';
import type { SendPorts } from '../open-run.ts';
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
  /** Path of the ledger; undefined if there is none yet, in a dry run. */
  readonly ledger: string | undefined;
  /** `--digest`: any other plan is refused. */
  readonly digest: string | undefined;
}

/** What the reading of a file has found besides its rows. */
export interface Staged {
  /** SHA-256 over the bodies of all valid rows in the order of the file, whether they exist or not. */
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** The file ends too early: its plan is refused. */
  readonly fileProblem: Problem | undefined;
  /** Number of cells from which proc removed the apostrophe before a formula. */
  readonly unguarded: number;
  /** Codes of orders that rows refer to, by id. */
  readonly spelled: Readonly<Record<string, string>>;
}

export interface Plan extends Staged {
  readonly counts: PlannedCounts;
  readonly lastSent: LastSent | undefined;
  /** See `RunHeader`. */
  readonly againUpTo: number | undefined;
  readonly otherNames: OtherNames | undefined;
  /** The first and last rows as they will be sent. */
  readonly values: PlanValues | undefined;
  /** Columns that are not sent, with one of their values. */
  readonly notSent: Readonly<Record<string, string>>;
  /** Rows of unfinished runs that are not in this plan, by run. */
  readonly remaining: Readonly<Record<string, number>>;
  /** How much of the list is known; undefined if no list was read. */
  readonly list: { readonly rows: number; readonly isComplete: boolean } | undefined;
  /** Undefined for nouns without lines. */
  readonly items: { readonly counts: LineCounts; readonly isLookedUp: boolean } | undefined;
  readonly refusal: ProcError | undefined;
}

/** Reads, maps and checks the source, into the draft. @throws ProcError if the file as a whole cannot be imported */
export type StageSource = (draft: Draft, planning: Planning, ports: SendPorts) => Promise<Staged>;
/** Compares the draft with list and ledger. @throws ProcError if the list cannot be read */
export type PlanDraft = (
  draft: Draft,
  staged: Staged,
  planning: Planning,
  ports: SendPorts,
) => Promise<Plan>;
/** Shows the plan at a terminal; otherwise only what a person should check. */
export type SayPlan = (plan: Plan, planning: Planning, ports: SendPorts) => void;
/** The plan as the result of a dry run. */
export type PlanResult = (plan: Plan, planning: Planning, ports: SendPorts) => RecordResult;
/** @throws ProcError `confirmation_required` if the plan is not confirmed */
export type ConfirmPlan = (plan: Plan, planning: Planning, ports: SendPorts) => Promise<void>;
