import type { Row } from '../../core/result.ts';
import { csvCell } from '../../core/text/csv-cell.ts';
import { writtenNumber } from '../../core/text/decimal.ts';
import { guarded } from '../../core/text/formula-guard.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { valueAt } from '../select/field-path.ts';

export function csvHeader(fields: readonly string[]): string {
  return line(fields);
}

/** One row. Missing and null are empty; nested values are compact JSON. */
export function csvRow(row: Row, fields: readonly string[]): string {
  return line(fields.map((field) => cellText(valueAt(row, field))));
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const number = numberText(value);
  if (number !== undefined) return writtenNumber(number, '.');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function line(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    // Spreadsheets execute cells that begin like a formula; a leading apostrophe makes them text.
    return csvCell(guarded(cell), ',');
  });
  // Readers skip an empty line, so a row with a single empty cell needs quotes.
  const text = quoted.length === 1 && quoted[0] === '' ? '""' : quoted.join(',');
  return `${text}\r\n`;
}
