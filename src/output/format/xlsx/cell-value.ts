import type { Column, Row } from '../../../core/result.ts';
import { isDecimal, plainDecimal, survivesDouble } from '../../../core/text/decimal.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { valueAt } from '../../select/field-path.ts';
import { amountText } from '../cell.ts';
import { currencyCode, decimalsOf } from '../currency.ts';
import { serialDate } from './serial-date.ts';

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
  /** Every row needs a value in this column. The header is marked. */
  readonly isRequired?: boolean | undefined;
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
