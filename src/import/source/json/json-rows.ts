import { isAscii, isUtf8 } from 'node:buffer';
import { ProcError } from '../../../core/errors.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { JsonScanner } from '../../../core/text/json-scanner.ts';
import { listed } from '../../../core/text/listed.ts';
import { nearest } from '../../../core/text/nearest.ts';
import { type ByteSource, Window } from '../bytes/byte-source.ts';
import { BATCH_BYTES, BATCH_RECORDS, MAX_RECORD_BYTES, RECORD_LIMIT } from '../bytes/limits.ts';
import { lineBlocks } from '../bytes/line-blocks.ts';
import type { SourceFormat, SourceRecord } from '../record.ts';
import { BrokenJson, JsonWalker, showPath, UnexpectedEnd } from './json-document.ts';
import { invalidText, linesIn, outOfBounds, type Place, parseRecord } from './json-record.ts';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const BRACE = 0x7d;

/**
 * The elements of an array in a JSON document. After an unreadable element, reading continues at
 * the next comma. A trailing comma is accepted.
 *
 * @param path of the array; undefined if the whole document is a single record
 */
export async function* readJsonArray(
  source: ByteSource,
  name: string,
  encoding: SourceFormat['encoding'],
  path: readonly string[] | undefined,
): AsyncGenerator<SourceRecord[], void> {
  const walker = new JsonWalker(new Window(source), name);
  const { window, scanner } = walker;
  if (path !== undefined) await enterArray(walker, path, name);
  let row = 0;
  let batch: SourceRecord[] = [];
  let bytes = 0;
  for (;;) {
    if (!walker.skipSpace()) await walker.peek();
    const line = scanner.lines > 0 ? scanner.lines + 1 : undefined;
    scanner.reset();
    // Most elements are completely in the window: scan them without a promise.
    const at = scanner.scan(window.bytes, window.start, window.end);
    const isWhole = at < window.end && window.bytes[at] !== BRACE;
    const element: Element = isWhole
      ? { stop: at, length: at - window.start, ends: false }
      : await restOfElement(walker, at);
    const closes = element.ends || window.bytes[element.stop] !== COMMA;
    const isCut = element.ends && scanner.depth > 0;
    if (!isCut && !(element.length === 0 && closes)) {
      row++;
      const { fields, problem, lines } =
        element.length === 0
          ? {
              fields: undefined,
              lines: undefined,
              problem: { code: 'element_missing', args: {} } as const,
            }
          : readElement(walker, element, line, encoding);
      batch.push(
        fields === undefined ? { row, line, fields, problem } : { row, line, fields, lines },
      );
    }
    if (closes) {
      const problem =
        isCut || (element.ends && path !== undefined)
          ? earlyEnd(window, isCut ? row + 1 : undefined)
          : await afterArray(walker, element.stop, path);
      if (problem !== undefined) {
        batch.push({ row: row + 1, line, fields: undefined, problem, isFileProblem: true });
      }
      break;
    }
    window.start = element.stop + 1;
    bytes += element.length;
    if (batch.length === BATCH_RECORDS || bytes > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Where the element at the start of the window ends. */
interface Element {
  readonly stop: number;
  /** In bytes. */
  readonly length: number;
  /** The source ended, and no comma or bracket follows the element. */
  readonly ends: boolean;
}

async function restOfElement(walker: JsonWalker, from: number): Promise<Element> {
  const { window, scanner } = walker;
  let dropped = 0;
  let at = from;
  for (;;) {
    if (at < window.end) {
      if (window.bytes[at] !== BRACE) {
        return { stop: at, length: dropped + at - window.start, ends: false };
      }
      // An extra closing brace counts as part of this element, so that only this element is
      // unreadable.
      at++;
    } else {
      if (window.end - window.start > MAX_RECORD_BYTES) {
        dropped += window.end - window.start;
        window.start = window.end;
      }
      const seen = window.end - window.start;
      const more = await window.fill();
      at = window.start + seen;
      if (!more) return { stop: at, length: dropped + seen, ends: true };
    }
    at = scanner.scan(window.bytes, at, window.end);
  }
}

function earlyEnd(window: Window, row: number | undefined): Problem {
  return window.problem ?? { code: 'file_ends', args: { row } };
}

function readElement(
  { window, scanner }: JsonWalker,
  { stop, length }: Element,
  line: number | undefined,
  encoding: SourceFormat['encoding'],
): ReturnType<typeof parseRecord> & Pick<SourceRecord, 'lines'> {
  const problem = outOfBounds(scanner, length);
  if (problem !== undefined) return { problem };
  const bytes = window.bytes.subarray(window.start, stop);
  const place = placeIn(window, window.start, line);
  if (!isUtf8(bytes)) return { problem: invalidText(bytes, encoding, place)! };
  const text = bytes.toString('utf8');
  const isOneLine = !text.includes('\n');
  const lines = isOneLine ? undefined : () => linesIn(text, line ?? 1);
  return { ...parseRecord(text, scanner, place), lines };
}

/** On the first line, which may be the whole document, the character of the record. */
function placeIn(window: Window, start: number, line: number | undefined): Place {
  return (inner, column) => {
    if (line === undefined && inner === 1) return { inRecord: { character: column } };
    const before = window.bytes.subarray(0, start).lastIndexOf(NEWLINE);
    const indent = inner > 1 || before < 0 ? 0 : start - before - 1;
    return { line: (line ?? 1) + inner - 1, column: column + indent };
  };
}

/** Checks the end of the document: all brackets are closed and nothing follows. */
async function afterArray(
  walker: JsonWalker,
  stop: number,
  path: readonly string[] | undefined,
): Promise<Problem | undefined> {
  walker.window.start = path === undefined ? stop : stop + 1;
  try {
    for (let level = 0; level < (path?.length ?? 0); level++) {
      if (await walker.take(',')) await walker.skipRest();
      else await walker.expect('}');
    }
  } catch (thrown) {
    if (!(thrown instanceof UnexpectedEnd || thrown instanceof BrokenJson)) throw thrown;
    const problem: Problem =
      thrown instanceof BrokenJson ? thrown.problem : { code: 'file_ends_early', args: {} };
    return { code: 'after_array', args: { problem } };
  }
  if ((await walker.peek()) === '') return walker.window.problem;
  return { code: 'text_after_document', args: {}, place: { line: walker.scanner.lines + 1 } };
}

async function enterArray(
  walker: JsonWalker,
  path: readonly string[],
  name: string,
): Promise<void> {
  try {
    for (const [depth, wanted] of path.entries()) {
      if ((await walker.peek()) !== '{') {
        throw noArray(name, path.slice(0, depth), 'no object', []);
      }
      const seen: string[] = [];
      for await (const found of walker.names()) {
        seen.push(found);
        if (found === wanted) break;
        if (!(await walker.skipValue())) throw new UnexpectedEnd();
      }
      if (seen.at(-1) !== wanted) throw noArray(name, path.slice(0, depth + 1), 'nothing', seen);
    }
    if (!(await walker.take('['))) throw noArray(name, path, 'no array', []);
  } catch (thrown) {
    if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    throw new ProcError(
      'invalid_input',
      `${name} ends before the array at ${showPath(path)} starts`,
    );
  }
}

const NOT_FOUND_ES = {
  'no object': 'no tiene ningún objeto',
  'no array': 'no tiene ninguna lista',
  nothing: 'no tiene nada',
} as const;

function noArray(
  name: string,
  path: readonly string[],
  found: keyof typeof NOT_FOUND_ES,
  seen: readonly string[],
): ProcError {
  const near = nearest(path.at(-1) ?? '', seen);
  return new ProcError(
    'invalid_input',
    `${name} has ${found} at ${path.length === 0 ? 'its top level' : showPath(path)}`,
    {
      hint:
        near !== undefined
          ? `Did you mean --path ${showPath([...path.slice(0, -1), near])}?`
          : seen.length === 0
            ? undefined
            : `Fields there: ${listed(
                seen.map((one) => showPath([one])),
                10,
              )}`,
    },
  );
}

/** Messages about rows name the line already. */
const inLine: Place = (_line, column) => ({ inRecord: { column } });

/** One JSON object per line. An invalid line is rejected; reading continues with the next line. */
export async function* readNdjson(
  source: ByteSource,
  encoding: SourceFormat['encoding'],
): AsyncGenerator<SourceRecord[], void> {
  const scanner = new JsonScanner(true);
  let row = 0;
  let line = 0;
  for await (const block of lineBlocks(source)) {
    if (block.kind === 'overlong') {
      const problem: Problem = { code: 'too_long', args: { limit: RECORD_LIMIT } };
      yield [{ row: ++row, line: ++line, fields: undefined, problem }];
      continue;
    }
    if (block.kind === 'cut') {
      const { problem } = block;
      yield [{ row: row + 1, line: line + 1, fields: undefined, problem, isFileProblem: true }];
      return;
    }
    const { bytes } = block;
    // In ASCII, byte positions are text positions, so each line is a cheap slice of one text.
    const ascii = isAscii(bytes) ? bytes.toString('latin1') : undefined;
    const valid = ascii !== undefined || isUtf8(bytes);
    let batch: SourceRecord[] = [];
    let stop = 0;
    for (let start = 0; start < bytes.length; start = stop + 1) {
      scanner.reset();
      stop = scanner.scan(bytes, start, bytes.length);
      line++;
      if (scanner.deepest === 0 && isBlank(bytes, start, stop)) continue;
      row++;
      // Only the last line may have no line break.
      if (stop === bytes.length && scanner.depth > 0) {
        const problem: Problem = { code: 'file_ends', args: { row } };
        batch.push({ row, line, fields: undefined, problem, isFileProblem: true });
        break;
      }
      const problem =
        outOfBounds(scanner, stop - start) ??
        (valid ? undefined : invalidText(bytes.subarray(start, stop), encoding, inLine));
      if (problem !== undefined) batch.push({ row, line, fields: undefined, problem });
      else {
        const text = ascii?.slice(start, stop) ?? bytes.toString('utf8', start, stop);
        const { fields, problem } = parseRecord(text, scanner, inLine);
        batch.push(fields === undefined ? { row, line, fields, problem } : { row, line, fields });
      }
      if (batch.length === BATCH_RECORDS) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }
}

function isBlank(bytes: Buffer, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
