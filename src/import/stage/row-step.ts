import type { Finding } from '../../messages/findings.ts';
import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Resolver } from '../map/references/resolve-references.ts';
import type { MappedRow, Source, SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/**
 * One step from a record to a row of the ledger. Steps are data, so that a list shows all of them
 * in order.
 */
export interface RowStep {
  /** The name in `docs/architecture.md`. */
  readonly name: string;
  /**
   * Prepares the step for one reading of the source; undefined if it has nothing to do in this run,
   * so that it costs nothing per row. What it counts over all rows starts again with each reading.
   */
  begin(run: StepContext): RowWork | undefined;
}

/** A step in use. */
export interface RowWork {
  /**
   * Returns the row after this step, or the same object if nothing changed. Receives rejected rows
   * too, but not filtered ones.
   */
  apply(row: MappedRow): MappedRow;
  /** What looks wrong, for the plan, after all rows. */
  findings?(): readonly Finding[];
  /** Other warnings for the user, after all rows. */
  warnings?(): readonly string[];
  /** Runs after all rows. @throws ProcError if the file as a whole cannot be imported */
  check?(): void;
}

/** What steps know about the run. */
export interface StepContext {
  readonly header: Pick<RunHeader, 'choices' | 'groupBy' | 'repairs'>;
  readonly mapping: Mapping;
  readonly target: ImportTarget;
  /** The fields to which columns are mapped: those of flat rows if rows are grouped. */
  readonly shape: ImportTarget;
  readonly source: Pick<Source, 'name' | 'columns' | 'format' | 'signs'>;
  /** The run whose rejected rows the source contains. */
  readonly earlier: Journal | undefined;
  /** Resolves references; undefined if the mapping fills none. */
  readonly resolver: Resolver | undefined;
}

/** The steps that have something to do in this run, in order. */
export function begin(steps: readonly RowStep[], run: StepContext): readonly RowWork[] {
  return steps.flatMap((step) => step.begin(run) ?? []);
}

export function applySteps(steps: readonly RowWork[], row: MappedRow): MappedRow {
  let current = row;
  for (const step of steps) {
    if (current.isFiltered === true) break;
    current = step.apply(current);
  }
  return current;
}

/** The row of a record, before the first step. */
export function rowOf(record: SourceRecord): MappedRow {
  const { row, line, fields, salvaged, problem } = record;
  if (fields !== undefined) return { row, line, fields, body: undefined };
  return { row, line, fields: salvaged, body: undefined, problem, isUnread: true };
}
