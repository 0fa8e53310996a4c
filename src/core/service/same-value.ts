import { compareDecimals, isDecimal } from '../text/decimal.ts';
import { numberText } from '../text/raw-number.ts';

/**
 * What a field holds. It decides which differences are harmless.
 *
 * - `id`: a reference to a record
 * - `code`: identifies a record for people
 * - `number`: amounts and quantities
 * - `word`: one of a few words, e.g. a currency
 * - `other`: anything else
 */
export type ValueKind = 'id' | 'code' | 'number' | 'word' | 'other';

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Whether two JSON values mean the same. Null, an empty text and a missing value are the same. 100, 100.00, 1e2 and
 * "100" are one number, because neither JSON nor databases keep trailing zeros; in a free field, two texts such as `007`
 * and `7` are none. One moment has many spellings. Words and hexadecimal ids are spelled in any case.
 */
export function isSameValue(sent: unknown, stored: unknown, kind: ValueKind = 'other'): boolean {
  const [left, right] = [valueText(sent), valueText(stored)];
  if (left === right) return true;
  if (kind === 'word' || kind === 'id') return left.toLowerCase() === right.toLowerCase();
  if (kind === 'code') return false;
  const hasNumber = numberText(sent) !== undefined || numberText(stored) !== undefined;
  if (isDecimal(left) && isDecimal(right) && (kind === 'number' || hasNumber))
    return compareDecimals(left, right) === 0;
  return (
    kind === 'other' &&
    TIME.test(left) &&
    TIME.test(right) &&
    Date.parse(left) === Date.parse(right)
  );
}

/** A value as text, with all digits of a number; empty if it is missing or null. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * An id of the service: a text that is not blank and has no NUL or incomplete character, or a number other than 0, with
 * all its digits. Undefined for anything else.
 */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string')
    return id.trim() === '' || id.includes('\0') || !id.isWellFormed() ? undefined : id;
  const number = numberText(id);
  return number === undefined || Number(number) === 0 ? undefined : number;
}
