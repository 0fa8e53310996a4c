import { numberText, writtenNumber } from '../core/numbers.ts';
import type { Row } from '../core/result.ts';
import { valueAt } from './cell.ts';
import { guarded } from './formula-guard.ts';

export interface CsvForm {
  readonly delimiter?: string | undefined;
  readonly newline?: string | undefined;
  /** Begins with a byte order mark, without which spreadsheets misread UTF-8. */
  readonly hasMark?: boolean | undefined;
}

/** A header and a line for each row. Missing and null are empty; nested values are compact JSON. */
export async function* csv(
  fields: readonly string[],
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  { delimiter = ',', newline = '\r\n', hasMark = false }: CsvForm = {},
): AsyncGenerator<string> {
  const line = (cells: readonly string[]) => {
    // Spreadsheets execute cells that begin like a formula; a leading apostrophe makes them text.
    const text = cells.map((cell) => csvCell(guarded(cell), delimiter)).join(delimiter);
    // Readers skip an empty line, so a row with a single empty cell needs quotes.
    return `${text === '' ? '""' : text}${newline}`;
  };
  let head = `${hasMark ? '\ufeff' : ''}${line(fields)}`;
  for await (const batch of batches) {
    const lines = batch.map((row) => line(fields.map((field) => cellText(valueAt(row, field)))));
    yield head + lines.join('');
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

function csvCell(text: string, separator: string): string {
  const needsQuotes = text.includes(separator) || /["\r\n]|^\s|\s$/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
