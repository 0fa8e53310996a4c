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
/** Accepts `3.00`: many exports write every number with decimals. */
const INTEGER = /^[+-]?\d+(?:\.0+)?$/;

/**
 * The text of a string, or of a number exactly as the source has it (`1.10`). Undefined for other values.
 */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : numberText(value);
}

/** `1.000` may mean 1000 or 1. */
const AMBIGUOUS = /^[+-]?\d{1,3}([.,])\d{3}$/;

/**
 * With `--decimal ,`, turns `1.234,5` into `1234.5`. Without `--decimal`, `1.000` is ambiguous and
 * rejected.
 */
export function plainNumber(
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
    const fits = decimalOf(text);
    return fits === undefined
      ? { text }
      : {
          problem: `must be a number like 1234.5, got ${JSON.stringify(text)}; ${decimalHint(fits)}`,
        };
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
 * Which `--decimal` makes the text a number. Undefined if it is a number already, or no number at
 * all.
 */
export function decimalOf(text: string): Decimal | undefined {
  if (NUMBER.test(text)) return undefined;
  return ([',', '.'] as const).find((one) => {
    const plain = plainNumber(text, one).text;
    return plain !== undefined && NUMBER.test(plain);
  });
}

export function decimalHint(decimal: Decimal): string {
  return `if ${decimal === ',' ? 'commas' : 'points'} are decimals, add --decimal ${decimal}`;
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
  const shown = textOf(value);
  if (kind === 'string') {
    return shown === undefined ? { problem: `must be text, got ${show(value)}` } : { value: shown };
  }
  const wanted = kind === 'integer' ? 'a whole number' : 'a number';
  if (shown === undefined) return { problem: `must be ${wanted}, got ${show(value)}` };
  const plain = typeof value === 'string' ? plainNumber(value, decimal) : { text: shown };
  if (plain.text === undefined) return plain;
  const { text } = plain;
  if (!(kind === 'integer' && typeof value === 'string' ? INTEGER : NUMBER).test(text)) {
    return {
      problem: `must be ${wanted} like ${kind === 'integer' ? '12' : '1234.5'}, got ${show(value)}`,
    };
  }
  const number = Number(text);
  if (!survivesDouble(text.replace(/^\+/, ''))) {
    return { problem: `the number ${shown.slice(0, 60)} would be rounded` };
  }
  if (kind === 'integer' && !Number.isSafeInteger(number)) {
    return {
      problem: Number.isInteger(number)
        ? `must be a whole number of at most ${Number.MAX_SAFE_INTEGER}, got ${shown}`
        : `must be ${wanted}, got ${shown}`,
    };
  }
  return { value: number };
}
