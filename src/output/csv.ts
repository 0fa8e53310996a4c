import type { Row } from '../core/result.ts';
import { csvCell } from '../core/text/csv-cell.ts';
import { writtenNumber } from '../core/text/decimal.ts';
import { guarded } from '../core/text/formula-guard.ts';
import { numberText } from '../core/text/raw-number.ts';
import { valueAt } from './field-path.ts';

/** A header and a line for each row. Missing and null are empty; nested values are compact JSON. */
export async function* csv(
  fields: readonly string[],
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): AsyncGenerator<string> {
  let head = line(fields);
  for await (const batch of batches) {
    yield head +
      batch.map((row) => line(fields.map((field) => cellText(valueAt(row, field))))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const number = numberText(value);
  if (number !== undefined) return writtenNumber(number, '.');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function line(cells: readonly string[]): string {
  // Spreadsheets execute cells that begin like a formula; a leading apostrophe makes them text.
  const quoted = cells.map((cell) => csvCell(guarded(cell), ','));
  // Readers skip an empty line, so a row with a single empty cell needs quotes.
  const text = quoted.length === 1 && quoted[0] === '' ? '""' : quoted.join(',');
  return `${text}\r\n`;
}
