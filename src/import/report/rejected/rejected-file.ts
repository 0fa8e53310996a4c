import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { csvCell } from '../../../core/text/csv-cell.ts';
import { guarded } from '../../../core/text/formula-guard.ts';
import type { Journal } from '../../ledger/journal.ts';
import { ADDED_COLUMNS, isAddedColumn, RAW } from '../../map/repair/added-columns.ts';
import { encoderFor } from '../../source/encoding/windows-1252.ts';
import type { Source, SourceFormat } from '../../source/record.ts';
import { writeWhole } from '../rows-file.ts';

const ENDINGS = { csv: '.csv', json: '.json', ndjson: '.ndjson' } as const;

/**
 * The default file for rejected rows: beside the source, or in the current folder if that is not
 * writable. It never overwrites the file of an earlier run, because a person may be repairing it.
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

/** Writes every rejected row as it is in the source, in the same format, with the reason. */
export function writeRejected(journal: Journal, path: string): void {
  const { format, columns } = journal.header.source;
  const rows = rejectedRows(journal);
  const pieces =
    format.kind === 'csv'
      ? csv(rows, columnsOf(journal), format, format.bom || needsBom(journal, columns))
      : format.kind === 'ndjson'
        ? ndjson(rows)
        : json(rows, format.path ?? []);
  writeWhole(path, '--rejected', pieces, encoderFor(format.encoding));
}

/** A rejected row: its fields as JSON text, and the columns that proc adds. */
interface Rejected {
  readonly own: string;
  readonly added: Readonly<Record<(typeof ADDED_COLUMNS)[number], unknown>>;
}

function* rejectedRows(journal: Journal): Generator<Rejected> {
  for (const { row, status, reason, fields } of journal.reported.rejected()) {
    const added = { _run: journal.header.run, _row: row, _reason: reason, _status: status };
    const text = fields ?? '{}';
    // Several rows of the source form this one: all are written, to be repaired together.
    if (text.startsWith('[')) {
      for (const own of JSON.parse(text) as object[]) yield { own: JSON.stringify(own), added };
    } else yield { own: text, added };
  }
}

/** Without a byte order mark, spreadsheets misread UTF-8. Pure ASCII needs none. */
function needsBom(journal: Journal, columns: readonly string[]): boolean {
  if (journal.header.source.format.encoding !== 'utf-8') return false;
  const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
  if (!columns.every(isAscii)) return true;
  for (const { own, added } of rejectedRows(journal)) {
    if (!isAscii(own) || !isAscii(String(added._reason))) return true;
  }
  return false;
}

/** The columns of the source, the added ones, and one for the text of unreadable rows if there are any. */
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
  hasBom: boolean,
): Generator<string> {
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

/** In the shape of the source: an array, inside the same objects. */
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
  const text = /"_(run|row|reason|status)"/.test(own) ? withoutAdded(own) : own;
  const rest = JSON.stringify(added).slice(1);
  return text === '{}' ? `{${rest}` : `${text.slice(0, -1)},${rest}`;
}

/** A repaired file that fails again still has the added columns of the first time. */
function withoutAdded(own: string): string {
  const fields = JSON.parse(own) as Record<string, unknown>;
  for (const name of ADDED_COLUMNS) delete fields[name];
  return JSON.stringify(fields);
}
