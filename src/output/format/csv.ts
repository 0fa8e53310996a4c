import type { CsvDialect } from '../../core/global-flags.ts';
import type { Row } from '../../core/result.ts';
import { csvCell } from '../../core/text/csv-cell.ts';
import { writtenNumber } from '../../core/text/decimal.ts';
import { guarded } from '../../core/text/formula-guard.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { valueAt } from '../select/field-path.ts';

export interface CsvOptions {
  readonly dialect: CsvDialect;
  /** Write no apostrophe before text that a spreadsheet would run as a formula. */
  readonly raw: boolean;
}

const BOM = '\ufeff';

const SHAPES = {
  rfc4180: { mark: '', separator: ',', lineEnd: '\r\n' },
  excel: { mark: BOM, separator: ',', lineEnd: '\r\n' },
  'excel-es': { mark: BOM, separator: ';', lineEnd: '\r\n' },
} as const;

export function csvHeader(fields: readonly string[], options: CsvOptions): string {
  const { mark } = SHAPES[options.dialect];
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
  if (number !== undefined) return writtenNumber(number, dialect === 'excel-es' ? ',' : '.');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function line(cells: readonly string[], { dialect, raw }: CsvOptions): string {
  const { separator, lineEnd } = SHAPES[dialect];
  const quoted = cells.map((cell) => {
    // Spreadsheets execute cells that begin like a formula; a leading apostrophe makes them text.
    return csvCell(raw ? cell : guarded(cell), separator);
  });
  // Readers skip an empty line, so a row with a single empty cell needs quotes.
  const text = quoted.length === 1 && quoted[0] === '' ? '""' : quoted.join(separator);
  return `${text}${lineEnd}`;
}
