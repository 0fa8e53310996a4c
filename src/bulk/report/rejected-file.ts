import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Journal } from '../journal/journal.ts';
import type { SourceFormat } from '../record.ts';
import { writeWhole } from './rows-file.ts';

/** What every rejected row carries besides its own fields. */
const MARKS = ['_run', '_row', '_reason', '_status'] as const;

const ENDINGS = { csv: '.csv', json: '.json', ndjson: '.ndjson' } as const;

/**
 * Where rejected rows go unless told otherwise: beside the source, else in the current folder. A file
 * of an earlier run is left alone, as somebody may be mending it.
 */
export function defaultRejectedFile(
  source: { readonly name: string; readonly path: string; readonly format: SourceFormat },
  run: string,
  cwd: string,
  isSpooled: boolean,
): string {
  const ending = ENDINGS[source.format.kind];
  const file = basename(source.path).replace(/\.gz$/, '');
  const stem = isSpooled ? 'import' : basename(file, extname(file));
  const folder = !isSpooled && isWritable(dirname(source.path)) ? dirname(source.path) : cwd;
  const plain = join(folder, `${stem}.rejected${ending}`);
  return existsSync(plain) ? join(folder, `${stem}.rejected-${run}${ending}`) : plain;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(resolve(folder), constants.W_OK);
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
      ? csv(rows, columns, format)
      : format.kind === 'ndjson'
        ? ndjson(rows)
        : json(rows);
  writeWhole(path, '--rejected', pieces);
}

type Fields = Record<string, unknown>;

function* rejectedRows(journal: Journal): Generator<Fields> {
  const statement = journal.database.prepare(
    "SELECT r.row, r.status, r.reason, coalesce(b.fields, b.body) AS fields FROM rows r JOIN records b ON b.row = r.row WHERE r.state = 'rejected' ORDER BY r.row",
  );
  for (const { row, status, reason, fields } of statement.iterate()) {
    const own = typeof fields === 'string' ? (JSON.parse(fields) as Fields) : {};
    // A file that was mended and failed again carries the marks of its first time.
    for (const mark of MARKS) delete own[mark];
    yield { ...own, _run: journal.header.run, _row: row, _reason: reason, _status: status };
  }
}

function* csv(
  rows: Iterable<Fields>,
  columns: readonly string[],
  { delimiter = ',', newline = '\n' }: SourceFormat,
): Generator<string> {
  const names = [
    ...columns.filter((name) => !(MARKS as readonly string[]).includes(name)),
    ...MARKS,
  ];
  const line = (cells: readonly unknown[]) =>
    cells.map((value) => cell(value, delimiter)).join(delimiter) + newline;
  yield line(names);
  for (const fields of rows) yield line(names.map((name) => fields[name]));
}

function cell(value: unknown, delimiter: string): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const needsQuotes = text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

function* ndjson(rows: Iterable<Fields>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

function* json(rows: Iterable<Fields>): Generator<string> {
  let before = '[\n';
  for (const row of rows) {
    yield `${before}  ${JSON.stringify(row)}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
