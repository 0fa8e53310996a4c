import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ProcError, systemCode, unreadable } from '../../core/errors.ts';
import { unguarded, unmarked } from '../../core/text/formula-guard.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { fileBytes, firstBytes, returnsAsFeeds } from './bytes/byte-source.ts';
import { MAX_COLUMNS } from './bytes/limits.ts';
import { type Digest, digestFile, spool } from './bytes/spool.ts';
import { readCsv } from './csv/csv-rows.ts';
import { type Detected, detect, openBytes } from './encoding/detect-encoding.ts';
import { type EncodingSuspect, find1252 } from './encoding/not-utf8.ts';
import type { Columns, HeaderPlace } from './header-place.ts';
import { refuseNamedWorkbook } from './identify.ts';
import { readJsonArray, readNdjson } from './json/json-rows.ts';
import type { Source, SourceLayout, SourceRecord } from './record.ts';
import { isWorkbook, workbookRows } from './xlsx/workbook.ts';

export interface OpenOptions {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: Readable;
  /**
   * For copies of standard input and pipes, and for temporary files of workbooks. The folder exists,
   * and only the user can read it.
   */
  readonly spoolFolder: string;
  readonly encoding?: string | undefined;
  readonly sheet?: string | undefined;
  readonly place?: HeaderPlace | undefined;
  /**
   * Asks whether the text is Windows-1252. Without this function, or if it returns false, rows that
   * are not UTF-8 are rejected.
   */
  readonly confirmEncoding?: ((found: EncodingSuspect) => Promise<boolean>) | undefined;
  readonly path?: string | undefined;
  /**
   * An object with all of these fields is itself a record, e.g. a requisition with its array of
   * groups.
   */
  readonly recordFields?: readonly string[] | undefined;
  /** From a saved map. Flags take precedence; settings that do not fit the format are ignored. */
  readonly saved?: SourceLayout | undefined;
}

/** JSON has no header: the columns are the field names of this many records. */
const COLUMN_RECORDS = 1000;

const HEAD_RECORDS = 20;

/**
 * Detects the format of the file from its content, and reads its hash, columns and first records.
 *
 * @throws ProcError `unreadable_file`; `invalid_input` if the file is empty or its format is not
 * supported; `invalid_usage` if a flag does not fit the format
 */
export async function openSource(options: OpenOptions): Promise<Source> {
  const { file, cwd } = options;
  if (file === '-') return restored(await spooled(options.stdin, 'standard input', options));
  const path = resolve(cwd, file);
  try {
    const found = await stat(path);
    if (found.isDirectory()) {
      throw new ProcError('unreadable_file', `${file} is a directory, expected a file`);
    }
    // A pipe or a device can be read only once, so it is copied to a file first.
    if (!found.isFile()) {
      return restored(await spooled(createReadStream(path), file, options));
    }
    if (found.size === 0) throw empty(file);
    const facts = { path, name: file, bytes: found.size, ...(await digestFile(path)) };
    return restored(await sourceOf(facts, options));
  } catch (thrown) {
    throw readError(thrown, file);
  }
}

/** The cells of a workbook are exact: no apostrophe protects them. */
function restored(source: Source): Source {
  return source.format.workbook?.isOwn === true ? source : withoutGuard(source);
}

async function spooled(stream: Readable, name: string, options: OpenOptions): Promise<Source> {
  const kept = await spool(stream, options.spoolFolder);
  try {
    if (kept.bytes === 0) throw empty(name);
    return await sourceOf({ ...kept, name }, options);
  } catch (thrown) {
    await rm(kept.path, { force: true });
    throw thrown;
  }
}

/** The fields that make an object a record; see `OpenOptions.recordFields`. */
export function recordFieldsOf({
  grouped,
  fields,
}: Pick<ImportTarget, 'grouped' | 'fields'>): readonly string[] | undefined {
  if (grouped === undefined) return undefined;
  return fields.fields.flatMap(({ name, required }) => (required === true ? [name] : []));
}

type Facts = Pick<Source, 'path' | 'name' | 'bytes'> &
  Digest & {
    /** A workbook, which proc has written as CSV. */
    readonly isBook?: boolean;
  };

async function sourceOf(given: Facts, options: OpenOptions): Promise<Source> {
  const head = await headOf(given.path);
  const isBook = isWorkbook(head);
  if (!isBook) refuseNamedWorkbook(head, given.name);
  if (!isBook && options.sheet !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `--sheet is for workbooks; ${given.name} is not a workbook`,
    );
  }
  const { saved = {} } = options;
  const place = { headerRow: options.place?.headerRow ?? saved.headerRow };
  const sheet = options.sheet ?? saved.sheet;
  const file = { ...given, folder: options.spoolFolder };
  const book = isBook ? await workbookRows(file, sheet, place) : undefined;
  // Keep the hash of the workbook: it is the file that the user imports.
  const facts =
    book === undefined
      ? given
      : { ...given, path: book.path, bytes: book.bytes, isAscii: false, isBook: true };
  try {
    if (book === undefined) return await readSource(facts, options);
    const rows = { ...options, place: undefined, saved: undefined };
    const { names, repeated } = book.columns;
    return {
      ...(book.rows === 0 ? headerOnly(facts, names) : await readSource(facts, rows)),
      table: { width: names.length, repeated },
      layout: { sheet, ...place },
      original: given.path,
      unsaved: book.unsaved,
      otherSheets: book.others,
      // The format of the file of rejected rows, if that file is not a workbook.
      format: {
        kind: 'csv',
        gzip: false,
        encoding: 'utf-8',
        bom: true,
        delimiter: ',',
        newline: '\r\n',
        workbook: { sheet: book.sheet, isOwn: true },
      },
    };
  } catch (thrown) {
    if (book !== undefined) await rm(book.path, { force: true });
    throw thrown;
  }
}

