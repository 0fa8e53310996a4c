import { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import { sentence } from '../../core/problem/sentence.ts';
import { JsonScanner } from '../../core/text/json-scanner.ts';
import { listed } from '../../core/text/listed.ts';
import { nearest } from '../../core/text/nearest.ts';
import { JsonError, joinPath, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';
import type { ArrayPlace } from './json-rows.ts';
import { MAX_RECORD_BYTES } from './record.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;

interface FoundArray extends ArrayPlace {
  readonly path: readonly string[];
  /** How many elements it has. */
  readonly count: number;
  /** The first character of its first element; empty if there is none. */
  readonly first: string;
}

export interface JsonDocument {
  readonly name: string;
  /** The document, with the number of the array in place of the elements of each array. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly arrays: readonly FoundArray[];
}

/**
 * Reads a document that is an object, without the elements of its arrays: these may be millions.
 *
 * @throws ProcError `invalid_input` if it is no JSON, or has too much outside of arrays
 */
export async function surveyDocument(
  pieces: AsyncIterable<Buffer>,
  name: string,
): Promise<JsonDocument> {
  const scanner = new JsonScanner(false);
  const arrays: { offset: number; line: number; count: number; first: string }[] = [];
  let isInArray = false;
  let isElement = false;
  let quote: 'none' | 'open' | 'escaped' = 'none';
  const outside: Buffer[] = [];
  let size = 0;
  let offset = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (isInArray) {
        const array = arrays.at(-1)!;
        const end = scanner.scan(piece, at, piece.length);
        if (!isElement) {
          const start = piece.toString('latin1', at, end).trimStart().slice(0, 1);
          isElement = start !== '';
          array.first ||= start;
        }
        if (end < piece.length) {
          if (isElement) array.count++;
          isElement = false;
          isInArray = piece[end] === COMMA;
          scanner.reset();
        }
        at = end + 1;
        continue;
      }
      const from = at;
      for (; at < piece.length; at++) {
        const byte = piece[at];
        if (byte === NEWLINE) scanner.lines++;
        if (quote === 'escaped') quote = 'open';
        else if (quote === 'open') {
          if (byte === BACKSLASH) quote = 'escaped';
          if (byte === QUOTE) quote = 'none';
        } else if (byte === QUOTE) quote = 'open';
        else if (byte === OPEN_ARRAY) break;
      }
      outside.push(piece.subarray(from, at));
      size += at - from;
      if (size > MAX_RECORD_BYTES) throw notRows(name, 'one object with too many fields');
      if (at === piece.length) break;
      outside.push(Buffer.from(`[${arrays.length}]`));
      at++;
      arrays.push({ offset: offset + at, line: scanner.lines + 1, count: 0, first: '' });
      isInArray = true;
    }
    offset += piece.length;
  }
  if (isInArray) throw broken(name, sentence({ code: 'file_ends_early', args: {} }));
  const value = parsed(Buffer.concat(outside).toString('utf8'), name);
  return { name, value, arrays: placed(value, [], arrays) };
}

/** Numbers that a double rounds do not matter outside of records. */
function parsed(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    return readJson(text) as Record<string, unknown>;
  } catch (thrown) {
    const mistake = thrown instanceof JsonError ? thrown.mistake : undefined;
    if (mistake === undefined) throw thrown;
    if (mistake.code === 'json_number_rounded') return JSON.parse(text) as Record<string, unknown>;
    if (mistake.code === 'json_end_expected') {
      throw new ProcError('invalid_input', `${name} contains several JSON documents`, {
        hint: 'Write one row per line into a file named .ndjson: jq -c . FILE > rows.ndjson',
      });
    }
    throw broken(name, sentence(mistake));
  }
}

function broken(name: string, why: string): ProcError {
  return new ProcError('invalid_input', `${name} is not valid JSON: ${why}; nothing was sent`);
}

function placed(
  value: Readonly<Record<string, unknown>>,
  path: readonly string[],
  arrays: readonly Omit<FoundArray, 'path'>[],
): FoundArray[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const own = [...path, name];
    if (Array.isArray(member)) {
      const array = arrays[member[0] as number]!;
      // An empty list of errors is no mark of an error.
      if (array.count === 0) member.length = 0;
      return [{ path: own, ...array }];
    }
    return isObject(member) ? placed(member, own, arrays) : [];
  });
}

