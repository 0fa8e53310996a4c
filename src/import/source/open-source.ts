import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import { withNamedMarks } from '../map/repair/named-marks.ts';
import { isMarked } from '../map/repair/recognise.ts';
import type { TargetFields } from '../targets/target-fields.ts';
import { fileBytes, firstBytes } from './bytes/byte-source.ts';
import { MAX_COLUMNS } from './bytes/limits.ts';
import { type Digest, digestFile, spool } from './bytes/spool.ts';
import { readCsv } from './csv/csv-rows.ts';
import { withoutGuard } from './csv/without-guard.ts';
import { type Detected, detect, openBytes } from './encoding/detect-encoding.ts';
import { find1252, type Suspect } from './encoding/find-1252.ts';
import { refuseNamedWorkbook } from './identify.ts';
import { readJsonArray } from './json/json-array.ts';
import { readNdjson } from './json/ndjson.ts';
import type { Source, SourceRecord } from './record.ts';
import { isWorkbook, workbookRows } from './xlsx/workbook.ts';

export interface OpenOptions {
  /** A file, or `-` for standard input. */
  readonly file: string;
  readonly stdin: Readable;
  /** Where standard input (or a pipe given as a file) is kept; exists, and is the user's alone. */
  readonly spoolFolder: string;
  /** `--encoding`; found out where undefined. */
  readonly encoding?: string | undefined;
  /** `--sheet`. */
  readonly sheet?: string | undefined;
  /**
   * Asked where the text is no UTF-8, but could be Windows-1252. Throws where nobody can tell, or says
   * false; without it such rows are row problems.
   */
  readonly confirmEncoding?: ((found: Suspect) => Promise<boolean>) | undefined;
  /** `--path products`: path of the array in a JSON document. */
  readonly path?: string | undefined;
  /**
   * A JSON object that has all of these fields is a record itself, even where it holds an array of
   * objects (a requisition with its groups).
   */
  readonly recordFields?: readonly string[] | undefined;
  /** `--csv-raw`: keep apostrophes that guard cells against spreadsheets. */
  readonly csvRaw?: boolean | undefined;
}

/** Records that tell the columns of JSON, which has no header. */
const COLUMN_RECORDS = 1000;

const HEAD_RECORDS = 20;

/**
 * Opens what is to be imported: finds its format by its content, its hash, its columns and its first
 * records. Throws `unreadable_file`, and `invalid_input` where it holds no records of any kind.
 */
export async function openSource(options: OpenOptions): Promise<Source> {
  const { file } = options;
  if (file === '-')
    return restored(await spooled(options.stdin, 'standard input', options), options);
  try {
    const found = await stat(file);
    if (found.isDirectory()) {
      throw new ProcError('unreadable_file', `${file} is a directory, expected a file`);
    }
    // A pipe or device can be read only once.
    if (!found.isFile()) {
      return restored(await spooled(createReadStream(file), file, options), options);
    }
    if (found.size === 0) throw empty(file);
    const facts = { path: file, name: file, bytes: found.size, ...(await digestFile(file)) };
    return restored(await sourceOf(facts, options), options);
  } catch (thrown) {
    throw readable(thrown, file);
  }
}

