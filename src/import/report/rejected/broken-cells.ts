import { isAbout, type Problem } from '../../../core/problem/row-problem.ts';
import type { Journal } from '../../ledger/journal.ts';
import { compileMapping } from '../../map/compile.ts';
import { textOf } from '../../map/convert.ts';
import { namesIn } from '../../map/jmespath.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import { columnsOf } from '../../map/mapping-flags.ts';
import type { TargetFields } from '../../targets/target-fields.ts';
import type { Rejected } from './rejected-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds the cells that caused a rejection: the cells of the fields that the reason names, or else
 * `_reason`.
 *
 * Several rows that form one body share a reason. In such rows it finds only cells that are invalid
 * or missing, or that the reason quotes.
 */
export function brokenCells(
  { header }: Journal,
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
  return 'jmespath' in rule ? namesIn(rule.jmespath) : columnsOf(rule);
}
