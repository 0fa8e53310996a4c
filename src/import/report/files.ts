import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import type { Row } from '../../core/result.ts';
import { rowsOfRun } from '../../ledger/run-queries.ts';
import type { Sql } from '../../ledger/sql.ts';
import { type CsvForm, csv } from '../../output/csv.ts';
import { batched, jsonArray, ndjson } from '../../output/format.ts';
import { checkOutFile, writeOutFile } from '../../output/sink.ts';
import { workbook } from '../../output/xlsx.ts';
import { PRIVATE, readRegularFile, writeWholeFile } from '../../store/whole-file.ts';
import type { Draft, DraftState } from '../draft/draft.ts';
import type { EndedRun } from '../ended-run.ts';
import type { ImportFlags } from '../import-flags.ts';
import type { RunHeader } from '../run-header.ts';
import { DELIMITERS } from '../source/csv-rows.ts';
import { ADDED_COLUMNS, isAddedColumn, type Source, type SourceFormat } from '../source/record.ts';
import { importsFolder } from '../workplace.ts';
import {
  type AnyRow,
  type LaidOut,
  ownFields,
  reasonAt,
  reasonOf,
  recordsOf,
  rowLayout,
} from './row-record.ts';

const FORMATS = ['csv', 'tsv', 'xlsx', 'ndjson', 'json'] as const;
type Format = (typeof FORMATS)[number];

/** Undefined if the extension selects no format. */
function formatOf(file: string): Format | undefined {
  const ending = extname(file).slice(1).toLowerCase();
  return FORMATS.find((one) => one === ending);
}

/**
 * Checks the files that a command is to write, before it sends anything.
 *
 * @param source undefined for standard input
 * @throws ProcError `invalid_usage` if an extension selects no format, or if a file would replace the source or another
 * of these files; `unwritable_output`
 */
export function checkFiles(
  { results, rejected, saveMap, mapFile }: ImportFlags,
  source: string | undefined,
  cwd: string,
): void {
  const flags = { '--results': results, '--save-map': saveMap, '--rejected': rejected };
  const taken = new Map([[source && realOf(resolve(cwd, source)), 'the file to import']]);
  // A map may be read and saved again.
  if (mapFile !== saveMap) taken.set(mapFile && realOf(resolve(cwd, mapFile)), '--map-file');
  for (const [flag, file] of Object.entries(flags)) {
    if (file === undefined) continue;
    if (flag !== '--save-map' && formatOf(file) === undefined)
      throw new ProcError(
        'invalid_usage',
        `${flag} ${file}: its extension selects the format, one of: .${FORMATS.join(', .')}`,
        { hint: `Use e.g. ${flag} rows.csv` },
      );
    const path = realOf(resolve(cwd, file));
    const other = taken.get(path);
    // What is still wrong in a file of rejected rows stays in it.
    if (other !== undefined && !(flag === '--rejected' && !other.startsWith('--')))
      throw new ProcError('invalid_usage', `${flag} ${file}: ${other} has the same name`, {
        hint: `Name another file for ${flag}`,
      });
    taken.set(path, flag);
    checkOutFile(resolve(cwd, file), flag);
  }
}

/**
 * The file of rejected rows: by default beside the source, or in `cwd` for standard input or if that folder cannot be
 * written. A file that somebody else has written or changed stays: the run gets another name. Nobody knows whether two
 * imports of standard input are of the same rows, so the file of the first stays too.
 *
 * @param from the file that the user imports; undefined for standard input
 * @param results path of `--results`
 */
export function chooseRejectedFile(
  run: string,
  { format, columns }: Pick<Source, 'format' | 'columns'>,
  from: string | undefined,
  { rejected: typed, results }: Pick<ImportFlags, 'rejected' | 'results'>,
  ctx: Context,
): string {
  const { cwd } = ctx;
  const path = typed === undefined ? defaultFile(from, format, cwd) : resolve(cwd, typed);
  refuseOtherKind(typed, format);
  const written = writtenIn(importsFolder(ctx));
  return freeFile(path, run, (file) => {
    if (file === results) return false;
    const modified = modifiedOf(file);
    if (modified === undefined) return true;
    if (isSameFile(file, from)) return columns.includes(ADDED_COLUMNS[0]);
    return (from ?? typed) !== undefined && written[file]?.modified === modified;
  });
}

/** The path, or a name beside it that is free. */
function freeFile(path: string, run: string, isFree: (file: string) => boolean): string {
  const ending = extname(path);
  for (let nth = 0; ; nth++) {
    const more = ['', `-${run}`][nth] ?? `-${run}-${nth}`;
    const file = join(dirname(path), `${basename(path, ending)}${more}${ending}`);
    if (isFree(file)) return file;
  }
}

