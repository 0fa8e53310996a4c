import { isObject } from '../core/json.ts';
import { grouped, isDecimal, isRawNumber, numberText, plainDecimal } from '../core/numbers.ts';
import type { Column, Next, Row } from '../core/result.ts';
import { visible } from '../terminal/sanitise.ts';

/**
 * The value at a dotted path such as `address.city` or `groups.0.name`. A field whose name is the
 * whole path wins.
 */
export function valueAt(row: Row, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  let value: unknown = row;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Row)[key];
  }
  return value;
}

/** The selected fields, in the given order, each named by its path. Leaves out missing fields. */
export function pick(row: Row, paths: readonly string[]): Row {
  const picked: Record<string, unknown> = {};
  for (const path of paths) {
    const value = valueAt(row, path);
    // defineProperty, because a field may be named __proto__.
    if (value !== undefined) {
      Object.defineProperty(picked, path, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return picked;
}

/** Some services send these fields as text, to keep all digits. */
export function isAmountField(field: string): boolean {
  return /(amount|quantity|price|total)$/i.test(field);
}

/** The decimal of a number, or of text such as `"987.00"`. Undefined for other values. */
export function decimalOf(value: unknown): string | undefined {
  const text = numberText(value) ?? (typeof value === 'string' ? value.trim() : undefined);
  return text !== undefined && isDecimal(text) ? text : undefined;
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})[\d:.]*(Z|[+-]\d{2}:?\d{2})$/;

const decimals = new Map<string, number>();

/** 2 for `USD`, 0 for `JPY`, 3 for `KWD`; 2 for anything that is no currency. */
function decimalsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  let found = decimals.get(currency);
  if (found === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    found = format.resolvedOptions().maximumFractionDigits ?? 2;
    decimals.set(currency, found);
  }
  return found;
}

/** `23153.2` with `USD` → `23,153.20 USD`. Never rounds. */
export function amountText(digits: string, currency: unknown): string {
  const unit = typeof currency === 'string' ? currency : '';
  const plain = plainDecimal(digits);
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(plain) ?? [];
  const shown = fraction.padEnd(decimalsOf(unit), '0');
  const number =
    whole === undefined ? plain : `${sign}${grouped(whole)}${shown === '' ? '' : `.${shown}`}`;
  return unit === '' ? number : `${number} ${unit}`;
}

/** The text of a table cell: one line, safe for a terminal. Missing and null are empty. */
export function cellText(row: Row, { key, kind }: Pick<Column, 'key' | 'kind'>): string {
  const value = valueAt(row, key);
  if (value === undefined || value === null) return '';
  const number = numberText(value);
  const digits = number ?? (typeof value === 'string' ? value.trim() : undefined);
  if (kind === 'amount' && digits !== undefined && isDecimal(digits)) {
    return visible(amountText(digits, valueAt(row, 'currency')));
  }
  if (number !== undefined) {
    const plain = plainDecimal(number);
    return kind === 'count' && /^\d+$/.test(plain) ? grouped(plain) : plain;
  }
  if (typeof value === 'string') return visible(timeText(value));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((one) => ['string', 'boolean'].includes(typeof one))) {
    return visible(value.join(', '));
  }
  if (Array.isArray(value) && value.every(isNext)) {
    return visible(value.map(({ command }) => command).join('; '));
  }
  return visible(JSON.stringify(value));
}

/** `2026-01-31T08:15:22.120Z` → `2026-01-31 08:15Z`; a midnight is a date. */
function timeText(text: string): string {
  const [, day, time, zone = ''] = TIME.exec(text) ?? [];
  if (day === undefined) return text;
  return time === '00:00' && zone === 'Z' ? day : `${day} ${time}${zone}`;
}

function isNext(value: unknown): value is Next {
  return isObject(value) && typeof value.command === 'string' && typeof value.why === 'string';
}

/** A column for each field, in the order of first appearance. A column in `known` is used as it is. */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): Column[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  const isNumeric = (key: string) =>
    rows.every((row) => (row[key] ?? null) === null || numberText(row[key]) !== undefined);
  return [...keys].map(
    (key) =>
      known.find((column) => column.key === key) ?? {
        ...{ key, header: key, kind: isNumeric(key) ? 'number' : 'text' },
      },
  );
}
