import { randomUUID } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ProcError, systemCode, unreadable } from '../../core/errors.ts';
import { machineError } from '../../core/machine-errors.ts';
import { kebab } from '../../core/text/kebab.ts';
import { readCsv, readHeader } from './csv-rows.ts';
import { chosenArray, surveyDocument } from './json-document.ts';
import { readArray, readNdjson, readWhole } from './json-rows.ts';
import {
  badFile,
  badFlag,
  type Source,
  type SourceFormat,
  type SourceLayout,
  type SourceRecord,
} from './record.ts';
import { encodingOf, readText, type TextFile } from './text.ts';

interface ReadFlags extends SourceLayout {
  readonly allowPart?: boolean | undefined;
}

export interface OpenOptions {
  readonly file: string;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For copies of standard input and pipes. The folder exists, and only the user can read it. */
  readonly spoolFolder: string;
  readonly flags: ReadFlags;
  /** From a saved map. Flags take precedence; settings that do not fit the format are ignored. */
  readonly saved?: SourceLayout | undefined;
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
    return await sourceOf({ path, name, bytes }, options);
  } catch (thrown) {
    if (copy !== undefined) await rm(copy, { force: true });
    throw readError(thrown, name);
  }
}

/** Removes the copy of standard input. The user's own files stay. */
export function removeSpool({ path }: Pick<Source, 'path'>, folder: string): void {
  if (path.startsWith(join(folder, 'input-'))) rmSync(path, { force: true });
}

function readError(thrown: unknown, name: string): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  // A copy of standard input needs space.
  return machineError(thrown) ?? unreadable(name, thrown);
}

async function sourceOf(facts: Facts, options: OpenOptions): Promise<Source> {
  const { name, path } = facts;
  const head = Buffer.concat(await createReadStream(path, { end: HEAD_BYTES - 1 }).toArray());
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04') {
    const { sheet, headerRow } = layoutFor('a workbook', name, options);
    const { openWorkbook } = await import('./workbook.ts');
    return { ...facts, ...(await openWorkbook({ path, name, sheet, headerRow })) };
  }
  const start = head.toString('latin1', 0, 512);
  const [, kind] = OTHER_KINDS.find(([magic]) => magic.test(start)) ?? [];
  if (kind !== undefined) throw badFile(`${name} is ${kind}`);
  const asked = options.flags.encoding ?? options.saved?.encoding;
  const file: TextFile = { path, name, ...encodingOf(head, asked, name) };
  let text = '';
  for await (const piece of readText(file)) {
    text += piece;
    if (text.length >= HEAD_BYTES) break;
  }
  if (text.trim() === '') throw badFile(`${name} is empty: it begins with blank lines`);
  return withHead(facts, await readingOf(kindOf(text, name), text, file, options));
}

const OTHER_KINDS: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^\x1f\x8b/, 'a gzip file: unpack it with gunzip'],
  [/^\xd0\xcf\x11\xe0/, 'an old or a password-protected workbook: save it as .xlsx'],
  [/^(?:\xef\xbb\xbf)?\s*<[!?a-z]/i, 'a web page (HTML) or XML, perhaps of a login or an error'],
];

/** The flags that fit each kind of file. */
const KINDS = {
  CSV: ['headerRow', 'delimiter', 'encoding'],
  NDJSON: ['encoding'],
  'a JSON array': ['encoding', 'allowPart'],
  'a JSON document': ['path', 'encoding', 'allowPart'],
  'a workbook': ['sheet', 'headerRow'],
} as const;

type Kind = keyof typeof KINDS;