/** Files that this machine remembers; a file that was forgotten is never overwritten. */
const MOST_REMEMBERED = 500;

const writtenFile = (imports: string): string => join(imports, 'rejected-files.json');

/** The files of rejected rows, by path: the time of modification as proc has left them, and whose rows they have. */
function writtenIn(
  imports: string,
): Readonly<Record<string, { readonly modified: number; readonly run: string }>> {
  try {
    return JSON.parse(readRegularFile(writtenFile(imports)).text);
  } catch {
    return {};
  }
}

/** A cell cannot contain lists and objects. */
function refuseOtherKind(typed: string | undefined, { kind }: SourceFormat): void {
  const format = typed === undefined ? undefined : formatOf(typed);
  const isTable = format === 'csv' || format === 'tsv' || format === 'xlsx';
  if (format === undefined || isTable === (kind === 'csv')) return;
  const fits = kind === 'csv' ? ['.csv', '.tsv', '.xlsx'] : ['.json', '.ndjson'];
  throw new ProcError(
    'invalid_usage',
    `--rejected ${typed}: the rows of this file can be written as ${fits.join(', ')}`,
    { hint: `Use e.g. --rejected rejected${fits[0]}` },
  );
}

function defaultFile(source: string | undefined, format: SourceFormat, cwd: string): string {
  const text = format.kind === 'csv' && format.delimiter === '\t' ? 'tsv' : format.kind;
  const ending = format.workbook === undefined ? text : 'xlsx';
  if (source === undefined) return join(cwd, `import.rejected.${ending}`);
  const file = basename(source);
  const stem = basename(file, extname(file)).replace(/\.rejected(-\d{8}-\d{6}-[0-9a-f]{6})?$/, '');
  return join(isWritable(dirname(source)) ? dirname(source) : cwd, `${stem}.rejected.${ending}`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function modifiedOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function isSameFile(path: string, other: string | undefined): boolean {
  return other !== undefined && modifiedOf(path) !== undefined && realOf(path) === realOf(other);
}

/** Without symbolic links; of a file that does not exist, the path itself. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export interface RowSources {
  readonly sql: Sql;
  /** Of the run; undefined: nothing was sent. */
  readonly number: number | undefined;
  /** Undefined after a resume. */
  readonly draft: Draft | undefined;
}

/**
 * Writes the rows that the plan rejects, before anything is sent: they are not in the ledger.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function beginRejected(header: RunHeader, draft: Draft, ctx: Context): Promise<void> {
  const { rejected } = header.files;
  // The rejected file of an earlier import has all its rows until the end.
  if (isSameFile(rejected, header.source.path) || draft.planned().rejected === 0) return;
  const { sql } = await ctx.ledger();
  await writeRecords(rejected, header, { sql, number: undefined, draft }, importsFolder(ctx));
}

/**
 * Adds the rows that the service refused. A file that somebody has changed meanwhile stays as it is: then another one has
 * all rows. After a resume, another one has the rows that the service refused, because only the file of the plan has the
 * others.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function endRejected(run: EndedRun, from: RowSources, ctx: Context): Promise<void> {
  const imports = importsFolder(ctx);
  const { header, number, hasEnded } = run;
  const { rejected: refused = 0 } = run.rows;
  const isResumed = from.draft === undefined;
  const planned = isResumed ? 0 : header.planned.rejected;
  if (planned + refused === 0) return;
  let path = header.files.rejected;
  if (isSameFile(path, header.source.path)) {
    // Until its import ends, a file of rejected rows has them all.
    if (!isResumed && (hasEnded || number === undefined))
      await writeRecords(path, header, from, imports);
    return;
  }
  const written = writtenIn(imports);
  if (refused === 0 && written[path]?.run === header.run) return;
  // On another machine, its folder may not exist.
  if (!isWritable(dirname(path))) path = join(ctx.cwd, basename(path));
  const isOwn = (file: string) => {
    const modified = modifiedOf(file);
    const last = written[file];
    if (modified === undefined || last?.modified !== modified) return modified === undefined;
    return last.run === header.run || modified < Date.parse(header.startedAt);
  };
  const isOnlyOther = isResumed && header.planned.rejected > 0;
  const file = freeFile(path, header.run, (one) => !(isOnlyOther && one === path) && isOwn(one));
  await writeRecords(file, header, from, imports);
}

/** The files on this machine that have the rejected rows of a run. */
export function rejectedFilesOf(
  { files, source, run }: RunHeader,
  ctx: Pick<Context, 'env'>,
): readonly string[] {
  const own = Object.entries(writtenIn(importsFolder(ctx))).flatMap(([path, last]) =>
    last.run === run && modifiedOf(path) !== undefined ? [path] : [],
  );
  return own.length === 0 && isSameFile(files.rejected, source.path) ? [files.rejected] : own;
}

type Records = AsyncGenerator<Row>;

async function* rejectedRecords(header: RunHeader, from: RowSources): Records {
  for await (const row of rowsIn(from, 'rejected')) {
    for (const { _row = row.row, ...own } of recordsOf(row)) {
      const reason = header.groupBy === undefined ? reasonOf(row) : reasonAt(row, Number(_row));
      yield { ...own, _row, _reason: reason };
    }
  }
}

async function writeRecords(
  path: string,
  header: RunHeader,
  from: RowSources,
  imports: string,
): Promise<void> {
  const { format } = header.source;
  const names = new Set(ownFields(header));
  let isAscii = true;
  for await (const row of rejectedRecords(header, from)) {
    for (const name of Object.keys(row)) if (!isAddedColumn(name)) names.add(name);
    isAscii &&= /^[\0-\x7f]*$/.test(JSON.stringify(row));
  }
  await writeRows(path, '--rejected', {
    fields: [...names, ...ADDED_COLUMNS],
    rows: rejectedRecords(header, from),
    // Any other one would need a flag when the file is imported.
    delimiter: DELIMITERS.find((one) => one === format.delimiter),
    newline: format.newline,
    // Without a mark, spreadsheets misread UTF-8.
    hasMark: format.bom || !isAscii,
    sheet: format.workbook?.sheet ?? 'Rejected',
  });
  const { [path]: _before, ...others } = writtenIn(imports);
  const written = [path, { modified: modifiedOf(path), run: header.run }];
  const files = [...Object.entries(others), written].slice(-MOST_REMEMBERED);
  try {
    writeWholeFile(writtenFile(imports), JSON.stringify(Object.fromEntries(files)), PRIVATE);
  } catch {
    // Then the next import chooses another name.
  }
}

/**
 * Writes every row with its state.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function writeResults(path: string, header: LaidOut, from: RowSources): Promise<void> {
  const { fields, record } = rowLayout(header);
  async function* rows(): Records {
    for await (const row of rowsIn(from)) yield record(row);
  }
  await writeRows(path, '--results', { fields, rows: rows(), sheet: 'Rows' });
}

const STATES: readonly DraftState[] = [
  ...['pending', 'existing', 'sentBefore', 'repeated', 'rejected', 'unconfirmed'],
] as const;

/** Rows in their order, all or those that were rejected. Rows that entered the ledger have their outcome there. */
async function* rowsIn(
  { sql, number, draft }: RowSources,
  state?: 'rejected',
): AsyncGenerator<AnyRow> {
  const states = state === undefined ? STATES : [state];
  const sent = number === undefined ? undefined : eachRow(sql, number, state);
  let next = await sent?.next();
  for (const row of draft?.rows(...states) ?? []) {
    for (; next?.done === false && next.value.row < row.row; next = await sent!.next())
      yield next.value;
    const isOpen = row.state === 'sentBefore' && row.is_open === 1;
    // The ledger may have removed the body.
    const { body, source } = row;
    if (next?.done !== false || next.value.row !== row.row)
      yield isOpen ? { ...row, state: 'unconfirmed' } : row;
    else {
      yield { ...row, ...next.value, body, source };
      next = await sent!.next();
    }
  }
  for (; next?.done === false; next = await sent!.next()) yield next.value;
}

async function* eachRow(
  sql: Sql,
  number: number,
  state?: 'rejected',
): AsyncGenerator<AnyRow, void> {
  const states = state === undefined ? [] : [state];
  for await (const lot of rowsOfRun(sql, number, states)) yield* lot;
}

interface Rows extends CsvForm {
  readonly fields: readonly string[];
  readonly rows: AsyncIterable<Row>;
  readonly sheet: string;
}

/** Writes the format that the extension selects, by default CSV. */
function writeRows(
  path: string,
  flag: string,
  { fields, rows, sheet, ...form }: Rows,
): Promise<void> {
  const format = formatOf(path);
  const batches = batched(rows);
  const pieces = () => {
    if (format === 'xlsx') return workbook({ name: sheet, fields }, batches);
    if (format === 'json') return jsonArray(batches);
    if (format === 'ndjson') return ndjson(batches);
    return csv(fields, batches, format === 'tsv' ? { ...form, delimiter: '\t' } : form);
  };
  return writeOutFile(path, flag, async (write) => {
    for await (const piece of pieces()) await write(piece);
  });
}
