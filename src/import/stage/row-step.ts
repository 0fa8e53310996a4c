import type { Marks } from '../map/convert.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Resolver } from '../map/references/resolve-references.ts';
import type { Finding } from '../report/findings.ts';
import type { Choices } from '../run-header.ts';
import type { MappedRow, Source, SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** Steps are data, so that `row-steps.ts` can list them in order. */
export interface RowStep {
  /**
   * Called once per reading of the source, so that counts begin at zero. Returns undefined if this
   * run does not need the step.
   */
  begin(run: StepContext): RowWork | undefined;
}

export interface RowWork {
  /**
   * Returns the same object if nothing changed. Called for rejected rows too.
   */
  apply(row: MappedRow): MappedRow;
  /** Called after the last row: what a person should know of the file as a whole. */
  findings?(): readonly Finding[];
  /** Called after the last row: warnings that are not part of the plan. */
  warnings?(): readonly string[];
}

export interface StepContext {
  readonly groupBy: string | undefined;
  readonly choices: Pick<Choices, 'key'>;
  readonly mapping: Mapping;
  readonly target: ImportTarget;
  /** Like `target`, but if rows are grouped, the fields and references are those of flat rows. */
  readonly shape: ImportTarget;
  readonly source: Pick<Source, 'name' | 'columns' | 'format' | 'table'>;
  /** See `marksIn`. */
  readonly marks?: ReadonlyMap<string, Marks> | undefined;
  /** Undefined if the mapping fills no references. */
  readonly resolver: Resolver | undefined;
}

export function begin(steps: readonly RowStep[], run: StepContext): readonly RowWork[] {
  return steps.flatMap((step) => step.begin(run) ?? []);
}

export function applySteps(steps: readonly RowWork[], row: MappedRow): MappedRow {
  return steps.reduce((current, step) => step.apply(current), row);
}

export function rowOf(record: SourceRecord): MappedRow {
  const { row, line, fields, problem } = record;
  if (fields !== undefined) return { row, line, fields, body: undefined };
  return { row, line, fields, body: undefined, problem, isUnread: true };
}
