import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { compareDecimals, isDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import type { Ordering, Sorter } from '../format-loader.ts';
import { valueAt } from './field-path.ts';

interface Key {
  readonly field: string;
  readonly sign: 1 | -1;
}

/** With `--limit`, surplus rows are dropped only once there are this many, because dropping them needs a sort. */
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
  if (field !== '' && !/:\w*$/.test(field)) return { field, sign: direction === 'desc' ? -1 : 1 };
  throw new ProcError('invalid_usage', `--order-by ${text}: expected FIELD or FIELD:desc`, {
    hint: 'Use e.g. --order-by amount:desc',
  });
}

/** Sorts rows, and drops rows that will not be printed. */
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
    for (const { field, sign } of this.#keys) {
      const order = compareValues(valueAt(a, field), valueAt(b, field), sign);
      if (order !== 0) return order;
    }
    return 0;
  }
}

/** Numbers come before text, and missing values last in both directions. */
function compareValues(a: unknown, b: unknown, sign: 1 | -1): number {
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left === 'none' || right === 'none')
    return Number(left === 'none') - Number(right === 'none');
  if (left !== right) return left === 'number' ? -1 : 1;
  if (left === 'number') return sign * compareDecimals(numberText(a)!, numberText(b)!);
  const [one, other] = [textOf(a), textOf(b)];
  return one === other ? 0 : sign * (one < other ? -1 : 1);
}

function kindOf(value: unknown): 'none' | 'number' | 'text' {
  if (value === undefined || value === null || value === '') return 'none';
  const number = numberText(value);
  return number !== undefined && isDecimal(number) ? 'number' : 'text';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
