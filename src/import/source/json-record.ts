import type { Problem, ProblemPlace } from '../../core/row-problem.ts';
import { survivesDouble } from '../../core/text/decimal.ts';
import type { JsonScanner } from '../../core/text/json-scanner.ts';
import { isRawNumber, rawNumber } from '../../core/text/raw-number.ts';
import { JsonError, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';
import { MAX_COLUMNS, MAX_RECORD_DEPTH } from './record.ts';

/** The place of a position in a record, whose lines and columns count from 1. */
export type PlaceOf = (line: number, column: number) => ProblemPlace;

type ParsedRecord =
  | { readonly fields: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly fields?: undefined; readonly problem: Problem };

/** A text that no database stores: an escaped NUL, or half a character. */
const UNWRITABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Rejects what `JSON.parse` silently loses: digits that a double rounds, and names that an object has
 * twice. `1.10` keeps its text, as `JSON.rawJSON`.
 *
 * `JSON.parse` of Node 24.21 has a bug: after parsing `{"a":1,"\\":2}`, it reads the name `\n` in
 * `{"a":1,"\n":2}` as `\\`. So the strict reader parses records whose names have escapes.
 *
 * @param scanned the scan of this record
 */
export function parseRecord(text: string, scanned: JsonScanner, place: PlaceOf): ParsedRecord {
  if (scanned.deepest > MAX_RECORD_DEPTH) {
    return { problem: { text: `is nested deeper than ${MAX_RECORD_DEPTH} levels` } };
  }
  if (scanned.names > MAX_COLUMNS) {
    return { problem: { text: `has ${scanned.names} fields; the maximum is ${MAX_COLUMNS}` } };
  }
  let value: unknown;
  try {
    if (scanned.escapedName) value = readJson(text);
    else value = scanned.needsExactNumbers ? parseExactly(text) : JSON.parse(text);
  } catch {
    return { problem: diagnose(text, place) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: { text: `must be a JSON object, got ${show(value)}` } };
  }
  if (countNames(value) !== scanned.names) return { problem: diagnose(text, place) };
  const [found] = (scanned.escapes && UNWRITABLE.exec(JSON.stringify(value))) || [];
  if (found === undefined) return { fields: value as Record<string, unknown> };
  const unwritable = found.endsWith('0000')
    ? 'contains a NUL character (\\u0000)'
    : 'contains half a character (a lone \\ud800 to \\udfff escape)';
  return { problem: { text: unwritable } };
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
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const one of value) count += countNames(one);
  else for (const key in value) count += 1 + countNames((value as Record<string, unknown>)[key]);
  return count;
}

/** The strict reader is slower, but reports the mistake, its place and its field. */
function diagnose(text: string, place: PlaceOf): Problem {
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
      text: thrown.mistake,
      field: isInValue && field !== '' ? field : undefined,
      place: place(thrown.line, thrown.column),
    };
  }
  return { text: 'is not valid JSON' };
}