/** The path of `--path .`: the document is one row. */
const WHOLE = '.';

/**
 * The array that `--path` chooses; undefined for `--path .`, the document itself.
 *
 * @throws ProcError `invalid_input` if there is no such array, if the document is an error answer, or
 * if it is a part of a longer list
 */
export function chosenArray(
  document: JsonDocument,
  path: string | undefined,
  allowPart: boolean,
): FoundArray | undefined {
  const { name, value, arrays } = document;
  const lists = arrays.filter(
    ({ path: [first = ''], count, first: start }) =>
      !/^errors?$/i.test(first) && (start === '{' || count === 0),
  );
  const error = errorIn(value, lists.length > 0);
  if (error !== undefined && (lists.length === 0 || path === WHOLE)) {
    throw new ProcError('invalid_input', `${name} is an error answer, not a list: ${error}`, {
      hint: 'Repeat the request that wrote it, and check its address, token and status (curl --fail)',
    });
  }
  if (path === WHOLE) return undefined;
  if (path === undefined) {
    if (lists.length > 0) throw severalLists(document, lists, error);
    throw noList(document);
  }
  const wanted = parsePath(path);
  const found = arrays.find((one) => showPath(one.path) === showPath(wanted));
  if (found === undefined) throw noArray(document, wanted);
  if (found.count > 0 && found.first !== '{') {
    throw notRows(
      name,
      `at ${showPath(found.path)} an array of ${found.first === '[' ? 'arrays' : 'values'}`,
    );
  }
  const mark = allowPart ? undefined : partMark(value, found);
  if (mark === undefined) return found;
  throw new ProcError(
    'invalid_input',
    `${name} is a part of a longer list: ${mark}; nothing was sent`,
    {
      hint: 'Fetch the other pages and import them together, or add --allow-part to import only these rows',
      details: { mark },
    },
  );
}

function severalLists(
  { name, value }: JsonDocument,
  lists: readonly FoundArray[],
  error: string | undefined,
): ProcError {
  const paths = lists.map((one) => showPath(one.path));
  const shown = lists.map(
    ({ count }, at) => `${paths[at]} (${count} ${count === 1 ? 'row' : 'rows'})`,
  );
  const failed = error === undefined ? '' : `; it also reports an error: ${error}`;
  const marks = lists.flatMap((one) => partMark(value, one) ?? []);
  const part =
    marks.length === 0
      ? ''
      : `. It is a part of a longer list (${marks[0]}): fetch the other pages, or add --allow-part`;
  return new ProcError(
    'invalid_input',
    `${name} is an object, not a list of rows; its arrays: ${listed(shown, 10)}${failed}`,
    {
      hint: `Choose the array with the rows: ${paths
        .slice(0, 10)
        .map((one) => `--path ${quoted(one)}`)
        .join(' or ')}${part}`,
      details: { paths },
    },
  );
}

/** The shell takes the quotes of `"odd name".items`. */
function quoted(path: string): string {
  return /^[\w.@-]+$/.test(path) ? path : `'${path}'`;
}

/** A document without an array of objects. */
function noList({ name, value, arrays }: JsonDocument): ProcError {
  const members = Object.values(value);
  if (arrays.length > 0) return notRows(name, 'an object with arrays of values');
  if (members.length > 0 && members.every(isObject)) return notRows(name, 'an object of objects');
  return new ProcError('invalid_input', `${name} is one object, not a list of rows`, {
    hint: 'Write it as a list: [ … ]. To import it as one row, add --path .',
  });
}

function notRows(name: string, what: string): ProcError {
  return new ProcError(
    'invalid_input',
    `${name} is not a list of rows: it is ${what}, expected an array of objects`,
    {
      hint: `Write it as an array of objects. With pandas: to_json(orient='records'). For rows under their keys: jq '[.[]]'`,
    },
  );
}

