import { writeXlsxStream } from 'hucre/xlsx';
import { ProcError } from '../core/errors.ts';
import { numberText, plainDecimal, survivesDouble } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { valueAt } from './cell.ts';

/** The limits of Excel; the second in UTF-16 units of one cell. */
const MOST_COLUMNS = 16_384;
const MOST_TEXT = 32_767;
/** Digits that a spreadsheet keeps. A number with more digits becomes text, so that no digit is lost. */
const MOST_DIGITS = 15;

/** The width of a column in characters: rows come one by one, so what they need is not known yet. */
const NARROWEST = 20;

/** Fields that identify something are text, even if the service sends a number or a person fills a cell in. */
const IDENTIFIER = /(?:^|\.)(?:code|id|key|reference)$|(?:Id|Code|Key)$/;

export interface Sheet {
  readonly name: string;
  /** Paths; the header has them as they are. */
  readonly fields: readonly string[];
}

/**
 * The bytes of a workbook, as its rows arrive. Text stays text, whatever it looks like; times and nested
 * values are text too. A full sheet continues on another one.
 *
 * @throws ProcError `unwritable_output` if something does not fit
 */
export async function* workbook(
  { name, fields }: Sheet,
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  if (fields.length > MOST_COLUMNS) {
    throw tooLarge(`${fields.length} columns, and a sheet has at most ${MOST_COLUMNS}`);
  }
  const texts = fields.map((field) => IDENTIFIER.test(field));
  async function* cells(): AsyncGenerator<Cell[]> {
    let number = 1;
    for await (const batch of batches) {
      for (const row of batch) {
        number++;
        yield fields.map((field, at) => cellOf(valueAt(row, field), texts[at]!, { field, number }));
      }
    }
  }
  const columns = fields.map((field, at) => ({
    header: textCell(field),
    width: Math.max(field.length + 2, NARROWEST),
    ...(texts[at] ? { style: { numFmt: '@' } } : {}),
  }));
  if (fields.length === 0) columns.push({ header: '', width: NARROWEST });
  yield* writeXlsxStream(cells(), { name, columns, freezePane: { rows: 1 } });
}

type Cell = string | number | boolean | null;

function cellOf(
  value: unknown,
  isText: boolean,
  place: { readonly field: string; readonly number: number },
): Cell {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'boolean') return value;
  const digits = numberText(value);
  if (digits !== undefined) {
    return !isText && isKept(digits) ? Number(digits) : plainDecimal(digits);
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length > MOST_TEXT) {
    const { field, number } = place;
    throw tooLarge(
      `${text.length} characters in ${field} of row ${number}, and a cell has at most ${MOST_TEXT}`,
    );
  }
  return textCell(text);
}

function isKept(digits: string): boolean {
  const significant = digits
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');
  return significant.length <= MOST_DIGITS && survivesDouble(digits);
}

/** What XML cannot contain, and text that a reader would take for its escaped form (`_x000D_`). */
const ESCAPED =
  /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|_(?=x[0-9A-Fa-f]{4}(?:_|[\0-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]))/g;

function textCell(text: string): string {
  return text.replace(
    ESCAPED,
    (found) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

function tooLarge(what: string): ProcError {
  return new ProcError('unwritable_output', `this does not fit into a workbook: ${what}`, {
    hint: 'Use -o csv or -o json, or choose other fields with --fields',
  });
}
