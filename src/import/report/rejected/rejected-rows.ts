import { isAbout, type Problem, problemIn } from '../../../core/problem/row-problem.ts';
import { compileMapping } from '../../map/compile.ts';
import { textOf } from '../../map/convert.ts';
import { type Mapping, namesIn, type Rule } from '../../map/mapping.ts';
import { columnsOf as columnsOfRule } from '../../map/mapping-flags.ts';
import { ADDED_COLUMNS, isAddedColumn, RAW } from '../../map/repair/marks.ts';
import type { RowWithRecord } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import type { TargetFields } from '../../targets/import-target.ts';
import { ofRow } from '../row-layout.ts';

/** A rejected row: its fields as JSON text, and the columns that proc adds. */
export interface Rejected {
  readonly own: string;
  readonly added: Readonly<Partial<Record<(typeof ADDED_COLUMNS)[number], unknown>>>;
  readonly problem: Problem | undefined;
  /** One of several rows that form one body. */
  readonly isGrouped: boolean;
}

export function* rejectedRows(run: Run): Generator<Rejected> {
  for (const row of run.rows.reported.withRecords('rejected')) {
    yield* partsOf(row, run.header.run);
  }
}

export function* partsOf(one: RowWithRecord, run: string): Generator<Rejected> {
  const problem = one.reason === null ? undefined : problemIn(one.reason);
  const { row: _row, reason: _reason, status: _status, findings: _findings } = ofRow(one);
  const added = {
    ...{ _run: run, _row, _reason, _status },
    ...(_findings === null ? {} : { _findings }),
  };
  const text = one.fields ?? one.body ?? '{}';
  // An array has the source rows of one body. All are written, to be repaired together.
  if (text.startsWith('[')) {
    for (const own of JSON.parse(text) as object[]) {
      yield { own: JSON.stringify(own), added, problem, isGrouped: true };
    }
  } else yield { own: text, added, problem, isGrouped: false };
}

/**
 * The columns of the source, the columns that proc adds, `_findings` if a row has some, and `_raw` if there are
 * unreadable rows.
 */
export function columnsOf({ rows: { reported }, header }: Run): readonly string[] {
  const { columns } = header.source;
  const isUnread = columns.includes(RAW) || reported.hasRejectedWith(`"${RAW}":`);
  const own = columns.filter((name) => !isAddedColumn(name));
  const isFound = columns.includes('_findings') || reported.hasRejectedFinding();
  const added = ADDED_COLUMNS.filter((name) => name !== '_findings' || isFound);
  return [...own, ...added, ...(isUnread ? [RAW] : [])];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the cells that caused a rejection: the cells of the fields that the reason names, or else
 * `_reason`.
 *
 * Several rows that form one body share a reason. In such rows it finds only cells that are invalid
 * or missing, or that the reason quotes.
 */
export function brokenCells(
  { header }: Run,
  target: TargetFields,
): (row: Rejected, fields: Fields) => ReadonlySet<string> {
  const mapping = header.mapping as Mapping;
  const map = compileMapping(mapping, target);
  const mapped = Object.entries(mapping.fields).flatMap(([field, rule]) => {
    const columns = columnsIn(rule);
    return columns.length === 0 ? [] : [{ field, columns }];
  });
  return ({ problem, isGrouped }, fields) => {
    const wrong = map({ row: 0, line: undefined, fields }).problem?.field;
    const isQuoted = (column: string) => {
      const text = textOf(fields[column])?.trim() ?? '';
      return text !== '' && problem !== undefined && quotes(problem, text);
    };
    const cells = mapped.flatMap(({ field, columns }) => {
      if (field === wrong) return columns;
      if (problem === undefined) return [];
      if (isMissing(problem, field)) return columns;
      if (!isAbout(problem, field)) return [];
      return isGrouped ? columns.filter(isQuoted) : columns;
    });
    return new Set(cells.length === 0 ? ['_reason'] : cells);
  };
}

/** Whether the row has no value in the field. */
function isMissing(problem: Problem, field: string): boolean {
  switch (problem.code) {
    case 'no_key':
      return field === problem.args.key;
    case 'no_key_or_name':
      return field === problem.args.key || field === problem.args.name;
    case 'imputation_without_order':
      return field === 'order';
    default:
      return false;
  }
}

/** Whether the sentence of the problem shows the text. */
function quotes(problem: Problem, text: string): boolean {
  const shown = JSON.stringify(text);
  const isQuoted = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? Object.values(value).some(isQuoted)
      : value === text || value === shown;
  return isQuoted(problem.args);
}

function columnsIn(rule: Rule): readonly string[] {
  return 'jmespath' in rule ? namesIn(rule.jmespath) : columnsOfRule(rule);
}
