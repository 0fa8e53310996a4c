import { ProcError } from '../../../core/errors.ts';
import { compareDecimals, isDecimal } from '../../../core/text/decimal.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { valueAt } from '../../../output/select/field-path.ts';
import { type Condition, meets, parseWhere } from '../../../output/select/where.ts';
import type { Source, SourceRecord } from '../../source/record.ts';

/** Columns that a hint names. */
const NAMED = 20;

/** True for the records that an import is about. */
export type SourceFilter = (record: SourceRecord) => boolean;

/**
 * `--where` of an import: by the source's own columns, before they are mapped.
 *
 * @throws ProcError `invalid_usage` where there is no such column
 */
export function sourceFilter(
  where: readonly string[] | undefined,
  { columns, name }: Pick<Source, 'columns' | 'name'>,
): SourceFilter | undefined {
  if (where === undefined || where.length === 0) return undefined;
  const conditions = parseWhere(where, 'columns');
  for (const { field } of conditions) checkColumn(field, columns, name);
  // A record that cannot be read is rejected, whatever it may hold.
  return ({ fields, row }) =>
    fields === undefined ||
    conditions.every((condition) => isMet(valueAt(fields, condition.field), condition, row));
}

function checkColumn(field: string, columns: readonly string[], name: string): void {
  const [first = field] = field.split('.', 1);
  if (columns.includes(field) || columns.includes(first)) return;
  const near = nearest(field, columns);
  throw new ProcError('invalid_usage', `--where ${field}: ${name} has no such column`, {
    hint:
      near === undefined
        ? `Columns: ${columns.slice(0, NAMED).join(', ')}`
        : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** Cells of a file are text: against a number they are compared as numbers, or not at all. */
function isMet(value: unknown, condition: Condition, row: number): boolean {
  const { field, operator, value: wanted } = condition;
  const cell = typeof value === 'string' ? value.trim() : value;
  if (typeof cell !== 'string' || !/^[<>]/.test(operator) || !isDecimal(wanted)) {
    return meets(cell, condition);
  }
  if (cell === '') return false;
  if (!isDecimal(cell)) {
    throw new ProcError(
      'invalid_input',
      `--where '${field}${operator}${wanted}': row ${row} has ${JSON.stringify(cell)} there, which is not a number; nothing was sent`,
      { hint: `Leave such rows out first: --where '${field}!=${cell}' before this condition` },
    );
  }
  const order = compareDecimals(cell, wanted);
  return operator.startsWith('<')
    ? order < 0 || (operator === '<=' && order === 0)
    : order > 0 || (operator === '>=' && order === 0);
}
