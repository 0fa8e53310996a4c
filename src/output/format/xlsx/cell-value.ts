import type { Column, Row } from '../../../core/result.ts';
import { isDecimal, plainDecimal, survivesDouble } from '../../../core/text/decimal.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { valueAt } from '../../select/field-path.ts';
import { amountText } from '../cell.ts';
import { currencyCode, decimalsOf } from '../currency.ts';

export type CellValue =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'boolean'; readonly value: boolean; readonly shown: string }
  | {
      readonly type: 'number';
      readonly number: number;
      /** The number format; undefined for the general format. */
      readonly format: string | undefined;
      readonly shown: string;
    };

/** Digits that a spreadsheet keeps. A number with more digits becomes text, so that no digit is lost. */
const SPREADSHEET_DIGITS = 15;

/** Fields that identify something are always text, even if the service sends a number. */
const IDENTIFIER = /^(?:code|id|key|reference)$|(?:Id|Code|Key)$/;

/** `field` is a path. */
export interface SheetColumn {
  readonly field: string;
  readonly kind: Column['kind'];
  readonly isIdentifier: boolean;
  /**
   * If set, text that proc writes stays text. Cells that a person fills in later are numbers
   * (`number`) or text (`text`).
   */
  readonly own?: 'text' | 'number' | undefined;
  /** The text in the first row (default: the field). */
  readonly header?: string | undefined;
}

export function sheetColumn(field: string, known: readonly Column[]): SheetColumn {
  const column = known.find(({ key, kind }) => key === field && kind !== 'bar');
  const name = field.slice(field.lastIndexOf('.') + 1);
  return { field, kind: column?.kind, isIdentifier: IDENTIFIER.test(name) };
}

/**
 * Text becomes a number only in a column of amounts. Text becomes a date only in a field that is named
 * like a date.
 */
export function cellValue(
  row: Row,
  { field, kind, isIdentifier, own }: SheetColumn,
): CellValue | undefined {
  const value = valueAt(row, field);
  if (value === undefined || value === null || value === '') return undefined;
  const digits = numberText(value);
  if (digits !== undefined) {
    if (isIdentifier) return text(digits);
    return kind === 'amount' ? amount(digits, row) : number(digits);
  }
  if (typeof value === 'boolean')
    return { type: 'boolean', value, shown: value ? 'TRUE' : 'FALSE' };
  if (typeof value !== 'string') return text(JSON.stringify(value));
  if (own !== undefined) return text(value);
  if (kind === 'amount' && isDecimal(value.trim())) return amount(value.trim(), row, value);
  const date = serialDate(field, value);
  return date === undefined ? text(value) : { type: 'number', ...date, shown: date.format };
}

function text(of: string): CellValue {
  return { type: 'text', text: of };
}

function isKept(digits: string): boolean {
  const significant = digits
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');
  return significant.length <= SPREADSHEET_DIGITS && survivesDouble(digits);
}

function number(digits: string): CellValue {
  if (!isKept(digits)) return text(plainDecimal(digits));
  return { type: 'number', number: Number(digits), format: undefined, shown: digits };
}

function amount(digits: string, row: Row, written = digits): CellValue {
  if (!isKept(digits)) return text(written);
  const currency = valueAt(row, 'currency');
  const code = currencyCode(currency);
  const [, fraction = ''] = plainDecimal(digits)
    .replace(/(\.\d*?)0+$/, '$1')
    .split('.');
  return {
    type: 'number',
    number: Number(digits),
    format: amountFormat(code, fraction.length),
    shown: amountText(digits, currency),
  };
}

const formats = new Map<string, string>();

/** Has the decimals of the currency, or more if the amount has more: an amount is never rounded. */
function amountFormat(currency: string | undefined, needed: number): string {
  const key = `${currency} ${needed}`;
  let format = formats.get(key);
  if (format === undefined) {
    const decimals = Math.max(needed, decimalsOf(currency));
    const places = decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`;
    format = currency === undefined ? places : `[$${currency}] ${places}`;
    formats.set(key, format);
  }
  return format;
}

/** Fields that hold a point in time: `createdAt`, `dueDate`, `delivery.at`. In other fields a date is only text. */
const NAMED = /(?:^|\.)(?:at|date)$|(?:At|Date)$/;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(?:Z|[+-]00:00)?)?$/;

const MS_OF_DAY = 86_400_000;
/**
 * Spreadsheets count days from here, and wrongly include 29 February 1900. So dates before `FIRST`
 * stay text.
 */
const DAY_0 = Date.UTC(1899, 11, 30);
const FIRST = Date.UTC(1900, 2, 1);

/**
 * A date in UTC as the number of a spreadsheet. Undefined for other text, for fields without dates,
 * for dates before `FIRST`, and for times with an offset other than zero.
 */
function serialDate(
  field: string,
  text: string,
): { readonly number: number; readonly format: string } | undefined {
  if (!NAMED.test(field)) return undefined;
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = ''] = match;
  const ms = Number(fraction.padEnd(3, '0'));
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const time =
    hour === undefined
      ? 0
      : Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1000 + ms;
  // Refuses dates and times that do not exist, such as 31 February.
  if (new Date(date).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  if (time >= MS_OF_DAY || Number(minute ?? 0) > 59 || Number(second) > 59) return undefined;
  if (date < FIRST) return undefined;
  const format = hour === undefined ? 'yyyy-mm-dd' : `yyyy-mm-dd hh:mm:ss${ms === 0 ? '' : '.000'}`;
  return { number: (date + time - DAY_0) / MS_OF_DAY, format };
}
