import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { Mapping } from '../map/mapping.ts';
import type { Resolver } from '../map/references/resolve-references.ts';
import type { MappedRow, Source, SourceRecord } from '../source/record.ts';
import type { ImportTarget } from '../targets/import-target.ts';

/** One step on a record's way to its row: data, so that the way can be read as a list. */
export interface RowStep {
  /** As `docs/architecture.md` lists it. */
  readonly name: string;
  /**
   * What it does in one reading of the source; undefined if nothing in this run, so that the step costs
   * no row anything. What it notices over all rows begins anew with each reading.
   */
  begin(run: StagedRun): RowWork | undefined;
}

/** A step at work. */
export interface RowWork {
  /**
   * The row after this step, the same object if nothing changed. Rejected rows come here too; filtered
   * ones do not.
   */
  apply(row: MappedRow): MappedRow;
  /** What a person should know, once all rows were here. */
  warnings?(): readonly string[];
  /** @throws ProcError if the file as a whole cannot be imported, once all rows were here */
  check?(): void;
}

/** What steps know of the run whose rows they make. */
export interface StagedRun {
  readonly header: RunHeader;
  readonly mapping: Mapping;
  readonly target: ImportTarget;
  /** The target as columns are mapped to it: that of flat rows if a column brings rows together. */
  readonly shape: ImportTarget;
  readonly source: Pick<Source, 'name' | 'columns' | 'format'>;
  /** The run whose rejected rows the source holds. */
  readonly earlier: Journal | undefined;
  /** What references mean; undefined if the mapping fills none. */
  readonly resolver: Resolver | undefined;
}

/** The steps that have something to do in this run, in their order. */
export function begin(steps: readonly RowStep[], run: StagedRun): readonly RowWork[] {
  return steps.flatMap((step) => step.begin(run) ?? []);
}

/** Takes a row through all steps. */
export function through(steps: readonly RowWork[], row: MappedRow): MappedRow {
  let current = row;
  for (const step of steps) {
    if (current.isFiltered === true) break;
    current = step.apply(current);
  }
  return current;
}

/** A record before the first step. */
export function rowOf(record: SourceRecord): MappedRow {
  const { row, line, fields, salvaged, problem } = record;
  if (fields !== undefined) return { row, line, fields, body: undefined };
  return { row, line, fields: salvaged, body: undefined, problem, isUnread: true };
}
