import { DialogueError } from '../../../core/errors.ts';
import type { Row } from '../../../core/result.ts';
import {
  compareDecimals,
  type DecimalMark,
  eitherNumber,
  isDecimal,
  readNumber,
} from '../../../core/text/decimal.ts';
import { valueAt } from '../../../output/select/field-path.ts';
import { type Condition, meets, parseWhere } from '../../../output/select/where.ts';
import { noSuchColumn } from '../../map/column-named.ts';
import { decimalOf, plainNumber } from '../../map/convert.ts';
import type { MappedRow, Source } from '../../source/record.ts';
import type { RowStep } from '../row-step.ts';

/** The conditions of `--where` name columns of the source, before mapping. */
export const where: RowStep = {
  begin({ header: { choices }, source, mapping: { decimal } }) {
    const conditions = checkWhere(choices.where, source);
    if (conditions.length === 0) return undefined;
    const isKept = (row: MappedRow): boolean => {
      try {
        return areMet(conditions, row, decimal);
      } catch (thrown) {
        // E.g. the label of a total in a column of numbers.
        if (row.isNotData === true) return true;
        throw thrown;
      }
    };
    return {
      apply(row) {
        // An unreadable record is never filtered: it is rejected.
        if (row.isUnread === true || isKept(row)) return row;
        const { row: number, line } = row;
        return { row: number, line, fields: undefined, body: undefined, isFiltered: true };
      },
    };
  },
};

export function checkWhere(
  where: readonly string[] | undefined,
  { columns, name }: Pick<Source, 'columns' | 'name'>,
): readonly Condition[] {
  if (where === undefined || where.length === 0) return [];
  const conditions = parseWhere(where, 'columns');
  for (const { field } of conditions) checkColumn(field, columns, name);
  return conditions;
}

function areMet(
  conditions: readonly Condition[],
  { fields, row }: MappedRow,
  decimal: DecimalMark | undefined,
): boolean {
  return conditions.every((condition) =>
    isMet(valueAt(fields as Row, condition.field), condition, row, decimal),
  );
}

function checkColumn(field: string, columns: readonly string[], name: string): void {
  const [first = field] = field.split('.', 1);
  if (columns.includes(field) || columns.includes(first)) return;
  throw noSuchColumn('--where', field, { columns, name });
}

/**
 * Like {@link meets}, but a condition such as `qty>10` compares text as numbers. An empty cell
 * never matches such a condition.
 *
 * @param decimal the decimal separator of the file; the condition itself always has a point
 * @throws ProcError `invalid_input` for a cell that is neither empty nor a number
 */
function isMet(
  value: unknown,
  condition: Condition,
  row: number,
  decimal: DecimalMark | undefined,
): boolean {
  const { field, operator, value: wanted } = condition;
  const cell = typeof value === 'string' ? value.trim() : value;
  if (typeof cell !== 'string' || !/^[<>]/.test(operator) || !isDecimal(wanted)) {
    return meets(cell, condition);
  }
  if (cell === '') return false;
  const reading = readNumber(cell, decimal);
  const number = plainNumber(cell, decimal).text;
  if (number === undefined || !isDecimal(number)) {
    const isAmbiguous = reading.kind === 'ambiguous';
    const expected = isAmbiguous ? `which ${eitherNumber(reading)}` : 'expected a number';
    const at = `--where '${field}${operator}${wanted}'`;
    const exclude = `--where '${field}!=${cell}'`;
    const shown = JSON.stringify(cell);
    const mark = decimalOf(cell) ?? ',';
    const isMarked = decimal === undefined && (isAmbiguous || decimalOf(cell) !== undefined);
    throw new DialogueError(
      'invalid_input',
      {
        en: `${at}: row ${row} has ${shown} in this column, ${expected}; nothing was sent`,
        es: `${at}: la fila ${row} tiene ${shown} en esta columna, ${isAmbiguous ? 'que se puede leer de dos maneras' : 'y se esperaba un número'}; no se envió nada`,
      },
      {
        hint: {
          en: `${isMarked ? `Choose the decimal separator, e.g. --decimal ${mark}. Or exclude` : 'Exclude'} such rows first: add ${exclude} before this condition`,
          es: `${isMarked ? `Elija el separador decimal, por ejemplo --decimal ${mark}. O excluya` : 'Excluya'} antes esas filas: agregue ${exclude} antes de esta condición`,
        },
      },
    );
  }
  const order = compareDecimals(number, wanted);
  return operator.startsWith('<')
    ? order < 0 || (operator === '<=' && order === 0)
    : order > 0 || (operator === '>=' && order === 0);
}
