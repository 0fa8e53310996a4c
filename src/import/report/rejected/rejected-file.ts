import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { ProcError } from '../../../core/errors.ts';
import { csvCell } from '../../../core/text/csv-cell.ts';
import { writtenNumber } from '../../../core/text/decimal.ts';
import { guarded } from '../../../core/text/formula-guard.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { inShell } from '../../../core/text/typed.ts';
import { batched } from '../../../output/batched.ts';
import { MOST_TEXT, workbook } from '../../../output/xlsx.ts';
import { openWholeFile, PRIVATE } from '../../../store/whole-file.ts';
import { columnsOf as columnsOfRule, type Mapping } from '../../map/mapping.ts';
import {
  ADDED_COLUMNS,
  isAddedColumn,
  type Source,
  type SourceFormat,
} from '../../source/record.ts';
import type { RowWithRecord } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { targetOf } from '../../targets/all-targets.ts';
import { shapeOf, type TargetFields } from '../../targets/import-target.ts';
import { ofRow } from '../row-layout.ts';
import { unwritable, writeWhole } from '../rows-file.ts';

const ENDINGS = { csv: '.csv', json: '.json', ndjson: '.ndjson' } as const;

/**
 * The file is in the folder of the source; for standard input or a read-only folder, in `cwd`. If
 * e.g. `items.rejected.csv` exists, a person may be correcting it: another name is chosen.
 */
export function defaultRejectedFile(
  source: Pick<Source, 'path' | 'format'>,
  run: string,
  cwd: string,
  isSpooled: boolean,
): string {
  const ending = endingOf(source.format);
  const { path } = source;
  const file = basename(path);
  const stem = isSpooled
    ? 'import'
    : basename(file, extname(file)).replace(/\.rejected(-\d{8}-\d{6}-[0-9a-f]{4})?$/, '');
  const folder = !isSpooled && isWritable(dirname(path)) ? dirname(path) : cwd;
  const plain = join(folder, `${stem}.rejected${ending}`);
  return existsSync(plain) ? join(folder, `${stem}.rejected-${run}${ending}`) : plain;
}

function endingOf({ kind, delimiter, workbook }: SourceFormat): string {
  if (workbook !== undefined) return '.xlsx';
  return kind === 'csv' && delimiter === '\t' ? '.tsv' : ENDINGS[kind];
}

/**
 * Refuses a workbook for rows of JSON: a cell cannot contain lists and objects.
 *
 * @throws ProcError `invalid_usage`
 */
