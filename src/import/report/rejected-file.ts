import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { csvCell } from '../../core/text/csv-cell.ts';
import { guarded } from '../../core/text/formula-guard.ts';
import type { Journal } from '../ledger/journal.ts';
import { ADDED_COLUMNS, isAddedColumn, RAW } from '../map/repair/added-columns.ts';
import { encoderFor } from '../source/encoding/windows-1252.ts';
import type { Source, SourceFormat } from '../source/record.ts';
import { writeWhole } from './rows-file.ts';

const ENDINGS = { csv: '.csv', json: '.json', ndjson: '.ndjson' } as const;

/**
 * Where rejected rows go unless told otherwise: beside the source, else in the current folder. A file
 * of an earlier run is left alone, as somebody may be mending it.
 */
export function defaultRejectedFile(
  source: Pick<Source, 'path' | 'original' | 'format'>,
  run: string,
  cwd: string,
  isSpooled: boolean,
): string {
  const { kind, delimiter } = source.format;
  const ending = kind === 'csv' && delimiter === '\t' ? '.tsv' : ENDINGS[kind];
  const path = source.original ?? source.path;
  const file = basename(path).replace(/\.gz$/, '');
  const stem = isSpooled
    ? 'import'
    : basename(file, extname(file)).replace(/\.rejected(-\d{8}-\d{6}-[0-9a-f]{4})?$/, '');
  const folder = !isSpooled && isWritable(dirname(path)) ? dirname(path) : cwd;
  const plain = join(folder, `${stem}.rejected${ending}`);
  return existsSync(plain) ? join(folder, `${stem}.rejected-${run}${ending}`) : plain;
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes every rejected row as it stood in the source, in the source's own kind, with the reasons. */
export function writeRejected(journal: Journal, path: string): void {
  const { format, columns } = journal.header.source;
  const rows = rejectedRows(journal);
  const pieces =
    format.kind === 'csv'
      ? csv(rows, columnsOf(journal), format, format.bom || needsMark(journal, columns))
      : format.kind === 'ndjson'
        ? ndjson(rows)
        : json(rows, format.path ?? []);
  writeWhole(path, '--rejected', pieces, encoderFor(format.encoding));
}

/** A rejected row: its own fields as JSON text, and what is to be known of it. */
interface Rejected {
  readonly own: string;
  readonly marks: Readonly<Record<(typeof ADDED_COLUMNS)[number], unknown>>;
}

function* rejectedRows(journal: Journal): Generator<Rejected> {
  for (const { row, status, reason, fields } of journal.reported.rejected()) {
    const marks = { _run: journal.header.run, _row: row, _reason: reason, _status: status };
    const text = fields ?? '{}';
    // Several rows of the source made this one: all come back, to be mended together.
    if (text.startsWith('[')) {
      for (const own of JSON.parse(text) as object[]) yield { own: JSON.stringify(own), marks };
    } else yield { own: text, marks };
  }
}

/** Without its mark a spreadsheet takes UTF-8 for something else; where all is ASCII that is no harm. */
function needsMark(journal: Journal, columns: readonly string[]): boolean {
  if (journal.header.source.format.encoding !== 'utf-8') return false;
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
  if (!columns.every(isAscii)) return true;
  for (const { own, marks } of rejectedRows(journal)) {
    if (!isAscii(own) || !isAscii(String(marks._reason))) return true;
  }
  return false;
}

/** Those of the source, the marks, and the text of rows that could not be read where there are any. */
function columnsOf({ reported, header }: Journal): readonly string[] {
  const { columns } = header.source;
  const isUnread = columns.includes(RAW) || reported.hasRejectedWith(`"${RAW}":`);
  const own = columns.filter((name) => !isAddedColumn(name));
  return [...own, ...ADDED_COLUMNS, ...(isUnread ? [RAW] : [])];
}

function* csv(
  rows: Iterable<Rejected>,
  names: readonly string[],
  { delimiter = ',', newline = '\n' }: SourceFormat,
  isMarked: boolean,
): Generator<string> {
  const line = (cells: readonly unknown[]) =>
    cells.map((value) => cell(value, delimiter)).join(delimiter) + newline;
  if (isMarked) yield '\ufeff';
  yield line(names);
  for (const { own, marks } of rows) {
    const fields = JSON.parse(own) as Record<string, unknown>;
    const value = (name: string) =>
      Object.hasOwn(marks, name)
        ? marks[name as keyof typeof marks]
        : Object.hasOwn(fields, name)
          ? fields[name]
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

/** In the shape of the source: its array, in the objects that led to it. */
function* json(rows: Iterable<Rejected>, path: readonly string[]): Generator<string> {
  const open = path.map((key) => `{${JSON.stringify(key)}:`).join('');
  let before = `${open}[\n`;
  for (const row of rows) {
    yield `${before}  ${object(row)}`;
    before = ',\n';
  }
  yield `${before === ',\n' ? '\n' : before}]${'}'.repeat(path.length)}\n`;
}

/** The fields' own text, so that numbers stay as they were written (`1.10`). */
function object({ own, marks }: Rejected): string {
  const text = /"_(run|row|reason|status)"/.test(own) ? withoutMarks(own) : own;
  const rest = JSON.stringify(marks).slice(1);
  return text === '{}' ? `{${rest}` : `${text.slice(0, -1)},${rest}`;
}

/** A file that was mended and failed again carries the marks of its first time. */
function withoutMarks(own: string): string {
  const fields = JSON.parse(own) as Record<string, unknown>;
  for (const mark of ADDED_COLUMNS) delete fields[mark];
  return JSON.stringify(fields);
}