/** A title such as `[2026]` is no JSON. */
const JSON_START = /^(?:\[\s*[\]{["]|\{\s*["}])/;

/** Two lines, each of which is an object. */
const TWO_OBJECTS = /^\{[^\r\n]*\}[ \t]*,?[ \t]*\r?\n\s*\{/;

function kindOf(head: string, name: string): Kind {
  const text = head.trimStart();
  const isJsonName = /\.json$/i.test(name);
  if (text.startsWith('[') && (isJsonName || JSON_START.test(text))) return 'a JSON array';
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return 'NDJSON';
  if (text.startsWith('{') && (isJsonName || JSON_START.test(text))) {
    return TWO_OBJECTS.test(text) ? 'NDJSON' : 'a JSON document';
  }
  if (!isJsonName) return 'CSV';
  throw badFile(
    `${name} is not JSON: it begins with ${JSON.stringify(text.slice(0, 10))}, expected [ or {`,
  );
}

/** @throws ProcError `invalid_usage` for a flag that does not fit the format */
function layoutFor(kind: Kind, name: string, { flags, saved = {} }: OpenOptions): SourceLayout {
  const given: Record<string, unknown> = {};
  for (const key of ['path', 'sheet', 'headerRow', 'delimiter', 'encoding', 'allowPart'] as const) {
    const isFit = (KINDS[kind] as readonly string[]).includes(key);
    if (flags[key] !== undefined && flags[key] !== false && !isFit) {
      throw badFlag(`--${kebab(key)} does not apply: ${name} is ${kind}`);
    }
    if (isFit && key !== 'allowPart') given[key] = flags[key] ?? saved[key];
  }
  return given;
}

interface Reading extends Pick<Source, 'format' | 'layout'> {
  /** Of a table. */
  readonly columns?: readonly string[];
  read(): AsyncIterable<SourceRecord[]>;
}

async function readingOf(
  kind: Kind,
  head: string,
  file: TextFile,
  options: OpenOptions,
): Promise<Reading> {
  const { name, bom } = file;
  const layout = layoutFor(kind, name, options);
  if (kind === 'NDJSON') {
    const read = () => readNdjson(readText(file), name);
    return { format: { kind: 'ndjson', bom }, layout, read };
  }
  const format: SourceFormat = { kind: kind === 'CSV' ? 'csv' : 'json', bom };
  if (kind === 'a JSON array') {
    const place = { offset: head.indexOf('[') + 1, isDocument: true } as const;
    return { format, layout, read: () => readArray(readText(file), name, place) };
  }
  if (kind === 'a JSON document') {
    const document = await surveyDocument(readText(file), name);
    const array = chosenArray(document, layout.path, options.flags.allowPart ?? false);
    const read = () =>
      array === undefined
        ? readWhole(readText(file), name)
        : readArray(readText(file), name, array);
    return { format, layout, read };
  }
  const delimiter = layout.delimiter?.replace(/^(?:tab|\\t)$/, '\t');
  if (delimiter !== undefined && !/^[^"\r\n ]$/.test(delimiter)) {
    throw badFlag(
      `--delimiter ${JSON.stringify(delimiter)}: expected one character`,
      `Use e.g. --delimiter ';' or --delimiter tab`,
    );
  }
  const header = readHeader(head, name, { headerRow: layout.headerRow, delimiter });
  const newline = /\r\n?|\n/.exec(head)?.[0] ?? '\n';
  return {
    format: { ...format, delimiter: header.delimiter, newline },
    ...{ layout, columns: header.columns },
    read: () => readCsv(readText(file), header),
  };
}

async function withHead(facts: Facts, reading: Reading): Promise<Source> {
  const { name, path, bytes } = facts;
  const { format, layout, columns = [] } = reading;
  const { mtimeMs } = await stat(path);
  const names = new Set(columns);
  const head: SourceRecord[] = [];
  let seen = 0;
  for await (const batch of reading.read()) {
    seen += batch.length;
    head.push(...batch.slice(0, HEAD_RECORDS - head.length));
    for (const { fields } of batch) for (const field in fields) names.add(field);
    if (seen >= COLUMN_RECORDS) break;
  }
  return {
    ...{ ...facts, format, layout, head, columns: [...names] },
    async *records() {
      try {
        yield* reading.read();
        const now = await stat(path);
        if (now.mtimeMs !== mtimeMs || now.size !== bytes)
          throw badFile(`${name} changed while proc was reading it`, 'Import it again');
      } catch (thrown) {
        throw readError(thrown, name);
      }
    },
  };
}
