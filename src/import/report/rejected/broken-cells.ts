import type { Journal } from '../../ledger/journal.ts';
import { compileMapping } from '../../map/compile.ts';
import { textOf } from '../../map/convert.ts';
import { namesIn } from '../../map/jmespath.ts';
import type { Mapping, Rule } from '../../map/mapping.ts';
import { columnsOf } from '../../map/mapping-flags.ts';
import { isAbout } from '../../map/repair/changed-codes.ts';
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
  return ({ added, isGrouped }, fields) => {
    const reason = textOf(added._reason) ?? '';
    const wrong = map({ row: 0, line: undefined, fields }).problem?.field;
    const isQuoted = (column: string) => {
      const text = textOf(fields[column])?.trim() ?? '';
      return text !== '' && reason.includes(JSON.stringify(text));
    };
    const cells = mapped.flatMap(({ field, columns }) => {
      if (field === wrong || isMissing(reason, field)) return columns;
      if (!isAbout(reason, field)) return [];
      return isGrouped ? columns.filter(isQuoted) : columns;
    });
    return new Set(cells.length === 0 ? ['_reason'] : cells);
  };
}

/** Whether a reason such as `has no code, …` or `has neither code nor name` names the field. */
function isMissing(reason: string, field: string): boolean {
  const [, one, other] = /^has (?:no|neither) ([\w.]+)(?: nor ([\w.]+))?/.exec(reason) ?? [];
  return field === one || field === other;
}

function columnsIn(rule: Rule): readonly string[] {
  return 'jmespath' in rule ? namesIn(rule.jmespath) : columnsOf(rule);
}
