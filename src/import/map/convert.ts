import { isObject } from '../../core/json.ts';
import {
  accountingNumber,
  type DecimalMark,
  isDecimal,
  isRawNumber,
  readNumber,
  survivesDouble,
  textOf,
} from '../../core/numbers.ts';
import { show } from '../../core/validate.ts';
import { valueAt } from '../../output/cell.ts';
import type { Source } from '../source/record.ts';
import type { ImportField } from '../targets/import-target.ts';
import { columnOf, type Mapping } from './mapping.ts';

/** Without a problem, an undefined value is an empty one. */
export interface Converted {
  readonly value?: unknown;
  readonly problem?: string;
}

const JSON_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Without an exponent: a spreadsheet that writes `1.2E+05` has dropped digits. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
const EXAMPLE = { '': '1234.5', ',': '1.234,5', '.': '1,234.5' } as const;
/** Accepts `3.00`: many exports write every number with decimals. */
const INTEGER = /^[+-]?\d+(?:\.0+)?$/;

const LONGEST_SAMPLE = 40;

/** The first value of a column, shortened; of an object or a list, what it is. Empty if there is none. */
export function firstValue({ head }: Pick<Source, 'head'>, column: string): string {
  const values = head.map(({ fields }) => fields?.[column]);
  const value = values.find((one) => (textOf(one) ?? one ?? '') !== '');
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const text = textOf(value) ?? (isObject(value) ? 'an object' : `${value ?? ''}`);
  return text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE)}…` : text;
}

/** A cell as a number with a point; undefined if it is none with this mark, or only plain without groups and commas. */
function plainNumber(cell: string, decimal: DecimalMark | undefined): string | undefined {
  const text = accountingNumber(cell);
  const reading = readNumber(text, decimal);
  const isPlain = decimal !== undefined || isDecimal(text);
  return reading.kind === 'number' && isPlain ? reading.text : undefined;
}

/**
 * Converts a value to the type of its field. Text is already trimmed; a number in a text field
 * keeps its digits.
 */
export function convert(
  value: unknown,
  kind: ImportField['kind'],
  decimal?: DecimalMark | undefined,
): Converted {
  if (kind === 'any') {
    const rounded = roundedIn(value);
    return rounded === undefined ? { value } : { problem: wouldRound(rounded) };
  }
  const own = textOf(value);
  if (kind === 'string')
    return own === undefined ? { problem: `must be text, got ${show(value)}` } : { value: own };
  const expected = kind === 'integer' ? 'a whole number' : 'a number';
  const text = typeof value === 'string' ? plainNumber(value, decimal) : own;
  const form = typeof value !== 'string' ? JSON_NUMBER : kind === 'integer' ? INTEGER : NUMBER;
  const like = kind === 'integer' ? '12' : EXAMPLE[decimal ?? ''];
  if (text === undefined || !form.test(text))
    return { problem: `must be ${expected} like ${like}, got ${show(value)}` };
  if (!survivesDouble(text.replace(/^\+/, ''))) return { problem: wouldRound(own!) };
  const number = Number(text);
  if (kind === 'integer' && !Number.isSafeInteger(number))
    return { problem: `must be ${expected}, got ${own}` };
  return { value: number };
}

/** A number at any depth that a double does not keep: a service would store another one. */
function roundedIn(value: unknown): string | undefined {
  if (isRawNumber(value)) return survivesDouble(value.rawJSON) ? undefined : value.rawJSON;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value)
    .map(roundedIn)
    .find((one) => one !== undefined);
}

function wouldRound(number: string): string {
  return `the number ${number.slice(0, 60)} would be rounded`;
}

/** An amount of a cell, and the currency beside it. */
interface CellAmount {
  /** The cell without the currency. */
  readonly number: string;
  /** The currency as the cell has it: `EUR`, `€`, `$`. Undefined if there is none. */
  readonly currency?: string | undefined;
  /** What it may mean. A code means itself, `$` one of several. */
  readonly codes: readonly string[];
}

const DOLLARS = 'USD ARS AUD BRL CAD CLP COP MXN NZD UYU SGD HKD'.split(' ');
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
  if (before !== undefined && codesOf(before).length > 0)
    return { number: sign + rest, currency: before, codes: codesOf(before) };
  const [, number = '', after, end = ''] = AFTER.exec(text) ?? [];
  if (after !== undefined && codesOf(after).length > 0)
    return { number: number + end, currency: after, codes: codesOf(after) };
  return { number: text, codes: [] };
}

/** A cell that only `--decimal` makes a number: `1.500`, `12,5`. */
export interface UnclearNumber {
  readonly field: string;
  readonly column: string;
  readonly text: string;
  readonly row: number;
  readonly line: number | undefined;
  /** What the cell is with a mark, where it is a number with it. */
  readonly readings: readonly { readonly mark: DecimalMark; readonly number: string }[];
}

/** Without `--decimal`, the first number that has a comma, or is like `1.500`. Reads the whole source if there is none. */
export async function unclearNumber(
  source: Pick<Source, 'records'>,
  mapping: Mapping,
  fields: readonly ImportField[],
): Promise<UnclearNumber | undefined> {
  const columns = fields.flatMap(({ name, kind }) => {
    const column = columnOf(mapping, name);
    const isRead = (kind === 'number' || kind === 'integer') && column !== undefined;
    return isRead && mapping.values?.[name] === undefined ? [{ field: name, column }] : [];
  });
  if (columns.length === 0 || mapping.decimal !== undefined) return undefined;
  for await (const batch of source.records())
    for (const { fields: own = {}, row, line } of batch)
      for (const { field, column } of columns) {
        const cell = valueAt(own, column);
        const text = typeof cell === 'string' ? cell.trim() : '';
        const number = accountingNumber(amountOf(text).number);
        const { kind } = readNumber(number);
        if (kind === 'none' || (kind === 'number' && isDecimal(number))) continue;
        const readings = (['.', ','] as const).flatMap((mark) => {
          const reading = readNumber(number, mark);
          return reading.kind === 'number' ? [{ mark, number: reading.text }] : [];
        });
        return { field, column, text, row, line, readings };
      }
  return undefined;
}

/** What a spreadsheet shows instead of a value: `#N/A`, `#DIV/0!`, `#¿NOMBRE?`, `#####`, `Err:502`. */
const ERROR = /^#(?:N\/A|[¡¿]?[\p{Lu}\d_/]+ ?[!?]|#{4,})$|^Err:\d{3}$/u;

/** Finds the error that a spreadsheet shows instead of a value. */
export function spreadsheetError(text: string): string | undefined {
  return /^[#E]/.test(text) && ERROR.test(text) ? text : undefined;
}
