import { isDecimal } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';

/** Some services send these fields as text, to keep all digits. */
export function isAmountField(field: string): boolean {
  return /(amount|quantity|price|total)$/i.test(field);
}

/** The decimal of a number, or of text such as `"987.00"`. Undefined for other values. */
export function decimalOf(value: unknown): string | undefined {
  const text = numberText(value) ?? (typeof value === 'string' ? value.trim() : undefined);
  return text !== undefined && isDecimal(text) ? text : undefined;
}
