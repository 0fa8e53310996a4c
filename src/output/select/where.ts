import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { compareDecimals, isDecimal } from '../../core/text/decimal.ts';
import { checkExpression } from '../../core/text/expression.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { valueAt } from './field-path.ts';

const OPERATORS = ['=', '!=', '<', '<=', '>', '>=', '~'] as const;
type Operator = (typeof OPERATORS)[number];

/** One `--where`: a field (dotted path), an operator and the value as typed. */
export interface Condition {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

// Two operators in a row (`>>`, `=>`) are a typo. A value may begin with one after a space.
const CONDITION = /^\s*([^\s=!<>~]+)\s*(==|!=|<=|>=|=|<|>|~)(?![=<>~])\s*(.*?)\s*$/s;
/** The same for the columns of a file, whose names may contain spaces. */
const COLUMN_CONDITION = /^\s*([^=!<>~]*[^\s=!<>~])\s*(==|!=|<=|>=|=|<|>|~)(?![=<>~])\s*(.*?)\s*$/s;

/** Parses `--where` conditions. Throws `invalid_usage` with the invalid one. */
export function parseWhere(
  texts: readonly string[],
  of: 'fields' | 'columns' = 'fields',
): Condition[] {
  const form = of === 'columns' ? COLUMN_CONDITION : CONDITION;
  return texts.map((text) => {
    checkExpression(text, '--where');
    const [, field = '', operator = '', value = ''] = form.exec(text) ?? [];
    if (operator === '==') {
      throw new ProcError('invalid_usage', `--where '${text}': the operator is = and not ==`, {
        hint: `Use --where '${field}=${value}'`,
      });
    }
    if (!(OPERATORS as readonly string[]).includes(operator)) {
      throw new ProcError(
        'invalid_usage',
        `--where '${text}' is not a condition: expected FIELD, an operator (${OPERATORS.join(' ')}) and a value`,
        {
          hint: "Use e.g. --where 'amount>=50000', in quotes because the shell interprets < and >",
        },
      );
    }
    return { field, operator: operator as Operator, value };
  });
}

/** True if the row meets every condition. */
export function matches(row: Row, conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => meets(valueAt(row, condition.field), condition));
}

/** True if a value meets a condition. */
export function meets(value: unknown, { operator, value: wanted }: Condition): boolean {
  // Missing and null count as equal to the empty string and to nothing else.
  if (value === undefined || value === null) {
    return operator === '=' ? wanted === '' : operator === '!=' && wanted !== '';
  }
  const number = numberText(value);
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
 * Numbers are compared as exact decimals, and never with words. Strings are compared as strings, so
 * that the code `00042` is not `42`.
 */
function compare(text: string, wanted: string, isNumber: boolean): number | undefined {
  if (isNumber) return isDecimal(wanted) ? compareDecimals(text, wanted) : undefined;
  if (text === wanted) return 0;
  return text < wanted ? -1 : 1;
}
