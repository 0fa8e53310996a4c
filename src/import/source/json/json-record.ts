import type { Problem, ProblemPlace } from '../../../core/problem/row-problem.ts';
import { survivesDouble } from '../../../core/text/decimal.ts';
import type { JsonScanner } from '../../../core/text/json-scanner.ts';
import { isRawNumber, rawNumber } from '../../../core/text/raw-number.ts';
import { JsonError, joinPath, readJson } from '../../../core/text/strict-json.ts';
import { shown } from '../../../core/validate.ts';
import { MAX_COLUMNS, MAX_RECORD_BYTES, MAX_RECORD_DEPTH, RECORD_LIMIT } from '../bytes/limits.ts';
import { firstInvalid, problemOf } from '../encoding/not-utf8.ts';
import type { Places, SourceFormat } from '../record.ts';

/** The place of a position in a record, whose lines and columns count from 1. */
export type Place = (line: number, column: number) => ProblemPlace;

type ParsedRecord =
  | { readonly fields: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly fields?: undefined; readonly problem: Problem };

/** Returns undefined if the record keeps all limits. */
export function outOfBounds(scanned: JsonScanner, bytes: number): Problem | undefined {
  if (bytes > MAX_RECORD_BYTES) return { code: 'too_long', args: { limit: RECORD_LIMIT } };
  if (scanned.deepest > MAX_RECORD_DEPTH) {
    return { code: 'too_deep', args: { levels: MAX_RECORD_DEPTH } };
  }
  if (scanned.names > MAX_COLUMNS) {
    return { code: 'too_many_fields', args: { count: scanned.names, most: MAX_COLUMNS } };
  }
  return undefined;
}

/**
 * Rejects digits that a double rounds, duplicate names, unpaired surrogates and NUL. `1.10` keeps
 * its text, as `JSON.rawJSON`.
 *
 * `JSON.parse` of Node 24.21 has a bug: after parsing `{"a":1,"\\":2}`, it reads the name `\n` in
 * `{"a":1,"\n":2}` as `\\`. So the strict reader parses records whose names have escapes.
 */
export function parseRecord(text: string, scanned: JsonScanner, place: Place): ParsedRecord {
  let value: unknown;
  try {
    if (scanned.escapedName) value = readJson(text);
    else value = scanned.needsExactNumbers ? parseExactly(text) : JSON.parse(text);
  } catch {
    return { problem: diagnose(text, place) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: { code: 'not_object', args: { got: shown(value) } } };
  }
  if (countNames(value) !== scanned.names) return { problem: diagnose(text, place) };
  if (scanned.escapes) {
    const problem = unwritable(value, '');
    if (problem !== undefined) return { problem };
  }
  return { fields: value as Record<string, unknown> };
}

class Rounded extends Error {}

function parseExactly(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) => {
    if (typeof value !== 'number' || context.source === undefined) return value;
    if (String(value) === context.source) return value;
    if (!survivesDouble(context.source)) throw new Rounded();
    return rawNumber(context.source);
  }) as (key: string, value: unknown) => unknown);
}

/** A parsed value has fewer names than its text if an object has the same name twice. */
function countNames(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === 'object' && one !== null) count += countNames(one);
    return count;
  }
  for (const key in value) {
    count++;
    const one = (value as Record<string, unknown>)[key];
    if (typeof one === 'object' && one !== null && !isRawNumber(one)) count += countNames(one);
  }
  return count;
}

/** The strict reader is slower, but reports the mistake, its place and its field. */
function diagnose(text: string, place: Place): Problem {
  let field = '';
  let start = 0;
  try {
    readJson(text, (path, offset) => {
      field = path;
      start = offset;
    });
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    // Name the field only if its value is wrong, not if the mistake comes after it.
    const value = new JsonError('', text, start);
    const isInValue = thrown.line === value.line && thrown.column === value.column;
    return {
      ...thrown.mistake!,
      field: isInValue && field !== '' ? field : undefined,
      place: place(thrown.line, thrown.column),
    };
  }
  return { code: 'not_json', args: {} };
}

function unwritable(value: unknown, path: string): Problem | undefined {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      return { code: 'half_character', field: path, args: {} };
    }
    if (value.includes('\0')) return { code: 'nul', field: path, args: {} };
    return undefined;
  }
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
  for (const [key, one] of Object.entries(value)) {
    const inner = joinPath(path, Array.isArray(value) ? Number(key) : key);
    const problem =
      (Array.isArray(value) ? undefined : unwritable(key, inner)) ?? unwritable(one, inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * The field that contains an invalid byte.
 *
 * @param before the text before that byte
 * @param lenient the whole record, with � for invalid bytes
 */
function fieldAt(before: string, lenient: string): string | undefined {
  let field: string | undefined;
  try {
    readJson(lenient, (path, offset) => {
      if (offset <= before.length && path !== '') field = path;
    });
  } catch {
    // The field found before the parse error is still right.
  }
  return field;
}

/** Where in a JSON record the bytes are not UTF-8. Undefined if all bytes are. */
export function invalidText(
  bytes: Buffer,
  encoding: SourceFormat['encoding'],
  place: Place,
): Problem | undefined {
  const invalid = firstInvalid(bytes);
  if (invalid === undefined) return undefined;
  const lines = invalid.before.split('\n');
  return {
    field: fieldAt(invalid.before, bytes.toString('utf8')),
    ...problemOf(invalid, encoding),
    place: place(lines.length, lines.at(-1)!.length + 1),
  };
}

const NEWLINE = 0x0a;

/**
 * The lines of all values of a record.
 *
 * @param text of the record, which is valid JSON
 * @param first the line on which it begins
 */
export function linesIn(text: string, first: number): Places {
  const lines = new Map<string, number>();
  let line = first;
  let at = 0;
  const record = readJson(text, (path, offset) => {
    for (; at < offset; at++) if (text.charCodeAt(at) === NEWLINE) line++;
    lines.set(path, line);
  });
  const shapeIn = (value: unknown, path: string): Places => {
    if (typeof value !== 'object' || value === null) return String(lines.get(path) ?? '');
    if (Array.isArray(value)) return value.map((one, n) => shapeIn(one, joinPath(path, n)));
    const members = Object.entries(value);
    return members.length === 0
      ? String(lines.get(path) ?? '')
      : Object.fromEntries(
          members.map(([name, one]) => [name, shapeIn(one, joinPath(path, name))]),
        );
  };
  return shapeIn(record, '');
}
