import type { Row } from '../../core/result.ts';
import { csvCell } from '../../core/text/csv-cell.ts';
import { guarded } from '../../core/text/formula-guard.ts';
import { numberText } from '../../core/text/raw-number.ts';
import type { CsvDialect } from '../format.ts';
import { valueAt } from '../select/field-path.ts';

export interface CsvOptions {
  readonly dialect: CsvDialect;
  /** No guard against formulas: cells exactly as the service sent them. */
  readonly raw: boolean;
}

/** The header line, with the byte order mark where the dialect has one. */
export function csvHeader(fields: readonly string[], options: CsvOptions): string {
  const mark = options.dialect === 'rfc4180' ? '' : '\ufeff';
  return mark + line(fields, options);
}

/** One row. Missing and null are empty; nested values are compact JSON. */
export function csvRow(row: Row, fields: readonly string[], options: CsvOptions): string {
  return line(
    fields.map((field) => cellText(valueAt(row, field), options)),
    options,
  );
}

function cellText(value: unknown, { dialect }: CsvOptions): string {
  if (value === undefined || value === null) return '';
  const number = numberText(value);
  if (number !== undefined) return dialect === 'excel-es' ? number.replace('.', ',') : number;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function line(cells: readonly string[], { dialect, raw }: CsvOptions): string {
  const separator = dialect === 'excel-es' ? ';' : ',';
  const quoted = cells.map((cell) => {
    // A spreadsheet runs what begins like a formula; an apostrophe makes it text.
    return csvCell(raw ? cell : guarded(cell), separator);
  });
  // A line that is wholly empty would be no row at all to a reader.
  const text = quoted.length === 1 && quoted[0] === '' ? '""' : quoted.join(separator);
  return `${text}\r\n`;
}