/** What our own exports and reports added is undone. A report of rejected rows is always guarded. */
function restored(source: Source, { csvRaw }: OpenOptions): Source {
  const named = withNamedMarks(source);
  return csvRaw === true && !isMarked(named.columns) ? named : withoutGuard(named);
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

/** A noun whose records hold arrays themselves is told so: they are no lists of records. */
export function recordFieldsOf({
  isChecked,
  fields,
}: {
  readonly isChecked?: boolean;
  readonly fields: TargetFields;
}): readonly string[] | undefined {
  if (isChecked !== true) return undefined;
  const required = fields.fields.filter(({ required }) => required === true);
  return required.length === 0 ? undefined : required.map(({ name }) => name);
}

type Facts = Pick<Source, 'path' | 'name' | 'bytes'> & Digest;

async function sourceOf(given: Facts, options: OpenOptions): Promise<Source> {
  const head = await headOf(given.path);
  const isBook = isWorkbook(head);
  if (!isBook) refuseNamedWorkbook(head, given.name);
  if (!isBook && options.sheet !== undefined) {
    throw new ProcError('invalid_usage', `--sheet is for workbooks; ${given.name} is none`);
  }
  const book = isBook
    ? await workbookRows(given.path, given.name, options.spoolFolder, options.sheet)
    : undefined;
  // The hash stays that of the workbook: it is what is imported.
  const facts =
    book === undefined ? given : { ...given, path: book.path, bytes: book.bytes, isAscii: false };
  try {
    if (book === undefined) return await readSource(facts, options);
    return {
      ...(book.rows === 0 ? headerOnly(facts, book.columns) : await readSource(facts, options)),
      original: given.path,
      // What its like is written as: a workbook itself is only read.
      format: {
        kind: 'csv',
        gzip: false,
        encoding: 'utf-8',
        bom: true,
        delimiter: ',',
        newline: '\r\n',
        workbook: { sheet: book.sheet },
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

/** A workbook with a header and nothing below it. */
function headerOnly(facts: Facts, columns: readonly string[]): Omit<Source, 'format'> {
  return { ...facts, columns, head: [], async *records() {} };
}

async function readSource(facts: Facts, options: OpenOptions): Promise<Source> {
  const { mtimeMs } = await stat(facts.path);
  const detected = await inEncoding(await detect(facts.path, facts.name, options), facts, options);
  const isCsv = detected.format.kind === 'csv';
  const names = new Set<string>();
  const head: SourceRecord[] = [];
  const onHeader = (columns: readonly string[]) => {
    for (const column of columns) names.add(column);
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
    head,
    async *records() {
      const unchanged = async () => {
        const now = await stat(facts.path);
        if (now.mtimeMs === mtimeMs && now.size === facts.bytes) return;
        throw new ProcError('invalid_input', `${facts.name} was changed while it was read`, {
          hint: 'Import it again when nothing writes to it any more.',
        });
      };
      try {
        await unchanged();
        yield* readAll(facts, detected);
        await unchanged();
      } catch (thrown) {
        throw readable(thrown, facts.name);
      }
    },
  };
}

/** The same with the encoding that was given, or that the bytes tell and a person confirms. */
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
  const { gzip } = format;
  const suspect = await find1252(await openBytes(path, { gzip, encoding: 'utf-8', markBytes: 0 }));
  return suspect !== undefined && (await confirmEncoding(suspect)) ? as1252 : detected;
}

async function* readAll(
  { path, name }: Facts,
  { format, shape }: Detected,
  onHeader?: (columns: readonly string[]) => void,
): AsyncGenerator<readonly SourceRecord[], void> {
  const { encoding, gzip, bom } = format;
  const markBytes = bom ? (encoding === 'utf-8' ? 3 : 2) : 0;
  const bytes = await openBytes(path, { gzip, encoding, markBytes });
  try {
    if (shape !== undefined)
      yield* readCsv(bytes, { name, shape, encoding, ...(onHeader && { onHeader }) });
    else if (format.kind === 'ndjson') yield* readNdjson(bytes, encoding);
    else yield* readJsonArray(bytes, name, encoding, format.path);
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

/** The system's errors in words. */
function readable(thrown: unknown, name: string): unknown {
  if (thrown instanceof ProcError) return thrown;
  switch (systemCode(thrown)) {
    case undefined:
      return thrown;
    case 'ENOENT':
      return new ProcError('unreadable_file', `${name}: there is no such file`, { cause: thrown });
    case 'EACCES':
    case 'EPERM':
      return new ProcError('unreadable_file', `${name}: you may not read this file`, {
        cause: thrown,
      });
    default:
      return new ProcError('unreadable_file', `${name} cannot be read (${messageOf(thrown)})`, {
        cause: thrown,
      });
  }
}
