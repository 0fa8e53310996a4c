import type { Problem } from '../../core/row-problem.ts';
import { isRawNumber, rawNumber } from '../../core/text/raw-number.ts';
import { JsonError, MAX_DEPTH, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';
import { MOST_CHARACTERS, type SourceRecord } from './record.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** What a text has that `JSON.parse` silently loses. */
interface Scanned {
  /** Where the value ends: at the comma or bracket behind it; -1 if the text ends before. */
  readonly end: number;
  /** Brackets that the text leaves open. */
  readonly depth: number;
  /** Names of fields, on all levels. */
  readonly names: number;
  readonly deepest: number;
  readonly hasEscapedName: boolean;
}

/** Finds where the value at `start` ends, without parsing it. */
export function scanValue(text: string, start: number): Scanned {
  let names = 0;
  let depth = 0;
  let deepest = 0;
  let hasEscape = false;
  let hasEscapedName = false;
  let at = start;
  scanning: for (; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        hasEscape = false;
        for (at++; at < text.length; at++) {
          const char = text.charCodeAt(at);
          if (char === QUOTE) break;
          if (char !== BACKSLASH) continue;
          hasEscape = true;
          at++;
        }
        break;
      case 0x3a: // :
        names++;
        hasEscapedName ||= hasEscape;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (depth-- === 0) break scanning;
        break;
      case 0x2c: // ,
        if (depth === 0) break scanning;
    }
  }
  return { end: at < text.length ? at : -1, depth, names, deepest, hasEscapedName };
}

/** A number whose value or text may change in `JSON.parse`: `1.10`, `1e3`, 16 digits. It may stand in a text, which costs only time. */
const INEXACT = /\d[\d.]{15}|\.\d*0(?!\d)|\d[eE]/;

/**
 * Rejects names that an object has twice. A number whose digits a double would lose keeps its text, as
 * `JSON.rawJSON`.
 *
 * `JSON.parse` of Node 24.21 has a bug: after parsing `{"a":1,"\\":2}`, it reads the name `\n` in
 * `{"a":1,"\n":2}` as `\\`. So the strict reader parses records whose names have escapes.
 *
 * @param scanned the scan of this text
 * @param line where the text begins
 */
export function parseRecord(
  text: string,
  scanned: Scanned,
  line: number,
): Pick<SourceRecord, 'fields' | 'problem'> {
  const { deepest, names, hasEscapedName } = scanned;
  if (deepest > MAX_DEPTH)
    return { problem: { text: `is nested deeper than ${MAX_DEPTH} levels` } };
  let value: unknown;
  try {
    if (hasEscapedName) value = readJson(text);
    else value = INEXACT.test(text) ? parseExactly(text) : JSON.parse(text);
  } catch {
    return { problem: mistakeIn(text, line) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value))
    return { problem: { text: `must be a JSON object, got ${show(value)}` } };
  // A parsed value has fewer names than its text if an object has the same name twice.
  if (countNames(value) !== names) return { problem: mistakeIn(text, line) };
  return { fields: value as Record<string, unknown> };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseExactly(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawNumber(source)
      : value) as (key: string, value: unknown) => unknown);
}

function countNames(value: object): number {
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null && !isRawNumber(member))
      count += countNames(member);
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

export interface Element extends Scanned {
  readonly text: string;
  /** Where it begins. */
  readonly line: number;
  /** The character behind it; empty if its end was not found, because the file ends or the element is too long. */
  readonly then: string;
}

/** JSON text that is read piece by piece. Nothing is kept of what was passed. */
export class JsonText {
  text = '';
  /** The current place in the text. */
  at = 0;
  /** The line of that place. */
  line = 1;
  /** The number of pieces so far. */
  pieces = 0;
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
    this.pieces++;
    return true;
  }

  close(): Promise<unknown> | undefined {
    return this.#source.return?.();
  }

  pass(to: number): string {
    const passed = this.text.slice(this.at, to);
    if (passed.includes('\n')) this.line += passed.split('\n').length - 1;
    this.at = to;
    return passed;
  }

  /** False at the end of the file. */
  async passSpace(): Promise<boolean> {
    do {
      let to = this.at;
      while (this.text.charCodeAt(to) <= SPACE) to++;
      this.pass(to);
      if (to < this.text.length) return true;
    } while (await this.more());
    return false;
  }

  async passTo(offset: number): Promise<void> {
    while (this.#before + this.text.length < offset) {
      this.pass(this.text.length);
      if (!(await this.more())) return;
    }
    this.pass(offset - this.#before);
  }

  /** Passes an element of an array, and the character behind it. */
  async element(): Promise<Element> {
    await this.passSpace();
    let scanned = scanValue(this.text, this.at);
    while (scanned.end < 0 && this.text.length - this.at <= MOST_CHARACTERS) {
      if (!(await this.more())) break;
      scanned = scanValue(this.text, this.at);
    }
    const { line } = this;
    const { end } = scanned;
    const text = this.pass(end < 0 ? this.text.length : end);
    const then = end < 0 ? '' : this.pass(end + 1);
    return { ...scanned, text, line, then };
  }
}