function noArray({ name, arrays }: JsonDocument, wanted: readonly string[]): ProcError {
  const paths = arrays.map(({ path }) => showPath(path));
  const near = nearest(showPath(wanted), paths);
  return new ProcError('invalid_input', `${name} has no array at ${showPath(wanted)}`, {
    hint:
      near !== undefined
        ? `Did you mean --path ${quoted(near)}?`
        : paths.length === 0
          ? 'It has no arrays; --path . takes the document as one row'
          : `Its arrays: ${listed(paths, 10)}`,
    details: { paths },
  });
}

/**
 * What an error answer says; undefined if the document is none. `message`, `stack` and a status from
 * 400 may also be fields of a list, so they count only without an array beside them.
 */
function errorIn(value: Readonly<Record<string, unknown>>, hasList: boolean): string | undefined {
  const { error, errors, success, message, stack, statusCode } = value;
  const says = typeof message === 'string' ? show(message) : undefined;
  const mark = [error, errors].find((one) => isFilled(one) && !/^2\d\d$/.test(String(one)));
  if (mark !== undefined)
    return typeof mark === 'string' ? show(mark) : (says ?? '"error" or "errors" is not empty');
  if (success === false) return says ?? '"success" is false';
  if (hasList) return undefined;
  if (typeof statusCode === 'number' && statusCode >= 400) return says ?? `status ${statusCode}`;
  if (says !== undefined) return says;
  return typeof stack === 'string' ? 'it has a stack trace' : undefined;
}

function isFilled(mark: unknown): boolean {
  return typeof mark === 'object' && mark !== null ? Object.keys(mark).length > 0 : Boolean(mark);
}

const MORE = /^(?:hasmore|hasnextpage|truncated)$/;
const NEXT = /^(?:next|nextlink)$/;
const PAGE_KEY = /^(?:page|limit|offset|pagesize|skip|perpage)$/;

/** `@odata.nextLink` and `next_link` are `nextlink`. */
function plainName(name: string): string {
  return name.replace(/^.*\./, '').replace(/[_-]/g, '').toLowerCase();
}

/**
 * What says that the array is a page of a longer list, e.g. `"hasNextPage" is true`: a mark in an object
 * that contains the array, or in an object beside it, such as `pageInfo`.
 */
function partMark(
  value: Readonly<Record<string, unknown>>,
  { path, count }: FoundArray,
): string | undefined {
  let around: unknown = value;
  for (const step of path) {
    if (!isObject(around)) break;
    const beside = Object.values(around).filter(isObject);
    for (const one of [around, ...beside]) {
      const mark = markIn(one, count);
      if (mark !== undefined) return mark;
    }
    around = around[step];
  }
  return undefined;
}

function markIn(object: Readonly<Record<string, unknown>>, rows: number): string | undefined {
  const members = Object.entries(object).map(
    ([name, value]) => [name, plainName(name), value] as const,
  );
  const page = members.find(([, name]) => name === 'page')?.[2];
  const hasPage = members.some(([, name]) => PAGE_KEY.test(name));
  for (const [name, plain, value] of members) {
    const isMore = MORE.test(plain) && value === true;
    const isNext = NEXT.test(plain) && isFilled(value);
    const isPages =
      plain === 'totalpages' && typeof value === 'number' && value > 1 && value > Number(page ?? 1);
    const isTotal = plain === 'total' && hasPage && Number.isInteger(value) && Number(value) > rows;
    if (isMore || isPages || isTotal) return `"${name}" is ${show(value)}`;
    if (isNext) return `"${name}" names the next page`;
  }
  return undefined;
}

/**
 * Parses `--path`: field names separated by dots. A name that contains a dot is in double quotes.
 *
 * @throws ProcError `invalid_usage`
 */
function parsePath(text: string): readonly string[] {
  const names: string[] = [];
  const segment = /(?:"((?:[^"\\]|\\.)*)"|([^".]+))(\.|$)/y;
  for (;;) {
    const match = segment.exec(text);
    if (match === null) {
      throw new ProcError(
        'invalid_usage',
        `--path ${text}: expected field names separated by dots`,
        {
          hint: 'Use e.g. --path products or --path data.items; --path . takes the document as one row',
        },
      );
    }
    names.push(match[1] === undefined ? match[2]! : (JSON.parse(`"${match[1]}"`) as string));
    if (match[3] === '') return names;
  }
}

function showPath(path: readonly string[]): string {
  return path.reduce<string>((whole, name) => joinPath(whole, name), '');
}
