import { ProcError } from '../../../core/errors.ts';
import { sentence } from '../../../core/problem/sentence.ts';
import { type ByteSource, fileBytes, firstBytes, gunzip, skipping } from '../bytes/byte-source.ts';
import { type FoundShape, findShape } from '../csv/csv-shape.ts';
import { firstRow, type HeaderPlace } from '../header-place.ts';
import { identify, isGzip } from '../identify.ts';
import {
  chooseArray,
  nestedArrays,
  parsePath,
  type Survey,
  showPath,
  survey,
} from '../json/json-document.ts';
import type { SourceFormat, SourceLayout } from '../record.ts';
import { inUtf8 } from './text-encodings.ts';

const HEAD_BYTES = 64 << 10;

const JSON_START = /^(?:\[\s*[\]{]|\{\s*["}])/;

/** Two lines of NDJSON: a value that is not an object, then the start of an object. */
const VALUE_BEFORE_OBJECT =
  /^(?:null|true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*")[ \t\r]*\n\s*\{/;

/** Comments before a document. */
const COMMENTS = /^(?:\/\/[^\r\n]*\s*|\/\*[\s\S]*?\*\/\s*)+/;

export interface Detected {
  readonly format: SourceFormat;
  readonly shape?: FoundShape | undefined;
  /** The flags, or the settings of a saved map, that apply to this format. */
  readonly layout?: SourceLayout | undefined;
  /** NDJSON: lines end with a return alone, as in old Mac files. */
  readonly endsAtReturn?: boolean;
}

export interface DetectOptions {
  readonly path?: string | undefined;
  readonly place?: HeaderPlace | undefined;
  /** From a saved map. Flags take precedence; settings that do not fit the format are ignored. */
  readonly saved?: SourceLayout | undefined;
  readonly recordFields?: readonly string[] | undefined;
}

/** The content of a file, unpacked and converted to UTF-8 without a byte order mark. */
export async function openBytes(
  file: string,
  { gzip, encoding, bom }: Packing,
): Promise<ByteSource> {
  const raw = await fileBytes(file);
  const mark = encoding === 'utf-8' ? 3 : 2;
  return inUtf8(skipping(gzip ? gunzip(raw) : raw, bom ? mark : 0), encoding);
}

type Packing = Pick<SourceFormat, 'gzip' | 'encoding' | 'bom'>;

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
    const reason = unpacked?.problem === undefined ? '' : `: ${sentence(unpacked.problem)}`;
    throw new ProcError('invalid_input', `${name} is empty${reason}`);
  }
  const format = { gzip, ...identify(head, name) };
  const bytes = await headOf(await openBytes(file, format));
  // Latin-1 is enough here: the syntax of all three formats is ASCII.
  const text = bytes.toString('latin1');
  const start = text.trimStart();
  const bare = start.replace(COMMENTS, '');
  if (bare !== start && /^[[{]/.test(bare)) {
    throw new ProcError(
      'invalid_input',
      `${name} begins with a comment, which JSON does not have`,
      {
        hint: 'Remove the comments before the first [ or {',
      },
    );
  }
  const place = placeOf(options, start);
  if (start === '' && head.length < HEAD_BYTES) {
    throw new ProcError('invalid_input', `${name} is empty: it contains only blank lines`);
  }
  if (place.headerRow !== undefined) refuseJson(start, name);
  else {
    const path = options.path === undefined ? [] : parsePath(options.path);
    const layout = { path: options.path };
    if (start.startsWith('[')) return { format: { ...format, kind: 'json', path }, layout };
    if (looksLikeLines(start)) {
      const endsAtReturn = !text.includes('\n') && text.includes('\r');
      return { format: asLines(format, options, name), endsAtReturn };
    }
    if (start.startsWith('{')) {
      const given = { ...options, path: options.path ?? options.saved?.path };
      return {
        format: await ofObject(file, name, format, given),
        layout: { path: given.path },
      };
    }
  }
  if (options.path !== undefined) {
    throw new ProcError('invalid_usage', `--path is for JSON documents; ${name} is CSV`);
  }
  const shape = findShape(text, head.length < HEAD_BYTES, firstRow(place));
  return {
    format: { ...format, kind: 'csv', delimiter: shape.delimiter, newline: shape.lineEnd },
    shape,
    layout: { headerRow: place.headerRow },
  };
}

async function headOf(source: ByteSource): Promise<Buffer> {
  try {
    return await firstBytes(source, HEAD_BYTES);
  } finally {
    await source.close();
  }
}

/** A saved place of the header does not apply to JSON. */
function placeOf({ place = {}, saved = {} }: DetectOptions, start: string): HeaderPlace {
  return place.headerRow !== undefined || JSON_START.test(start) ? place : saved;
}

/** Refuses `--header-row` for JSON. A title such as `[2026]` does not count as JSON. */
function refuseJson(start: string, name: string): void {
  if (!JSON_START.test(start)) return;
  throw new ProcError('invalid_usage', `--header-row is for CSV and workbooks; ${name} is JSON`);
}

/** NDJSON begins with two objects on separate lines, or with another value before an object. */
function looksLikeLines(start: string): boolean {
  if (!start.startsWith('{')) return VALUE_BEFORE_OBJECT.test(start);
  const [first = '', second = ''] = start
    .split(/\r\n?|\n/, 20)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return second.startsWith('{') && !/[[{,:]$/.test(first) && !second.endsWith(',');
}

async function ofObject(
  file: string,
  name: string,
  format: Packing,
  options: DetectOptions,
): Promise<SourceFormat> {
  if (options.path !== undefined) return { ...format, kind: 'json', path: parsePath(options.path) };
  const bytes = await openBytes(file, format);
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
    const path = await chosenArray(found, name, options, () => openBytes(file, format));
    if (path === undefined && found.oneLine) return asLines(format, options, name);
    return { ...format, kind: 'json', path };
  } finally {
    await bytes.close();
  }
}

/**
 * Returns undefined if the object is itself a record. If only deeper arrays have records, the error
 * names the first of these arrays.
 */
async function chosenArray(
  found: Survey,
  name: string,
  { recordFields }: DetectOptions,
  reopen: () => Promise<ByteSource>,
): Promise<readonly string[] | undefined> {
  const isEmpty = !found.fields.some(({ holds }) => holds === 'objects');
  try {
    const path = chooseArray(found, name, recordFields);
    if (!isEmpty || path === undefined) return path;
    throw new ProcError('invalid_input', `${name} has no records at ${showPath(path)}`);
  } catch (thrown) {
    if (!isEmpty || !(thrown instanceof ProcError)) throw thrown;
    const bytes = await reopen();
    const paths = (await nestedArrays(bytes, name).finally(() => bytes.close())).map(showPath);
    if (paths.length === 0) return chooseArray(found, name, recordFields);
    throw new ProcError(thrown.code, thrown.message, {
      hint: `The records seem to be at ${paths[0]}: use --path ${paths[0]}`,
      details: { paths },
    });
  }
}

function asLines(format: Packing, options: DetectOptions, name: string): SourceFormat {
  if (options.path !== undefined) {
    throw new ProcError(
      'invalid_usage',
      `--path is for JSON documents; ${name} has one object per line`,
    );
  }
  return { ...format, kind: 'ndjson' };
}
