import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { compareDecimals, eitherNumber, isDecimal, readNumber } from '../../core/text/decimal.ts';
import { checkExpression } from '../../core/text/expression.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { decimalOf, isAmountField } from './amount.ts';
import { valueAt } from './field-path.ts';

const OPERATORS = ['=', '!=', '<', '<=', '>', '>=', '~'] as const;
type Operator = (typeof OPERATORS)[number] | 'in';

/** One `--where`: a field (dotted path), an operator and the value as typed. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
  readonly values: readonly string[];
  /** The field is an amount, whose text compares as a number. */
  readonly isAmount?: boolean;
  readonly flag?: string;
}

// Two operators in a row (`>>`, `=>`) are a typo. A value may begin with an operator only after a space.
const CONDITION = /^\s*([^\s=!<>~]+)\s*(==|!=|<=|>=|=|<|>|~)(?![=<>~])\s*(.*?)\s*$/s;
/** As `CONDITION`, for the columns of a file, whose names may contain spaces. */
const COLUMN_CONDITION = /^\s*([^=!<>~]*[^\s=!<>~])\s*(==|!=|<=|>=|=|<|>|~)(?![=<>~])\s*(.*?)\s*$/s;
const IN = /^\s*([^\s=!<>~]+)\s+in\s+(\S.*?)\s*$/s;
const COLUMN_IN = /^\s*(\S|\S.*\S)\s+in\s+(\S.*?)\s*$/s;

/** @throws ProcError `invalid_usage` with the invalid condition */
export function parseWhere(
  texts: readonly string[],
  of: 'fields' | 'columns' = 'fields',
  flag = '--where',
): Condition[] {
  const isFile = of === 'columns';
  const form = isFile ? COLUMN_CONDITION : CONDITION;
  return texts.map((text): Condition => {
    checkExpression(text, flag);
    const found = form.exec(text);
    const [, ofField, list] = (found === null && (isFile ? COLUMN_IN : IN).exec(text)) || [];
    if (ofField !== undefined && list !== undefined) {
      const isAmount = !isFile && isAmountField(ofField);
      const values = valuesIn(list);
      const condition = { field: ofField, operator: 'in', value: list, values, flag } as const;
      if (isAmount) refuseAmbiguous(condition);
      return { ...condition, isAmount };
    }
    const [, field = '', operator = '', value = ''] = found ?? [];
    if (operator === '==') {
      throw new ProcError('invalid_usage', `${flag} '${text}': the operator is = and not ==`, {
        hint: `Use ${flag} '${field}=${value}'`,
      });
    }
    if (!(OPERATORS as readonly string[]).includes(operator)) {
      throw new ProcError(
        'invalid_usage',
        `${flag} '${text}' is not a condition: expected FIELD, an operator (${OPERATORS.join(' ')} in) and a value`,
        {
          hint: `Use e.g. ${flag} 'amount>=50000', in quotes because the shell interprets < and >`,
        },
      );
    }
    const isAmount = !isFile && isAmountField(field);
    const condition = { field, operator: operator as Operator, value, values: [], flag };
    // Cells of a file are text, and compared as numbers only by these operators.
    if (isAmount || (isFile && /^[<>]/.test(operator))) refuseAmbiguous(condition);
    return { ...condition, isAmount };
  });
}

/** Values are separated by commas. A value that contains a comma is quoted: `a,b,"c, d"`. */
export function valuesIn(list: string): readonly string[] {
  return [...list.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)]
    .map(([, quoted, plain = '']) => quoted ?? plain.trim())
    .filter((value, at, all) => value !== '' || at < all.length - 1);
}

/** @throws ProcError `invalid_usage` if `<` or `>` compares a number with a word, or with an ambiguous number */
export function matches(row: Row, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => {
    const value = valueAt(row, condition.field);
    refuseUnordered(value, condition);
    return meets(value, condition);
  });
}

/** @throws ProcError `invalid_usage` for `amount>50.000`, which may be 50000 or 50 */
function refuseAmbiguous({ field, operator, value, values, flag }: Condition): void {
  if (operator === '~') return;
  for (const text of operator === 'in' ? values : [value]) {
    const reading = readNumber(text);
    if (reading.kind !== 'ambiguous') continue;
    const space = operator === 'in' ? ' in ' : operator;
    throw new ProcError(
      'invalid_usage',
      `${flag} '${field}${space}${value}': ${text} ${eitherNumber(reading)}`,
      {
        hint: `Write ${flag} '${field}${space}${value.replace(text, reading.grouped)}' or ${flag} '${field}${space}${value.replace(text, reading.divided)}'`,
      },
    );
  }
}

/** Without this error, a misspelt number (`amount>10OO`) would look like a filter that no row meets. */
function refuseUnordered(
  value: unknown,
  { field, operator, value: wanted, flag = '--where', isAmount }: Condition,
): void {
  if (!/^[<>]/.test(operator)) return;
  const number = isAmount ? decimalOf(value) : numberText(value);
  if (isDecimal(wanted)) {
    if (isAmount && number === undefined && typeof value === 'string' && value.trim() !== '') {
      throw new ProcError(
        'invalid_usage',
        `${flag} '${field}${operator}${wanted}': ${field} is ${JSON.stringify(value)} in a row, expected a number`,
        { hint: `Exclude such rows first: add ${flag} '${field}!=${value}' before this condition` },
      );
    }
    return;
  }
  if (number === undefined) return;
  throw new ProcError(
    'invalid_usage',
    `${flag} '${field}${operator}${wanted}': ${field} is a number, but the condition has ${JSON.stringify(wanted)}`,
    { hint: `Use a number without separators, e.g. ${flag} '${field}${operator}1000'` },
  );
}

export function meets(value: unknown, condition: Condition): boolean {
  const { operator, value: wanted } = condition;
  if (operator === 'in') {
    return condition.values.some((one) =>
      meets(value, { ...condition, operator: '=', value: one }),
    );
  }
  // Missing and null equal only the empty text.
  if (value === undefined || value === null) {
    return operator === '=' ? wanted === '' : operator === '!=' && wanted !== '';
  }
  const { isAmount } = condition;
  const number = isAmount && isDecimal(wanted) ? decimalOf(value) : numberText(value);
  if (number !== undefined && condition.flag !== undefined) refuseAmbiguous(condition);
  // An empty amount is neither more nor less than a number.
  if (isAmount && number === undefined && /^[<>]/.test(operator) && isDecimal(wanted)) return false;
  const text = number ?? (typeof value === 'object' ? JSON.stringify(value) : String(value));
  if (operator === '~') return text.toLowerCase().includes(wanted.toLowerCase());
  const order = compare(text, wanted, number !== undefined);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order !== undefined && order < 0;
    case '<=':
      return order !== undefined && order <= 0;
    case '>':
      return order !== undefined && order > 0;
    case '>=':
      return order !== undefined && order >= 0;
  }
}

/**
 * Numbers and amounts are compared as exact decimals, and never with words. Other text is compared as text: the
 * code `00042` is not `42`.
 */
function compare(text: string, wanted: string, isNumber: boolean): number | undefined {
  if (isNumber) return isDecimal(wanted) ? compareDecimals(text, wanted) : undefined;
  if (text === wanted) return 0;
  return text < wanted ? -1 : 1;
}
