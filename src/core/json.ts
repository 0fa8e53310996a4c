import { compareDecimals, exactNumber, isDecimal, numberText, survivesDouble } from './numbers.ts';

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `JSON.parse` accepts depths at which `JSON.stringify` overflows the stack. */
export const MAX_DEPTH = 64;

export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly line: number;
  readonly column: number;
  /** The message without its place. */
  readonly mistake: string;
  /** The text is JSON, but a number of it would be rounded. */
  readonly isRounding: boolean;

  constructor(mistake: string, text: string, offset: number, isRounding = false) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    super(`line ${line}, column ${column}: ${mistake}`);
    this.line = line;
    this.column = column;
    this.mistake = mistake;
    this.isRounding = isRounding;
  }
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Reads a payload strictly. Refuses what `JSON.parse` silently loses: duplicate keys, rounded numbers.
 * Refuses nesting deeper than {@link MAX_DEPTH}.
 *
 * @throws JsonError
 */
export function readJson(text: string): unknown {
  let at = 0;
  const fail = (mistake: string, offset = at): never => {
    throw new JsonError(mistake, text, offset);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  /** Also reads the white space that follows. */
  const take = (char: string): boolean => {
    if (text[at] !== char) return false;
    at++;
    match(SPACE);
    return true;
  };

  /** Uses indexOf, because a regular expression overflows its stack on long strings. */
  function string(): string {
    const start = at;
    let end = start;
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0) fail('this text in quotes is not closed');
    } while (isEscaped(end));
    try {
      const value = JSON.parse(text.slice(start, end + 1)) as string;
      at = end + 1;
      return value;
    } catch {
      return fail(
        'this quoted text contains a line break, a control character or an invalid escape',
      );
    }
  }

  function isEscaped(quote: number): boolean {
    let from = quote;
    while (text[from - 1] === '\\') from--;
    return (quote - from) % 2 === 1;
  }

  function scalar(): unknown {
    const start = at;
    const source = match(SCALAR) ?? '';
    if (source === '')
      fail(`expected a value, found ${at < text.length ? JSON.stringify(text[at]) : 'the end'}`);
    if (/^[tfn]/.test(source) || survivesDouble(source)) return JSON.parse(source);
    const mistake = `the number ${source} would be rounded; write it as text if its digits matter`;
    throw new JsonError(mistake, text, start, true);
  }

  function members(end: '}' | ']', read: () => void): void {
    if (take(end)) return;
    do {
      if (text[at] === end) fail(`trailing comma before "${end}"`);
      read();
    } while (take(','));
    if (!take(end)) fail(`expected "," or "${end}"`);
  }

  function array(depth: number): unknown[] {
    const array: unknown[] = [];
    members(']', () => array.push(value(depth + 1)));
    return array;
  }

  function object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    members('}', () => {
      const keyAt = at;
      if (text[at] !== '"') fail('expected a field name in double quotes');
      const key = string();
      if (Object.hasOwn(object, key)) fail(`duplicate field ${JSON.stringify(key)}`, keyAt);
      match(SPACE);
      if (!take(':')) fail('expected ":" after the field name');
      // So that a field named __proto__ stays a field.
      Object.defineProperty(object, key, {
        ...{ value: value(depth + 1), enumerable: true, configurable: true, writable: true },
      });
    });
    return object;
  }

  /** Also reads the white space that follows. */
  function value(depth: number): unknown {
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`);
    const read = take('{')
      ? object(depth)
      : take('[')
        ? array(depth)
        : text[at] === '"'
          ? string()
          : scalar();
    match(SPACE);
    return read;
  }

  match(SPACE);
  if (at === text.length) fail('the text is empty, expected a JSON value');
  const whole = value(1);
  if (at < text.length) fail('expected the end, found more text');
  return whole;
}

/** `a` + `b` → `a.b`, as every message names a field. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  const plain = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? key : JSON.stringify(key);
  return parent === '' ? plain : `${parent}.${plain}`;
}

/**
 * The steps of a path. Services write it in several ways, e.g. `groups[0].items[2].quantity`,
 * `groups.0.items.2.quantity`, `/groups/0/items/2/quantity`, `body.groups[0].items[2].quantity`.
 */
export function stepsOf(path: string): string[] {
  return path.split(/[^\p{L}\p{N}_]+/u).filter((step) => step !== '' && step !== 'body');
}

/** Matches every text with a number that a double may round. Other texts may match too, which costs only time. */
const MAY_ROUND = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/**
 * Parses a response. A number that a double would round keeps all its digits, as `JSON.rawJSON`.
 *
 * @throws SyntaxError
 */
export function parseResponse(text: string): unknown {
  if (!MAY_ROUND.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined
      ? exactNumber(context.source)
      : value) as (key: string, value: unknown) => unknown);
}

/**
 * What a field holds. It decides which differences are harmless.
 *
 * - `id`: a reference to a record
 * - `code`: identifies a record for people
 * - `number`: amounts and quantities
 * - `word`: one of a few words, e.g. a currency
 * - `other`: anything else
 */
export type ValueKind = 'id' | 'code' | 'number' | 'word' | 'other';

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Whether two JSON values mean the same. Null, an empty text and a missing value are the same. 100, 100.00, 1e2 and
 * "100" are one number, because neither JSON nor databases keep trailing zeros; in a free field, two texts such as `007`
 * and `7` are none. One moment has many spellings. Words and hexadecimal ids are spelled in any case.
 */
export function isSameValue(sent: unknown, stored: unknown, kind: ValueKind = 'other'): boolean {
  const [left, right] = [valueText(sent), valueText(stored)];
  if (left === right) return true;
  if (kind === 'word' || kind === 'id') return left.toLowerCase() === right.toLowerCase();
  if (kind === 'code') return false;
  const hasNumber = numberText(sent) !== undefined || numberText(stored) !== undefined;
  if (isDecimal(left) && isDecimal(right) && (kind === 'number' || hasNumber))
    return compareDecimals(left, right) === 0;
  return (
    kind === 'other' &&
    TIME.test(left) &&
    TIME.test(right) &&
    Date.parse(left) === Date.parse(right)
  );
}

/** A value as text, with all digits of a number; empty if it is missing or null. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * An id of the service: a text that is not blank and has no NUL or incomplete character, or a number other than 0, with
 * all its digits. Undefined for anything else.
 */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string')
    return id.trim() === '' || id.includes('\0') || !id.isWellFormed() ? undefined : id;
  const number = numberText(id);
  return number === undefined || Number(number) === 0 ? undefined : number;
}
