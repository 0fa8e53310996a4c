import { isObject } from '../../core/is-object.ts';
import type { Column, Next, Row } from '../../core/result.ts';
import { grouped, isDecimal, plainDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import type { Paint } from '../../terminal/paint.ts';
import { visible } from '../../terminal/sanitise.ts';
import type { TableOptions } from '../format-loader.ts';
import { valueAt } from '../select/field-path.ts';
import { decimalsOf } from './currency.ts';
import { paintStatus } from './status-colour.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** For older times, a date says more than `40 d ago`. */
const RELATIVE_MS = 30 * DAY_MS;

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/;

/**
 * `23153.2` with `USD` → `23,153.20 USD`. Never rounds.
 *
 * @param least the least number of decimals; default: the decimals of the currency
 */
export function amountText(
  digits: string,
  currency: unknown,
  { least = decimalsOf(currency) }: { readonly least?: number } = {},
): string {
  const plain = plainDecimal(digits);
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(plain) ?? [];
  const decimals = fraction.padEnd(least, '0');
  const mark = decimals === '' ? '' : '.';
  const shown = whole === undefined ? plain : `${sign}${grouped(whole)}${mark}${decimals}`;
  return typeof currency === 'string' && currency !== '' ? `${shown} ${currency}` : shown;
}

/**
 * The text of a table cell: one line, safe for a terminal. Missing and null are empty.
 *
 * @param form the form of a time on a terminal
 */
export function cellText(
  row: Row,
  column: Column,
  { width, now }: Pick<TableOptions, 'width' | 'now'> = { width: undefined },
  form: 'short' | 'long' = 'short',
): string {
  const value = valueAt(row, column.key);
  if (value === undefined || value === null) return '';
  if (column.kind === 'date' && width !== undefined && now !== undefined && isTime(value)) {
    return form === 'short' ? shortTime(value, now) : longTime(value, now);
  }
  const digits = numberText(value) ?? (typeof value === 'string' ? value.trim() : undefined);
  if (column.kind === 'amount' && digits !== undefined && isDecimal(digits)) {
    return visible(amountText(digits, valueAt(row, 'currency')));
  }
  const number = numberText(value);
  if (number !== undefined) {
    const plain = plainDecimal(number);
    return column.kind === 'count' && /^\d+$/.test(plain) ? grouped(plain) : plain;
  }
  if (Array.isArray(value) && value.every(isPlain)) return visible(value.join(', '));
  if (Array.isArray(value) && value.every(isNext)) {
    return visible(value.map(({ command }) => command).join('; '));
  }
  if (typeof value === 'object') return visible(JSON.stringify(value));
  return visible(String(value));
}

export function paintCell(text: string, row: Row, { kind }: Column, paint: Paint): string {
  if (kind === 'status') return paintStatus(text, paint);
  return kind === 'environment' && row.protected === true ? paint.red(text) : text;
}

function isNext(value: unknown): value is Next {
  return isObject(value) && typeof value.command === 'string' && typeof value.why === 'string';
}

function isPlain(value: unknown): boolean {
  return ['string', 'boolean'].includes(typeof value);
}

/**
 * A column for each field, in the order of first appearance. A column in `known` is used as it is.
 */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): Column[] {
  const seen = new Map<string, { areNumbers: boolean; areTimes: boolean }>();
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      const { areNumbers, areTimes } = seen.get(key) ?? { areNumbers: true, areTimes: true };
      seen.set(key, {
        areNumbers: areNumbers && (value === null || numberText(value) !== undefined),
        areTimes: areTimes && (value === null || isTime(value)),
      });
    }
  }
  return [...seen].map(
    ([key, { areNumbers, areTimes }]) =>
      known.find((column) => column.key === key) ?? {
        key,
        header: key,
        kind: areNumbers ? 'number' : areTimes ? 'date' : 'text',
      },
  );
}

/** True for text such as `2026-01-31T08:00:00Z`. */
function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value);
}

/**
 * `just now`, `5 min ago`, `3 h ago` or `2 d ago`. Undefined for older times and for future times.
 */
function agoText(time: string, now: number): string | undefined {
  const age = now - Date.parse(time);
  // Clocks of two machines differ, so a time less than a minute ahead counts as now.
  if (!(age > -MINUTE_MS) || age > RELATIVE_MS) return undefined;
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h ago` : `${Math.floor(age / DAY_MS)} d ago`;
}

function shortTime(time: string, now: number): string {
  return agoText(time, now) ?? time.slice(0, 10);
}

/** A time in a record: `2026-01-31T08:00:00Z (3 h ago)`. Older times stand alone. */
function longTime(time: string, now: number): string {
  const ago = agoText(time, now);
  // The time of day of a date says nothing.
  const shown = time.replace(/T00:00:00(\.0+)?Z$/, '');
  return ago === undefined ? shown : `${shown} (${ago})`;
}