export function checkRejectedName(path: string | undefined, { kind }: SourceFormat): void {
  if (path === undefined || !isWorkbookName(path) || kind === 'csv') return;
  throw new ProcError(
    'invalid_usage',
    `--rejected ${path}: rejected rows of ${kind === 'json' ? 'JSON' : 'NDJSON'} cannot be written to a workbook`,
    { hint: `Use e.g. --rejected rejected${ENDINGS[kind]}` },
  );
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Keeps the format of the source, and adds the reasons. For a table, the extension .xlsx selects a
 * workbook.
 */
export async function writeRejected(run: Run, path: string): Promise<void> {
  if (isWorkbookName(path)) return writeRejectedWorkbook(run, path);
  const { format, columns } = run.header.source;
  const rows = rejectedRows(run);
  const pieces =
    format.kind === 'csv'
      ? csv(rows, run, format, format.bom || needsBom(run, columns))
      : format.kind === 'ndjson'
        ? ndjson(rows)
        : json(rows, format.path ?? []);
  writeWhole(path, '--rejected', pieces);
}

/** Without a byte order mark, spreadsheets misread UTF-8. Pure ASCII needs none. */
function needsBom(run: Run, columns: readonly string[]): boolean {
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
  if (!columns.every(isAscii)) return true;
  for (const { own, added } of rejectedRows(run)) {
    if (!isAscii(own) || !isAscii(String(added._reason))) return true;
  }
  return false;
}

function* csv(
  rows: Iterable<Rejected>,
  run: Run,
  { delimiter = ',', newline = '\n' }: SourceFormat,
  hasBom: boolean,
): Generator<string> {
  const names = columnsOf(run);
  const mapping = run.header.mapping as Mapping;
  const numeric = numericColumns(mapping, targetFieldsOf(run));
  // A number of a workbook gets the decimal mark with which the file is read.
  const written = (value: unknown, name: string): unknown => {
    const digits = numeric.has(name) ? numberText(value) : undefined;
    return digits === undefined ? value : writtenNumber(digits, mapping.decimal);
  };
  const line = (cells: readonly unknown[]) =>
    cells.map((value) => cell(value, delimiter)).join(delimiter) + newline;
  if (hasBom) yield '\ufeff';
  yield line(names);
  for (const { own, added } of rows) {
    const fields = JSON.parse(own) as Record<string, unknown>;
    const value = (name: string) =>
      Object.hasOwn(added, name)
        ? added[name as keyof typeof added]
        : Object.hasOwn(fields, name)
          ? written(fields[name], name)
          : undefined;
    yield line(names.map(value));
  }
}

function cell(value: unknown, delimiter: string): string {
  if (value === undefined || value === null) return '';
  return csvCell(guarded(typeof value === 'string' ? value : JSON.stringify(value)), delimiter);
}

function* ndjson(rows: Iterable<Rejected>): Generator<string> {
  for (const row of rows) yield `${object(row)}\n`;
}

/** The rows as a JSON array, inside the same objects as in the source. */
function* json(rows: Iterable<Rejected>, path: readonly string[]): Generator<string> {
  const open = path.map((key) => `{${JSON.stringify(key)}:`).join('');
  let before = `${open}[\n`;
  for (const row of rows) {
    yield `${before}  ${object(row)}`;
    before = ',\n';
  }
  yield `${before === ',\n' ? '\n' : before}]${'}'.repeat(path.length)}\n`;
}

/** Keeps the JSON text of the fields, so that numbers stay as they are written (`1.10`). */
function object({ own, added }: Rejected): string {
  const text = /"_(row|reason)"/.test(own) ? withoutAdded(own) : own;
  const rest = JSON.stringify(added).slice(1);
  return text === '{}' ? `{${rest}` : `${text.slice(0, -1)},${rest}`;
}

/** A row that is rejected again still has the columns that proc added the first time. */
function withoutAdded(own: string): string {
  const fields = JSON.parse(own) as Record<string, unknown>;
  for (const name of ADDED_COLUMNS) delete fields[name];
  return JSON.stringify(fields);
}

const PER_BATCH = 500;

function isWorkbookName(path: string): boolean {
  return /\.xlsx$/i.test(path);
}

/**
 * Text stays text, so that a spreadsheet changes no code; only what is typed into a cell of a numeric field
 * becomes a number.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
async function writeRejectedWorkbook(run: Run, path: string): Promise<void> {
  const { header } = run;
  const numeric = numericColumns(header.mapping as Mapping, targetFieldsOf(run));
  try {
    const file = openWholeFile(path, PRIVATE);
    try {
      const sheet = {
        name: header.source.format.workbook?.sheet ?? 'Rejected',
        fields: columnsOf(run),
        isText: (field: string) => !numeric.has(field) && !field.startsWith('_'),
      };
      for await (const bytes of workbook(sheet, rejectedCells(run))) file.write(bytes);
      file.commit();
    } catch (thrown) {
      file.abort();
      throw thrown;
    }
  } catch (thrown) {
    const command = `proc imports resume ${inShell(header.run)} --rejected FILE.csv`;
    const asCsv = `Write them as CSV: ${command}`;
    // The workbook itself says what does not fit into it.
    throw unwritable('--rejected', path, thrown, thrown instanceof ProcError ? asCsv : undefined);
  }
}

function* rejectedCells(run: Run) {
  for (const rows of batched(rejectedRows(run), PER_BATCH)) yield rows.map(cellsOf);
}

function cellsOf({ own, added }: Rejected): Record<string, unknown> {
  const { _reason } = added;
  const isTooLong = typeof _reason === 'string' && _reason.length > MOST_TEXT;
  return {
    ...(JSON.parse(own) as Record<string, unknown>),
    ...added,
    ...(isTooLong ? { _reason: `${_reason.slice(0, MOST_TEXT - 1)}…` } : {}),
  };
}

function targetFieldsOf({ header: { noun, groupBy } }: Run): TargetFields {
  return shapeOf(targetOf(noun), groupBy).fields;
}

/** Columns of numeric fields: what a person types into their cells must become a number. */
function numericColumns(mapping: Mapping, { fields }: TargetFields): ReadonlySet<string> {
  return new Set(
    fields.flatMap(({ name, kind }) => {
      const rule = mapping.fields[name];
      const isNumeric = kind === 'number' || kind === 'integer';
      return isNumeric && rule !== undefined ? columnsOfRule(rule) : [];
    }),
  );
}

/** A rejected row: its fields as JSON text, and the columns that proc adds. */
interface Rejected {
  readonly own: string;
  readonly added: Readonly<Partial<Record<(typeof ADDED_COLUMNS)[number], unknown>>>;
}

function* rejectedRows(run: Run): Generator<Rejected> {
  for (const row of run.rows.reported.withRecords('rejected')) {
    yield* partsOf(row);
  }
}

function* partsOf(one: RowWithRecord): Generator<Rejected> {
  const { row: _row, reason: _reason } = ofRow(one);
  const added = { _row, _reason };
  const text = one.fields ?? one.body ?? '{}';
  // An array has the source rows of one body. All are written, to be corrected together.
  if (text.startsWith('[')) {
    for (const own of JSON.parse(text) as object[]) {
      yield { own: JSON.stringify(own), added };
    }
  } else yield { own: text, added };
}

/** The columns of the source, and those that proc adds. */
function columnsOf({ header }: Run): readonly string[] {
  const { columns } = header.source;
  const own = columns.filter((name) => !isAddedColumn(name));
  return [...own, ...ADDED_COLUMNS];
}