async function headOf(path: string): Promise<Buffer> {
  const source = await fileBytes(path);
  try {
    return await firstBytes(source, 4096);
  } finally {
    await source.close();
  }
}

function headerOnly(facts: Facts, columns: readonly string[]): Omit<Source, 'format'> {
  return { ...facts, columns, head: [], async *records() {} };
}

async function readSource(facts: Facts, options: OpenOptions): Promise<Source> {
  const { mtimeMs } = await stat(facts.path);
  const detected = await inEncoding(await detect(facts.path, facts.name, options), facts, options);
  const isCsv = detected.format.kind === 'csv';
  const names = new Set<string>();
  const head: SourceRecord[] = [];
  let table: Source['table'];
  const onHeader = (columns: Columns) => {
    for (const column of columns.names) names.add(column);
    table = { width: columns.names.length, repeated: columns.repeated };
  };
  let seen = 0;
  for await (const batch of readAll(facts, detected, onHeader)) {
    seen += batch.length;
    head.push(...batch.slice(0, HEAD_RECORDS - head.length));
    if (!isCsv) addNames(names, batch);
    if (seen >= (isCsv ? HEAD_RECORDS : COLUMN_RECORDS)) break;
  }
  return {
    ...facts,
    format: detected.format,
    columns: [...names],
    table,
    layout: detected.layout,
    head,
    async *records() {
      const unchanged = async () => {
        const now = await stat(facts.path);
        if (now.mtimeMs === mtimeMs && now.size === facts.bytes) return;
        throw new ProcError('invalid_input', `${facts.name} changed while proc was reading it`, {
          hint: 'Import it again once no other program is writing to it.',
        });
      };
      try {
        await unchanged();
        yield* readAll(facts, detected);
        await unchanged();
      } catch (thrown) {
        throw readError(thrown, facts.name);
      }
    },
  };
}

async function inEncoding(
  detected: Detected,
  { path, isAscii }: Facts,
  { encoding, confirmEncoding }: OpenOptions,
): Promise<Detected> {
  const { format } = detected;
  const as1252: Detected = { ...detected, format: { ...format, encoding: 'windows-1252' } };
  if (format.encoding !== 'utf-8' || format.bom) return detected;
  if (encoding === 'windows-1252') return as1252;
  if (encoding !== undefined || confirmEncoding === undefined || isAscii) return detected;
  const suspect = await find1252(await openBytes(path, format));
  return suspect !== undefined && (await confirmEncoding(suspect)) ? as1252 : detected;
}

async function* readAll(
  { path, name, isBook }: Facts,
  { format, shape, layout = {}, endsAtReturn = false }: Detected,
  onHeader?: (columns: Columns) => void,
): AsyncGenerator<readonly SourceRecord[], void> {
  const { encoding } = format;
  const bytes = await openBytes(path, format);
  try {
    if (shape !== undefined)
      yield* readCsv(bytes, {
        name,
        shape,
        encoding,
        place: layout,
        isExact: isBook,
        ...(onHeader && { onHeader }),
      });
    else if (format.kind === 'ndjson') {
      yield* readNdjson(endsAtReturn ? returnsAsFeeds(bytes) : bytes, encoding);
    } else yield* readJsonArray(bytes, name, encoding, format.path);
  } finally {
    await bytes.close();
  }
}

function addNames(names: Set<string>, records: readonly SourceRecord[]): void {
  for (const { fields } of records) {
    for (const name of Object.keys(fields ?? {})) {
      if (names.size < MAX_COLUMNS) names.add(name);
    }
  }
}

function empty(name: string): ProcError {
  return new ProcError('invalid_input', `${name} is empty`);
}

function readError(thrown: unknown, name: string): unknown {
  if (thrown instanceof ProcError) return thrown;
  return systemCode(thrown) === undefined ? thrown : unreadable(name, thrown);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Removes the apostrophes that proc's exports put before cells that look like formulas. Otherwise
 * proc would not recognise its own exported rows. In CSV files it also removes the marks with which
 * other programs keep leading zeros (`="00123"`, `'00123`).
 */
function withoutGuard(source: Source): Source {
  if (source.format.kind !== 'csv') return source;
  // The text of a workbook's cell is data: a workbook needs no marks.
  const isText = source.format.workbook === undefined;
  let count = 0;
  const restored = (record: SourceRecord): SourceRecord => {
    const fields = plain(record.fields);
    return fields === record.fields ? record : { ...record, fields };
  };
  function plain<F extends Fields>(fields: F | undefined): F | undefined {
    let own: Record<string, unknown> | undefined;
    for (const name in fields) {
      const value = fields[name];
      if (typeof value !== 'string' || !/[='"]/.test(value)) continue;
      const text = isText ? unmarked(value.trim()) : unguarded(value);
      if (text === value || text === value.trim()) continue;
      own ??= { ...fields };
      own[name] = text;
      count++;
    }
    return own === undefined ? fields : (own as F);
  }
  const head = source.head.map(restored);
  return {
    ...source,
    head,
    unguarded: () => count,
    async *records() {
      // A source may be read twice: count each cell once.
      count = 0;
      for await (const batch of source.records()) yield batch.map(restored);
    },
  };
}
