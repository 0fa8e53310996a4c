import { ProcError } from '../core/errors.ts';
import { guarded } from '../core/formula-guard.ts';
import { nearest } from '../core/nearest.ts';
import type { Row } from '../core/result.ts';
import { valueAt } from './path.ts';
import { numberText } from './raw-number.ts';

/**
 * `standard` is RFC 4180 in UTF-8. `excel` adds the byte order mark by which Excel knows UTF-8;
 * `excel-es` besides separates by `;` and writes decimal commas.
 */
const CSV_DIALECTS = ['standard', 'excel', 'excel-es'] as const;
export type CsvDialect = (typeof CSV_DIALECTS)[number];

export interface CsvOptions {
  readonly dialect: CsvDialect;
  /** No guard against formulas: cells exactly as the service sent them. */
  readonly raw: boolean;
}

/** Reads `--csv-dialect`. Throws `invalid_usage`. */
export function parseCsvDialect(text: string | undefined): CsvDialect {
  if (text === undefined) return 'standard';
  const known = CSV_DIALECTS.find((dialect) => dialect === text);
  if (known !== undefined) return known;
  const near = nearest(text, CSV_DIALECTS);
  throw new ProcError('invalid_usage', `--csv-dialect: there is no dialect "${text}"`, {
    hint:
      near === undefined
        ? `Known: ${CSV_DIALECTS.join(', ')}`
        : `Did you mean --csv-dialect ${near}?`,
  });
}

/** The header line, with the byte order mark where the dialect has one. */
export function csvHeader(fields: readonly string[], options: CsvOptions): string {
  const mark = options.dialect === 'standard' ? '' : '\ufeff';
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
    const text = raw ? cell : guarded(cell);
    const needsQuotes = text.includes(separator) || /["\r\n]|^\s|\s$/.test(text);
    return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
  });
  // A line that is wholly empty would be no row at all to a reader.
  const text = quoted.length === 1 && quoted[0] === '' ? '""' : quoted.join(separator);
  return `${text}\r\n`;
}
