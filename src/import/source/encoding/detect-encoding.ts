import { ProcError } from '../../../core/errors.ts';
import { type ByteSource, fileBytes, firstBytes, skipping } from '../bytes/byte-source.ts';
import { gunzip } from '../bytes/gunzip.ts';
import { type FoundShape, findShape } from '../csv/csv-shape.ts';
import { identify, isGzip } from '../identify.ts';
import { chooseArray, parsePath } from '../json/json-path.ts';
import { survey } from '../json/json-survey.ts';
import type { SourceFormat } from '../record.ts';
import { utf16Bytes } from './utf16.ts';
import { windows1252Bytes } from './windows-1252.ts';

const HEAD_BYTES = 64 << 10;

/** A first line of NDJSON that is not an object, followed by one that is. */
const VALUE_BEFORE_OBJECT =
  /^(?:null|true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*")[ \t\r]*\n\s*\{/;

/** A format, and for CSV its delimiter and line breaks. */
export interface Detected {
  readonly format: SourceFormat;
  readonly shape?: FoundShape | undefined;
}

export interface DetectOptions {
  /** `--path`. */
  readonly path?: string | undefined;
  /**
   * An object that has all of these fields is a record, even if it contains an array of objects.
   */
  readonly recordFields?: readonly string[] | undefined;
}

/** Opens a file as UTF-8 without a byte order mark, from any supported compression and encoding. */
export async function openBytes(
  file: string,
  {
    gzip,
    encoding,
    markBytes,
  }: { gzip: boolean; encoding: SourceFormat['encoding']; markBytes: number },
): Promise<ByteSource> {
  const raw = await fileBytes(file);
  const bytes = skipping(gzip ? gunzip(raw) : raw, markBytes);
  if (encoding === 'utf-8') return bytes;
  if (encoding === 'windows-1252') return windows1252Bytes(bytes);
  return utf16Bytes(bytes, encoding === 'utf-16le' ? 'le' : 'be');
}

/** Detects the format of a file from its content. Throws `invalid_input` if it cannot be read. */
export async function detect(
  file: string,
  name: string,
  options: DetectOptions,
): Promise<Detected> {
  const raw = await headOf(await fileBytes(file));
  const gzip = isGzip(raw);
  const unpacked = gzip ? gunzip(await fileBytes(file)) : undefined;
  const head = unpacked === undefined ? raw : await headOf(unpacked);
  if (head.length === 0) {
    const reason = unpacked?.problem === undefined ? '' : `: ${unpacked.problem}`;
    throw new ProcError('invalid_input', `${name} is empty${reason}`);
  }
  const { encoding, markBytes } = identify(head, name);
  const how = { gzip, encoding, markBytes };
  const format = { gzip, encoding, bom: markBytes > 0 };
  const bytes =
    encoding === 'utf-8' ? head.subarray(markBytes) : await headOf(await openBytes(file, how));
  // The syntax of all three formats is ASCII, so other characters need not be decoded here.
  const text = bytes.toString('latin1');
  const start = text.trimStart();
  if (start === '' && head.length < HEAD_BYTES) {
    throw new ProcError('invalid_input', `${name} is empty: it contains only blank lines`);
  }
  if (start.startsWith('[')) {
    return {
      format: {
        ...format,
        kind: 'json',
        path: options.path === undefined ? [] : parsePath(options.path),
      },
    };
  }
  if (start.startsWith('{')) {
    if (looksLikeLines(start)) return { format: asLines(format, options, name) };
    return { format: await ofObject(file, how, format, name, options) };
  }
  if (VALUE_BEFORE_OBJECT.test(start)) return { format: asLines(format, options, name) };
  if (options.path !== undefined) {
    throw new ProcError('invalid_usage', `--path is for JSON documents; ${name} is CSV`);
  }
  const shape = findShape(text, head.length < HEAD_BYTES);
  return {
    format: { ...format, kind: 'csv', delimiter: shape.delimiter, newline: shape.lineEnd },
    shape,
  };
}

async function headOf(source: ByteSource): Promise<Buffer> {
  try {
    return await firstBytes(source, HEAD_BYTES);
  } finally {
    await source.close();
  }
}

type Basics = Omit<SourceFormat, 'kind'>;

/** Two lines with an object each, or an invalid first line before a complete object. */
function looksLikeLines(start: string): boolean {
  const [first = '', second = ''] = start
    .split('\n', 20)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return second.startsWith('{') && !/[[{,:]$/.test(first) && !second.endsWith(',');
}

async function ofObject(
  file: string,
  how: Parameters<typeof openBytes>[1],
  format: Basics,
  name: string,
  options: DetectOptions,
): Promise<SourceFormat> {
  if (options.path !== undefined) return { ...format, kind: 'json', path: parsePath(options.path) };
  const bytes = await openBytes(file, how);
  try {
    const found = await survey(bytes, name);
    if (found.end === 'more') {
      if (found.oneLine) return asLines(format, options, name);
      throw new ProcError(
        'invalid_input',
        `${name} contains several JSON values that span several lines`,
        {
          hint: `Write one value per line: jq -c . ${name === 'standard input' ? '' : name}`.trimEnd(),
        },
      );
    }
    const path = chooseArray(found, name, options.recordFields);
    if (path === undefined && found.oneLine) return asLines(format, options, name);
    return { ...format, kind: 'json', path };
  } finally {
    await bytes.close();
  }
}

function asLines(format: Basics, options: DetectOptions, name: string): SourceFormat {
  if (options.path !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `--path is for JSON documents; ${name} has one object per line`,
    );
  }
  return { ...format, kind: 'ndjson' };
}
