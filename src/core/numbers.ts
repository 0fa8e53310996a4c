/** A number with its exact text (`JSON.rawJSON`), for numbers that a double would round. */
export interface RawNumber {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};

export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** A number as text, with all digits of a raw number. Undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** The text of a string, or of a number exactly as the source has it (`1.10`). Undefined for other values. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : numberText(value);
}

/** Exactly `units ÷ 10^scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** True for `12`, `-12.50`, `1e3`. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

function parseDecimal(text: string): Decimal {
  const [, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text)!;
  const scale = fraction.length - Number(power);
  const units = BigInt(whole.replace('+', '') + fraction);
  return scale < 0 ? { units: scaledBy(units, -scale), scale: 0 } : { units, scale };
}

function scaledBy(units: bigint, power: number): bigint {
  return units * 10n ** BigInt(power);
}

/** For `sort`, without rounding. Both texts must be decimals. */
export function compareDecimals(a: string, b: string): number {
  const [left, right] = [parseDecimal(a), parseDecimal(b)];
  const difference = scaledBy(left.units, right.scale) - scaledBy(right.units, left.scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

function decimalText({ units, scale }: Decimal): string {
  const digits = String(units)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(whole.length).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A number with more digits before or behind the point keeps its exponent. */
const LONGEST = 40;

/** Without an exponent if the plain form is readable: `1e+21` → `1000000000000000000000`. */
export function plainDecimal(text: string): string {
  if (!/[eE]/.test(text) || !isDecimal(text)) return text;
  const plain = decimalText(parseDecimal(text));
  return plain.length > LONGEST ? text : plain;
}

/** Whether a double keeps all digits of this JSON number: `0.1` yes, `12345678901234567890.12` no. */
export function survivesDouble(source: string): boolean {
  const value = String(Number(source));
  return (
    value === source ||
    (isDecimal(value) && isDecimal(source) && compareDecimals(source, value) === 0)
  );
}

/** The exact sum of texts that {@link isDecimal} accepts, as a decimal literal: 0.1 + 0.2 is `0.3`. */
export function sumDecimals(texts: Iterable<string>): string {
  let sum: Decimal = { units: 0n, scale: 0 };
  for (const text of texts) {
    const { units, scale } = parseDecimal(text);
    const most = Math.max(scale, sum.scale);
    sum = {
      units: scaledBy(sum.units, most - sum.scale) + scaledBy(units, most - scale),
      scale: most,
    };
  }
  return decimalText(sum);
}

/** A number if a double keeps all digits of the decimal, otherwise raw JSON. */
export function exactNumber(text: string): unknown {
  return survivesDouble(text) ? Number(text) : rawNumber(text);
}

/** `12345` → `12,345`. */
export function grouped(count: number | string): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The mark before the fraction; the other one groups thousands. */
export type DecimalMark = ',' | '.';

export type NumberReading =
  /**
   * `text` has a point and no groups: `1234.5`. `mark`: the only decimal mark with which the text is this number.
   * Absent where both are: `12`.
   */
  | { readonly kind: 'number'; readonly text: string; readonly mark?: DecimalMark }
  /** `12.345` is `grouped` (12345) or `divided` (12.3450): two spellings that only one number has. */
  | { readonly kind: 'ambiguous'; readonly grouped: string; readonly divided: string }
  | { readonly kind: 'none' };

const PLAIN = /^[+-]?\d+(?:[eE][+-]?\d+)?$/;
/** No grouped number begins with a zero, so `0.125` is not ambiguous. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
const FORMS = {
  '.': /^[+-]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$|^[+-]?\d+(?:\.\d+)?[eE][+-]?\d+$/,
  ',': /^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$|^[+-]?\d+(?:,\d+)?[eE][+-]?\d+$/,
} as const;

/** Degrees have no thousands, so `40.416` and `40,416` are one number. */
const DEGREES = /^-*(?:lat|long?|lng|latitude|longitude)$/i;

/**
 * The one reader of numbers that people or programs wrote as text: cells of files, flags and conditions.
 *
 * @param mark the decimal mark, if a flag or the file says so: then nothing is ambiguous
 * @param field the field or flag that gets the number
 */
export function readNumber(text: string, mark?: DecimalMark, field = ''): NumberReading {
  if (mark !== undefined) return FORMS[mark].test(text) ? numberOf(text, mark) : { kind: 'none' };
  if (PLAIN.test(text)) return { kind: 'number', text };
  if (AMBIGUOUS.test(text)) {
    if (DEGREES.test(field)) return numberOf(text, text.includes('.') ? '.' : ',');
    return {
      kind: 'ambiguous',
      grouped: text.replace(/[.,]/, ''),
      divided: `${text.replace(',', '.')}0`,
    };
  }
  const found = (['.', ','] as const).find((one) => FORMS[one].test(text));
  return found === undefined ? { kind: 'none' } : numberOf(text, found);
}

/** A space, a space that does not break, or an apostrophe, between groups of three digits. */
const SPACED = /^([+-]?\d{1,3})(?:([ \u00a0\u2007\u2009\u202f'’])\d{3})(?:\2\d{3})*(?=$|[.,]\d+$)/;

/**
 * A number of an accountant or a spreadsheet, as {@link readNumber} reads it: `5,00-` and `(5,00)` become
 * `-5,00`; `1 234,50` and `1'234,50` become `1234,50`. Other texts stay as they are.
 */
export function accountingNumber(text: string): string {
  const [, inParentheses] = /^\(\s*([^-+()]*?)\s*\)$/.exec(text) ?? [];
  const [, beforeMinus] = /^([^-+()−]*?)\s*[-−]$/.exec(text) ?? [];
  const [, afterSign] = /^[-−]\s*([^-+()−]*)$/.exec(text) ?? [];
  const negative = inParentheses ?? beforeMinus ?? afterSign;
  const signed = negative === undefined ? text : `-${negative}`;
  const [groups] = SPACED.exec(signed) ?? [];
  const number =
    groups === undefined ? signed : groups.replace(/[^\d+-]/g, '') + signed.slice(groups.length);
  return /^[+-]?\d[\d.,]*$/.test(number) ? number : text;
}

function numberOf(text: string, mark: DecimalMark): NumberReading {
  const plain = text.replaceAll(mark === '.' ? ',' : '.', '').replace(mark, '.');
  return PLAIN.test(text) ? { kind: 'number', text } : { kind: 'number', text: plain, mark };
}

/** The end of a message about an ambiguous number: `may be 12345 or 12.3450`. */
export function eitherNumber({
  grouped,
  divided,
}: Extract<NumberReading, { kind: 'ambiguous' }>): string {
  return `may be ${grouped} or ${divided}`;
}

/**
 * A number for a file of text, as {@link readNumber} reads it back: `12.345` becomes `12.3450`.
 *
 * @param digits the text of a JSON number
 */
export function writtenNumber(digits: string, mark: DecimalMark = '.'): string {
  const text = AMBIGUOUS.test(digits) ? `${digits}0` : digits;
  return mark === '.' ? text : text.replace('.', mark);
}
