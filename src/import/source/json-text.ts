import { JsonError, MAX_DEPTH, readJson } from '../../core/json.ts';
import { isRawNumber, rawNumber } from '../../core/numbers.ts';
import type { Problem } from '../../core/row-problem.ts';
import { show } from '../../core/validate.ts';
import { MOST_CHARACTERS, type SourceRecord } from './record.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
/** With this bit, brackets are braces. */
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

interface Scanned {
  /** Where the value ends: at the comma or bracket behind it; -1 if the text ends before. */
  readonly end: number;
  /** How many names its objects have, on all levels: `JSON.parse` silently drops one that is there twice. */
  readonly names: number;
}

/** Finds where the value at `start` ends, without parsing it. */
function scanValue(text: string, start: number): Scanned {
  let names = 0;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
        if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (char === COLON) names++;
    else if ((char | BRACE) === OPENING) depth++;
    else if (depth === 0 && (char === COMMA || (char | BRACE) === CLOSING))
      return { end: at, names };
    else if ((char | BRACE) === CLOSING) depth--;
  }
  return { end: -1, names };
}

/** A number whose value or text may change in `JSON.parse`: `1.10`, `1e3`, 16 digits. It may stand in a text, which costs only time. */
const INEXACT = /\d[\d.]{15}|\.\d*0(?!\d)|\d[eE]/;

/**
 * `JSON.parse` of Node 24.21 has a bug: after parsing `{"a":1,"\\":2}`, it reads the name `\n` in `{"a":1,"\n":2}` as
 * `\\`. So the strict reader parses records whose names may have escapes.
 */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/s;

export interface Parsed extends Pick<SourceRecord, 'fields' | 'problem'> {
  /** The text is no JSON, so where it ends is not sure either. */
  readonly isBroken?: boolean;
}

/**
 * Rejects names that an object has twice. A number whose digits a double would lose keeps its text, as `JSON.rawJSON`.
 *
 * @param line where the text begins
 * @param names of all its objects, if they have been counted
 */
export function parseRecord(text: string, line: number, names = scanValue(text, 0).names): Parsed {
  let value: unknown;
  try {
    value = INEXACT.test(text) ? parseExactly(text) : JSON.parse(text);
    if (ESCAPED_NAME.test(text)) value = readJson(text);
  } catch (thrown) {
    return { problem: mistakeIn(text, line), isBroken: thrown instanceof SyntaxError };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value))
    return { problem: { text: `must be a JSON object, got ${show(value)}` } };
  if (countNames(value, 1) !== names) return { problem: mistakeIn(text, line) };
  return { fields: value as Record<string, unknown> };
}

function parseExactly(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawNumber(source)
      : value) as (key: string, value: unknown) => unknown);
}

/** No number if the value is nested too deep. */
function countNames(value: object, depth: number): number {
  if (depth > MAX_DEPTH) return Number.NaN;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null && !isRawNumber(member))
      count += countNames(member, depth + 1);
  }
  return count;
}

/** The strict reader is slower, but reports the mistake and its place. */
export function mistakeIn(text: string, line: number): Problem {
  try {
    readJson(text);
    return { text: 'is not valid JSON' };
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    const { mistake, line: inner, column } = thrown;
    const place = inner === 1 ? { character: column } : { line: line + inner - 1, column };
    return { text: mistake, place };
  }
}

export interface Element {
  readonly text: string;
  /** Where it begins. */
  readonly line: number;
  /** The number of names in it. */
  readonly names: number;
  /** The character behind it; empty if its end was not found, because the file ends or the element is too long. */
  readonly next: string;
}

/** JSON text that is read piece by piece. Nothing is kept of what was passed. */
export class JsonText {
  text = '';
  /** The current place in the text. */
  at = 0;
  /** The line of that place. */
  line = 1;
  /** The number of characters before the text. */
  #before = 0;
  readonly #source: AsyncIterator<string>;

  constructor(pieces: AsyncIterable<string>) {
    this.#source = pieces[Symbol.asyncIterator]();
  }

  /** The current place, in characters of the whole text. */
  get offset(): number {
    return this.#before + this.at;
  }

  /** Reads on, and forgets what was passed. False at the end of the file. */
  async more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done === true) return false;
    this.#before += this.at;
    this.text = this.text.slice(this.at) + value;
    this.at = 0;
    return true;
  }

  close(): Promise<unknown> | undefined {
    return this.#source.return?.();
  }

  pass(to = this.text.length): string {
    const passed = this.text.slice(this.at, to);
    if (passed.includes('\n')) this.line += passed.split('\n').length - 1;
    this.at = to;
    return passed;
  }

  async passTo(offset: number): Promise<void> {
    while (this.#before + this.text.length < offset) {
      this.pass();
      if (!(await this.more())) return;
    }
    this.pass(offset - this.#before);
  }

  /** Passes the elements of an array, those of each piece together, and what is behind the last one. */
  async *elements(): AsyncGenerator<readonly Element[], void> {
    for (;;) {
      const batch: Element[] = [];
      for (let one = this.#element(); one !== undefined; one = this.#element()) {
        batch.push(one);
        if (one.next === ',') continue;
        yield batch;
        return;
      }
      yield batch;
      if (this.text.length - this.at <= MOST_CHARACTERS && (await this.more())) continue;
      yield [{ line: this.line, text: this.pass(), names: 0, next: '' }];
      return;
    }
  }

  /** Undefined if its end is not there yet. */
  #element(): Element | undefined {
    let start = this.at;
    while (this.text.charCodeAt(start) <= SPACE) start++;
    this.pass(start);
    const { end, names } = scanValue(this.text, start);
    if (end < 0) return undefined;
    const { line } = this;
    return { line, text: this.pass(end), names, next: this.pass(end + 1) };
  }
}
