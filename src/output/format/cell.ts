import type { Column, Row } from '../../core/result.ts';
import { isDecimal, plainDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { visible } from '../../terminal/sanitise.ts';
import { valueAt } from '../select/field-path.ts';

/**
 * An amount, never rounded: thousands grouped, at least two decimals, followed by its currency.
 * `23153.2` with `USD` → `23,153.20 USD`.
 */
export function amountText(digits: string, currency: unknown): string {
  const plain = plainDecimal(digits);
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(plain) ?? [];
  const grouped =
    whole === undefined
      ? plain
      : `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`;
  return typeof currency === 'string' && currency !== '' ? `${grouped} ${currency}` : grouped;
}

/** The text of a table cell: one line, safe for a terminal. Missing and null are empty. */
export function cellText(row: Row, column: Column): string {
  const value = valueAt(row, column.key);
  if (value === undefined || value === null) return '';
  const digits = numberText(value) ?? (typeof value === 'string' ? value.trim() : undefined);
  if (column.kind === 'amount' && digits !== undefined && isDecimal(digits)) {
    return visible(amountText(digits, valueAt(row, 'currency')));
  }
  const number = numberText(value);
  if (number !== undefined) return plainDecimal(number);
  if (Array.isArray(value) && value.every(isPlain)) return visible(value.join(', '));
  if (typeof value === 'object') return visible(JSON.stringify(value));
  return visible(String(value));
}

function isPlain(value: unknown): boolean {
  return ['string', 'boolean'].includes(typeof value);
}

/** Columns for rows without declared columns, in order of first appearance. */
export function columnsOf(rows: readonly Row[], known: readonly Column[] = []): Column[] {
  const seen = new Map<string, boolean>();
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      const fits = value === null || numberText(value) !== undefined;
      seen.set(key, (seen.get(key) ?? true) && fits);
    }
  }
  return [...seen].map(
    ([key, allNumbers]) =>
      known.find((column) => column.key === key) ?? {
        key,
        header: key,
        kind: allNumbers ? 'number' : 'text',
      },
  );
}
