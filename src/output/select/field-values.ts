import type { Row } from '../../core/result.ts';
import { compareDecimals, grouped, isDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import type { ValueTally } from '../format-loader.ts';
import { decimalOf, isAmountField } from './amount.ts';
import { valueAt } from './field-path.ts';

const LISTED = 10;
const COUNTED = 1000;
const EXAMPLES = 3;
const DATE = /^\d{4}-\d{2}-\d{2}(T|$)/;

export class FieldValues implements ValueTally {
  readonly #fields: ReadonlyMap<string, Values>;

  constructor(fields: Iterable<string>) {
    this.#fields = new Map([...fields].map((field) => [field, new Values(isAmountField(field))]));
  }

  add(row: Row): void {
    for (const [field, values] of this.#fields) values.add(valueAt(row, field));
  }

  sentences(): readonly string[] {
    return [...this.#fields].flatMap(([field, values]) => {
      const text = values.text(field);
      return text === undefined ? [] : [text];
    });
  }
}

class Values {
  readonly #counts = new Map<string, number>();
  #isCut = false;
  #without = 0;
  #areNumbers = true;
  #areDates = true;
  #least: string | undefined;
  #most: string | undefined;
  readonly #isAmount: boolean;

  constructor(isAmount: boolean) {
    this.#isAmount = isAmount;
  }

  add(value: unknown): void {
    if (value === undefined || value === null || value === '') {
      this.#without++;
      return;
    }
    const number = this.#isAmount ? decimalOf(value) : numberText(value);
    const text = number ?? (typeof value === 'string' ? value : JSON.stringify(value));
    this.#areNumbers &&= number !== undefined && isDecimal(number);
    this.#areDates &&= number === undefined && DATE.test(text);
    if (this.#areNumbers || this.#areDates) this.#widen(text);
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < COUNTED)
      this.#counts.set(text, (count ?? 0) + 1);
    else this.#isCut = true;
  }

  #widen(text: string): void {
    const compare = this.#areNumbers ? compareDecimals : byText;
    if (this.#least === undefined || compare(text, this.#least) < 0) this.#least = text;
    if (this.#most === undefined || compare(text, this.#most) > 0) this.#most = text;
  }

  text(field: string): string | undefined {
    const { size } = this.#counts;
    if (size === 0) return undefined;
    const missing = `missing (${grouped(this.#without)})`;
    const without = this.#without === 0 ? '' : `, or ${missing}`;
    const are = `the values of "${field}" are`;
    if (size <= LISTED) {
      const also = this.#without === 0 ? '' : `, or is ${missing}`;
      return `the field "${field}" has these values: ${this.#listed()}${also}`;
    }
    if (this.#areNumbers) return `${are} between ${this.#least} and ${this.#most}${without}`;
    if (this.#areDates) {
      return `${are} between ${this.#least!.slice(0, 10)} and ${this.#most!.slice(0, 10)}${without}`;
    }
    const examples = [...this.#counts.keys()].slice(0, EXAMPLES).map(shown);
    const many = this.#isCut ? `more than ${grouped(COUNTED)}` : grouped(size);
    return `the field "${field}" has ${many} different values, e.g. ${examples.join(', ')}${without}`;
  }

  /** The most frequent values first, each with its count. */
  #listed(): string {
    return [...this.#counts]
      .sort(([, a], [, b]) => b - a)
      .map(([value, count]) => `${shown(value)} (${grouped(count)})`)
      .join(', ');
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function shown(value: string): string {
  const text = visible(value);
  return /[,\s]/.test(text) ? JSON.stringify(text) : text;
}
