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

/**
 * The one reader of numbers that people or programs wrote as text: cells of files, flags and conditions.
 *
 * @param mark the decimal mark, if a flag or the file says so: then nothing is ambiguous
 */
export function readNumber(text: string, mark?: DecimalMark): NumberReading {
  if (mark !== undefined) return FORMS[mark].test(text) ? numberOf(text, mark) : { kind: 'none' };
  if (PLAIN.test(text)) return { kind: 'number', text };
  if (AMBIGUOUS.test(text)) {
    return {
      kind: 'ambiguous',
      grouped: text.replace(/[.,]/, ''),
      divided: `${text.replace(',', '.')}0`,
    };
  }
  const found = (['.', ','] as const).find((one) => FORMS[one].test(text));
  return found === undefined ? { kind: 'none' } : numberOf(text, found);
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
