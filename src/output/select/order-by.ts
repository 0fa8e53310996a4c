import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { compareDecimals, isDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import type { Ordering, Sorter } from '../format-loader.ts';
import { decimalOf, isAmountField } from './amount.ts';
import { valueAt } from './field-path.ts';

interface Key {
  readonly field: string;
  readonly sign: 1 | -1;
  readonly numberOf: (value: unknown) => string | undefined;
}

/**
 * With `--limit`, surplus rows are dropped in blocks of this many, because each drop needs a sort.
 */
const SPARE = 1000;

/**
 * Parses `--order-by FIELD[:desc]`, or several separated by commas.
 *
 * @throws ProcError `invalid_usage`
 */
export function orderingBy(text: string): Ordering {
  const keys = text.split(',').map((part) => keyOf(part.trim(), text));
  return {
    fields: keys.map(({ field }) => field),
    sorter: (limit) => new RowSorter(keys, limit),
  };
}

function keyOf(part: string, text: string): Key {
  const [, field = '', direction = 'asc'] = /^(.+?)(?::(asc|desc))?$/.exec(part) ?? [];
  if (field !== '' && !/:\w*$/.test(field)) {
    const numberOf = isAmountField(field) ? decimalOf : decimalNumber;
    return { field, sign: direction === 'desc' ? -1 : 1, numberOf };
  }
  throw new ProcError('invalid_usage', `--order-by ${text}: expected FIELD or FIELD:desc`, {
    hint: 'Use e.g. --order-by amount:desc',
  });
}

class RowSorter implements Sorter {
  readonly #keys: readonly Key[];
  readonly #limit: number;
  readonly #currencies = new Set<string>();
  #rows: Row[] = [];

  constructor(keys: readonly Key[], limit: number) {
    this.#keys = keys;
    this.#limit = limit;
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      if (typeof row.currency === 'string') this.#currencies.add(row.currency);
    }
    if (this.#rows.length > this.#limit + SPARE) this.#rows = this.sorted();
  }

  sorted(): Row[] {
    this.#rows.sort((a, b) => this.#compare(a, b));
    return this.#rows.slice(0, this.#limit);
  }

  notice(): string | undefined {
    const [field] = this.#keys.map((key) => key.field).filter((one) => one === 'amount');
    if (field === undefined || this.#currencies.size < 2) return undefined;
    return `--order-by ${field}: amounts in ${[...this.#currencies].sort().join(', ')} are compared without conversion`;
  }

  #compare(a: Row, b: Row): number {
    for (const key of this.#keys) {
      const order = compareValues(valueAt(a, key.field), valueAt(b, key.field), key);
      if (order !== 0) return order;
    }
    return 0;
  }
}

/** Numbers come before text, and missing values last in both directions. */
function compareValues(a: unknown, b: unknown, { sign, numberOf }: Key): number {
  if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b));
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return sign * compareDecimals(left, right);
  if (left !== undefined || right !== undefined) return left !== undefined ? -1 : 1;
  const [one, other] = [textOf(a), textOf(b)];
  return one === other ? 0 : sign * (one < other ? -1 : 1);
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function decimalNumber(value: unknown): string | undefined {
  const number = numberText(value);
  return number !== undefined && isDecimal(number) ? number : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
