import type { Problem } from '../../core/problem/row-problem.ts';
import {
  accountingNumber,
  type DecimalMark,
  isDecimal,
  readNumber,
  survivesDouble,
} from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { shown } from '../../core/validate.ts';
import type { Source } from '../source/record.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';
import { columnOf, type Mapping } from './mapping.ts';

export interface Converted {
  readonly value?: unknown;
  readonly problem?: Problem;
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

/**
 * The text of a cell as a number with a point. Without `--decimal`, a decimal comma and separators of thousands
 * are refused, and `1.000` is ambiguous.
 */
function plainNumber(
  cell: string,
  decimal: DecimalMark | undefined,
  marks?: Marks | undefined,
): { readonly text?: string; readonly problem?: Problem } {
  const text = accountingNumber(cell);
  // In a column with both marks, each number is read by itself.
  if (marks === 'mixed') {
    const own = readNumber(text);
    if (own.kind === 'number') return { text: own.text };
    if (own.kind === 'ambiguous') {
      const { grouped, divided } = own;
      const args = { text: cell, grouped, divided, isMixed: true } as const;
      return { problem: { code: 'number_unclear', args } };
    }
  } else if (decimal === undefined && marks !== undefined) {
    const own = readNumber(text, marks);
    if (own.kind === 'number') return { text: own.text };
  }
  const reading = readNumber(text, decimal);
  if (reading.kind === 'ambiguous') {
    const { grouped, divided } = reading;
    return { problem: { code: 'number_unclear', args: { text: cell, grouped, divided } } };
  }
  if (reading.kind === 'number' && (decimal !== undefined || isDecimal(text))) {
    return { text: reading.text };
  }
  if (decimal !== undefined && /[.,]/.test(text)) {
    return { problem: { code: 'not_number_with', args: { decimal, got: JSON.stringify(cell) } } };
  }
  const fits = decimal === undefined ? decimalOf(text) : undefined;
  if (fits === undefined) return { text };
  return { problem: { code: 'number_if', args: { decimal: fits, got: JSON.stringify(cell) } } };
}

/** Which `--decimal` makes the text a number. Undefined if it is a number already, or no number at all. */
function decimalOf(text: string): DecimalMark | undefined {
  const number = accountingNumber(text);
  const reading = readNumber(number);
  return reading.kind === 'number' && !isDecimal(number) ? reading.mark : undefined;
}

/**
 * Converts a value to the type of its field. Text is already trimmed; a number in a text field
 * keeps its digits.
 */
export function convert(
  value: unknown,
  kind: ImportField['kind'],
  decimal?: DecimalMark | undefined,
  marks?: Marks | undefined,
): Converted {
  if (kind === 'any') return { value };
  const own = textOf(value);
  if (kind === 'string') {
    return own === undefined
      ? { problem: { code: 'not_text', args: { got: shown(value) } } }
      : { value: own };
  }
  const isWhole = kind === 'integer' ? ({ isWhole: true } as const) : {};
  if (own === undefined) {
    return { problem: { code: 'not_number', args: { ...isWhole, got: shown(value) } } };
  }
  const plain = typeof value === 'string' ? plainNumber(value, decimal, marks) : { text: own };
  if (plain.text === undefined) return plain;
  const { text } = plain;
  if (!(kind === 'integer' && typeof value === 'string' ? INTEGER : NUMBER).test(text)) {
    const mark = decimal ?? (marks === 'mixed' ? undefined : marks);
    const chosen = mark === undefined ? {} : { decimal: mark };
    const args = { ...isWhole, like: true, ...chosen, got: shown(value) } as const;
    return { problem: { code: 'not_number', args } };
  }
  const number = Number(text);
  if (!survivesDouble(text.replace(/^\+/, ''))) {
    return { problem: { code: 'number_rounded', args: { number: own.slice(0, 60) } } };
  }
  if (kind === 'integer' && !Number.isSafeInteger(number)) {
    return {
      problem: Number.isInteger(number)
        ? { code: 'whole_too_large', args: { most: Number.MAX_SAFE_INTEGER, got: own } }
        : { code: 'not_number', args: { ...isWhole, got: own } },
    };
  }
  return { value: number };
}

/** An amount of a cell, and the currency beside it. */
export interface CellAmount {
  /** The cell without the currency. */
  readonly number: string;
  /** The currency as the cell has it: `EUR`, `€`, `$`. Undefined if there is none. */
  readonly currency?: string | undefined;
  /** What it may mean. A code means itself, `$` one of several. */
  readonly codes: readonly string[];
}

const DOLLARS = [
  'USD',
  'ARS',
  'AUD',
  'BRL',
  'CAD',
  'CLP',
  'COP',
  'MXN',
  'NZD',
  'UYU',
  'SGD',
  'HKD',
];
const SYMBOLS: Readonly<Record<string, readonly string[]>> = {
  '€': ['EUR'],
  '£': ['GBP'],
  $: DOLLARS,
  US$: ['USD'],
  U$S: ['USD'],
  U$D: ['USD'],
  AR$: ['ARS'],
  R$: ['BRL'],
  $U: ['UYU'],
  MX$: ['MXN'],
  'S/': ['PEN'],
  '₲': ['PYG'],
  '¥': ['JPY', 'CNY'],
  'Fr.': ['CHF'],
};
const TOKEN = `(?:[A-Za-z]{3}|${Object.keys(SYMBOLS)
  .sort((a, b) => b.length - a.length)
  .map((symbol) => symbol.replace(/[$.]/g, '\\$&'))
  .join('|')})`;
const BEFORE = new RegExp(`^([-+−(]?)\\s*(${TOKEN})\\s*([-+−(]?[\\d.,].*)$`);
const AFTER = new RegExp(`^(.*[\\d.,](?:\\s*[-−)])?)\\s*(${TOKEN})(\\)?)$`);

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function codesOf(token: string): readonly string[] {
  const code = token.toUpperCase();
  return SYMBOLS[token] ?? (CODES.has(code) ? [code] : []);
}

/** Takes the currency out of a cell such as `EUR 5,00`, `-$ 5`, `(5,00 €)`. */
export function amountOf(text: string): CellAmount {
  const [, sign = '', before, rest = ''] = BEFORE.exec(text) ?? [];
  if (before !== undefined && codesOf(before).length > 0) {
    return { number: sign + rest, currency: before, codes: codesOf(before) };
  }
  const [, number = '', after, end = ''] = AFTER.exec(text) ?? [];
  if (after !== undefined && codesOf(after).length > 0) {
    return { number: number + end, currency: after, codes: codesOf(after) };
  }
  return { number: text, codes: [] };
}

/** `1.500`, which may be 1500 or 1.5. */
export interface UnclearNumber {
  readonly field: string;
  readonly text: string;
  readonly grouped: string;
  readonly divided: string;
}

/** What the cells of a column say about its decimal mark. */
export type Marks = DecimalMark | 'mixed';

/**
 * Reads the whole source for the decimal marks of its columns of numbers: `1.234,50` decides what
 * `1.500` means, unless `1,234.50` is in the same column.
 *
 * @param onUnclear called for each cell that both marks can explain
 * @returns by field; without fields whose cells decide nothing
 */
export async function marksIn(
  source: Pick<Source, 'head' | 'records'>,
  mapping: Mapping,
  { fields }: TargetFields,
  onUnclear?: (unclear: UnclearNumber) => void,
): Promise<ReadonlyMap<string, Marks>> {
  const found = new Map<string, Marks>();
  const columns = fields.flatMap(({ name, kind }) => {
    const isNumber = kind === 'number' || kind === 'integer';
    const column = columnOf(mapping, name);
    return isNumber && column !== undefined ? [{ name, column }] : [];
  });
  // Numbers of JSON and of workbooks have no marks.
  const texts = columns.filter(({ column }) =>
    source.head.some(({ fields: own }) => typeof own?.[column] === 'string'),
  );
  if (texts.length === 0) return found;
  for await (const batch of source.records()) {
    for (const { fields: own } of batch) {
      for (const { name, column } of texts) {
        const cell = own?.[column];
        if (typeof cell !== 'string') continue;
        const text = cell.trim();
        const reading = readNumber(accountingNumber(amountOf(text).number));
        if (reading.kind === 'ambiguous') onUnclear?.({ field: name, text, ...reading });
        if (reading.kind !== 'number' || reading.mark === undefined) continue;
        const before = found.get(name);
        found.set(name, before === undefined || before === reading.mark ? reading.mark : 'mixed');
      }
    }
  }
  return found;
}

/** What a spreadsheet shows instead of a value: `#N/A`, `#DIV/0!`, `#¿NOMBRE?`, `#####`, `Err:502`. */
const ERROR = /^#(?:N\/A|[¡¿]?[\p{Lu}\d_/]+ ?[!?]|#{4,})$|^Err:\d{3}$/u;

/** Finds the error that a spreadsheet shows instead of a value. */
export function spreadsheetError(text: string): string | undefined {
  return /^[#E]/.test(text) && ERROR.test(text) ? text : undefined;
}
