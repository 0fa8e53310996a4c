import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { machineError, ProcError, systemCode, unreadable } from '../../core/errors.ts';
import { removeIfPossible } from '../../store/whole-file.ts';
import { readCsv, readHeader } from './csv-rows.ts';
import { chosenArray, surveyDocument } from './json-document.ts';
import { readArray, readNdjson, readWhole } from './json-rows.ts';
import { badFile, type Source, type SourceLayout, type SourceRecord } from './record.ts';
import { encodingOf, readText, type TextFile } from './text.ts';

export interface OpenOptions {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For copies of standard input and pipes. The folder exists, and only the user can read it. */
  readonly spoolFolder: string;
  readonly flags: SourceLayout & { readonly allowPart?: boolean | undefined };
}

type Facts = Pick<Source, 'path' | 'name' | 'bytes'>;

/** JSON has no header: the columns are the field names of this many records. */
const COLUMN_RECORDS = 1000;
const HEAD_RECORDS = 20;
const HEAD_BYTES = 64 << 10;

/**
 * Finds out what the file is, and reads its columns and first records.
 *
 * @throws ProcError `invalid_input` if the file cannot be read, is empty or no list of rows;
 * `invalid_usage` if a flag does not fit the format
 */
export async function openSource(options: OpenOptions): Promise<Source> {
  const { file, cwd, stdin, spoolFolder } = options;
  const name = file === '-' ? 'standard input' : file;
  let path = resolve(cwd, file);
  let copy: string | undefined;
  try {
    const found = file === '-' ? undefined : await stat(path);
    if (found?.isDirectory()) {
      throw new ProcError('invalid_input', `${file} is a directory, expected a file`);
    }
    // A pipe or a device can be read only once, so it is copied to a file first.
    if (found?.isFile() !== true) {
      copy = join(spoolFolder, `input-${randomUUID()}`);
      const stream = found === undefined ? stdin : createReadStream(path);
      await writeFile(copy, stream, { flag: 'wx', mode: 0o600 });
      path = copy;
    }
    const { size: bytes } = await stat(path);
    if (bytes === 0) throw badFile(`${name} is empty`);
    return await sourceOf({ path, name, bytes }, options.flags);
  } catch (thrown) {
    if (copy !== undefined) await rm(copy, { force: true });
    throw readError(thrown, name);
  }
}

/** Removes the copy of standard input. The user's own files stay. */
export function removeSpool({ path }: Pick<Source, 'path'>, folder: string): void {
  if (path.startsWith(join(folder, 'input-'))) removeIfPossible(path);
}

function readError(thrown: unknown, name: string): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  // A copy of standard input needs space.
  return machineError(thrown) ?? unreadable(name, thrown);
}

async function sourceOf(facts: Facts, flags: OpenOptions['flags']): Promise<Source> {
  const { name, path } = facts;
  const head = Buffer.concat(await createReadStream(path, { end: HEAD_BYTES - 1 }).toArray());
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04') {
    const { openWorkbook } = await import('./workbook.ts');
    return { ...facts, ...(await openWorkbook(facts, flags)) };
  }
  const start = head.toString('latin1', 0, 512);
  const [, kind] = OTHER_KINDS.find(([magic]) => magic.test(start)) ?? [];
  if (kind !== undefined) throw badFile(`${name} is ${kind}`);
  const file: TextFile = { path, name, ...encodingOf(head, flags.encoding, name) };
  let text = '';
  for await (const piece of readText(file)) {
    text += piece;
    if (text.length >= HEAD_BYTES) break;
  }
  if (text.trim() === '') throw badFile(`${name} is empty: it begins with blank lines`);
  return withHead(facts, await readingOf(text, file, flags));
}

const OTHER_KINDS: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^\x1f\x8b/, 'a gzip file: unpack it with gunzip'],
  [/^\xd0\xcf\x11\xe0/, 'an old or a password-protected workbook: save it as .xlsx'],
  [/^(?:\xef\xbb\xbf)?\s*<[!?a-z]/i, 'a web page (HTML) or XML, perhaps of a login or an error'],
];

type Kind = 'CSV' | 'NDJSON' | 'a JSON array' | 'a JSON document';

/** A title such as `[2026]` is no JSON. */
const JSON_START = /^(?:\[\s*[\]{["]|\{\s*["}])/;

/** Two lines, each of which is an object. */
const TWO_OBJECTS = /^\{[^\r\n]*\}[ \t]*,?[ \t]*\r?\n\s*\{/;

function kindOf(head: string, name: string): Kind {
  const text = head.trimStart();
  const isJson = /\.json$/i.test(name) || JSON_START.test(text);
  if (isJson && text.startsWith('[')) return 'a JSON array';
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return 'NDJSON';
  if (isJson && text.startsWith('{')) return TWO_OBJECTS.test(text) ? 'NDJSON' : 'a JSON document';
  if (!isJson) return 'CSV';
  const start = JSON.stringify(text.slice(0, 10));
  throw badFile(`${name} is not JSON: it begins with ${start}, expected [ or {`);
}

interface Reading extends Pick<Source, 'format'> {
  /** Of a table. */
  readonly columns?: readonly string[];
  read(): AsyncIterable<SourceRecord[]>;
}

async function readingOf(
  head: string,
  file: TextFile,
  flags: OpenOptions['flags'],
): Promise<Reading> {
  const { name, bom } = file;
  const { path, allowPart = false } = flags;
  const kind = kindOf(head, name);
  const pieces = () => readText(file);
  if (kind === 'NDJSON')
    return { format: { kind: 'ndjson', bom }, read: () => readNdjson(pieces(), name) };
  if (kind === 'CSV') {
    const header = readHeader(head, name, flags);
    const { delimiter, columns } = header;
    const newline = /\r\n?|\n/.exec(head)?.[0] ?? '\n';
    const format = { kind: 'csv', bom, delimiter, newline } as const;
    return { format, columns, read: () => readCsv(pieces(), header) };
  }
  const array =
    kind === 'a JSON array'
      ? ({ offset: head.indexOf('[') + 1, isDocument: true } as const)
      : chosenArray(await surveyDocument(pieces(), name), path, allowPart);
  const read = () =>
    array === undefined ? readWhole(pieces(), name) : readArray(pieces(), name, array);
  return { format: { kind: 'json', bom }, read };
}

async function withHead(facts: Facts, { read, columns = [], ...how }: Reading): Promise<Source> {
  const { name, path, bytes } = facts;
  const { mtimeMs } = await stat(path);
  const names = new Set(columns);
  const head: SourceRecord[] = [];
  let seen = 0;
  for await (const batch of read()) {
    seen += batch.length;
    head.push(...batch.slice(0, HEAD_RECORDS - head.length));
    for (const { fields } of batch) for (const field in fields) names.add(field);
    if (seen >= COLUMN_RECORDS) break;
  }
  return {
    ...{ ...facts, ...how, head, columns: [...names] },
    async *records() {
      try {
        yield* read();
        const now = await stat(path);
        if (now.mtimeMs !== mtimeMs || now.size !== bytes)
          throw badFile(`${name} changed while proc was reading it`, 'Import it again');
      } catch (thrown) {
        throw readError(thrown, name);
      }
    },
  };
}
