import { survivesDouble } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { show } from '../../core/validate.ts';
import type { ImportField } from '../targets/target-fields.ts';
import type { Decimal } from './mapping.ts';

export interface Converted {
  readonly value?: unknown;
  readonly problem?: string;
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;

/**
 * The text of a string, or of a number exactly as the source has it (`1.10`). Undefined for other values.
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : numberText(value);
}

/** A single group of three digits after a separator: 1.000 may mean 1000 or 1. */
const AMBIGUOUS = /^[+-]?\d{1,3}([.,])\d{3}$/;

/**
 * Normalizes a number: a decimal point, and no thousands separators. Without --decimal, `1.000` is
 * ambiguous and is rejected.
 */
function plainNumber(
  text: string,
  decimal: Decimal | undefined,
): { readonly text?: string; readonly problem?: string } {
  if (decimal === undefined) {
    // 0.125 is not ambiguous: no grouped number begins with zero.
    const [, mark] = /^[+-]?0/.test(text) ? [] : (AMBIGUOUS.exec(text) ?? []);
    if (mark !== undefined) {
      return {
        problem: `${JSON.stringify(text)} may mean ${text.replace(mark, '')} or ${text.replace(mark, '.').replace(/\.?0+$/, '')}; choose with --decimal , or --decimal .`,
      };
    }
    return /^[+-]?\d+,\d+$/.test(text)
      ? {
          problem: `must be a number like 1234.5, got ${JSON.stringify(text)}; if commas are decimals, add --decimal ,`,
        }
      : { text };
  }
  const thousands = decimal === ',' ? '.' : ',';
  const [whole = '', ...fraction] = text.split(decimal);
  if (!text.includes(thousands) && fraction.length <= 1) {
    return { text: text.replace(decimal, '.') };
  }
  const groups = whole.split(thousands);
  const isGrouped =
    fraction.length <= 1 &&
    /^[+-]?[1-9]\d{0,2}$/.test(groups[0] ?? '') &&
    groups.slice(1).every((group) => /^\d{3}$/.test(group)) &&
    fraction.every((digits) => /^\d+$/.test(digits));
  if (!isGrouped) {
    return {
      problem: `must be a number like ${decimal === ',' ? '1.234,5' : '1,234.5'} (--decimal ${decimal}), got ${JSON.stringify(text)}`,
    };
  }
  return { text: [groups.join(''), ...fraction].join('.') };
}

/**
 * Converts a value to the type of its field. Text is already trimmed; a number in a text field
 * keeps its digits.
 */
export function convert(
  value: unknown,
  kind: ImportField['kind'],
  decimal?: Decimal | undefined,
): Converted {
  if (kind === 'any') return { value };
  const text = textOf(value);
  if (kind !== 'string' && typeof value === 'string') {
    const plain = plainNumber(value, decimal);
    if (plain.problem !== undefined) return plain;
    if (plain.text !== value) return convert(plain.text, kind, '.');
  }
  if (kind === 'string') {
    return text === undefined ? { problem: `must be text, got ${show(value)}` } : { value: text };
  }
  const wanted = kind === 'integer' ? 'a whole number' : 'a number';
  if (text === undefined) return { problem: `must be ${wanted}, got ${show(value)}` };
  if (!(kind === 'integer' && typeof value === 'string' ? INTEGER : NUMBER).test(text)) {
    return {
      problem: `must be ${wanted} like ${kind === 'integer' ? '12' : '1234.5'}, got ${show(value)}`,
    };
  }
  const number = Number(text);
  if (!survivesDouble(text.replace(/^\+/, ''))) {
    return { problem: `the number ${text.slice(0, 60)} would be rounded` };
  }
  if (kind === 'integer' && !Number.isSafeInteger(number)) {
    return {
      problem: Number.isInteger(number)
        ? `must be a whole number of at most ${Number.MAX_SAFE_INTEGER}, got ${text}`
        : `must be ${wanted}, got ${text}`,
    };
  }
  return { value: number };
}
