import type { Row } from '../core/result.ts';
import { isDecimal } from '../core/text/decimal.ts';
import { isRawNumber, numberText } from '../core/text/raw-number.ts';

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
