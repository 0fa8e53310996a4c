import { exactNumber, survivesDouble } from './decimal.ts';

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

/** Called for every value with its path (`groups[0].items[2].quantity`) and offset. */
type Visit = (path: string, offset: number) => void;

/**
 * Reads a payload strictly. Refuses what `JSON.parse` silently loses: duplicate keys, rounded numbers.
 * Refuses nesting deeper than {@link MAX_DEPTH}.
 *
 * @throws JsonError
 */
export function readJson(text: string, visit?: Visit): unknown {
  return new Reader(text, visit).document();
}

/** The place of a field in a text that {@link readJson} accepts; line and column count from 1. */
export function locate(text: string, path: string): { line: number; column: number } | undefined {
  let found: number | undefined;
  readJson(text, (at, offset) => {
    if (at === path) found = offset;
  });
  if (found === undefined) return undefined;
  const place = new JsonError('', text, found);
  return { line: place.line, column: place.column };
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

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
const LITERALS = { true: true, false: false, null: null };

class Reader {
  readonly #text: string;
  readonly #visit: Visit | undefined;
  #at = 0;

  constructor(text: string, visit: Visit | undefined) {
    this.#text = text;
    this.#visit = visit;
  }

  document(): unknown {
    this.#match(SPACE);
    if (this.#at === this.#text.length) this.#fail('the text is empty, expected a JSON value');
    const value = this.#value('', 1);
    if (this.#at < this.#text.length) this.#fail('expected the end, found more text');
    return value;
  }

  /** Also reads the white space that follows. */
  #value(path: string, depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH} levels`);
    this.#visit?.(path, this.#at);
    const value = this.#oneValue(path, depth);
    this.#match(SPACE);
    return value;
  }

  #oneValue(path: string, depth: number): unknown {
    if (this.#take('{')) return this.#object(path, depth);
    if (this.#take('[')) {
      const array: unknown[] = [];
      this.#members(']', () => array.push(this.#value(joinPath(path, array.length), depth + 1)));
      return array;
    }
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [word, value] of Object.entries(LITERALS)) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  #object(path: string, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#members('}', () => {
      const keyAt = this.#at;
      if (this.#text[keyAt] !== '"') this.#fail('expected a field name in double quotes');
      const key = this.#string();
      if (Object.hasOwn(object, key)) this.#fail(`duplicate field ${JSON.stringify(key)}`, keyAt);
      this.#match(SPACE);
      if (!this.#take(':')) this.#fail('expected ":" after the field name');
      const value = this.#value(joinPath(path, key), depth + 1);
      // So that a field named __proto__ stays a field.
      Object.defineProperty(object, key, {
        ...{ value, enumerable: true, configurable: true, writable: true },
      });
    });
    return object;
  }

  #members(end: '}' | ']', read: () => void): void {
    if (this.#take(end)) return;
    do {
      if (this.#text[this.#at] === end) this.#fail(`trailing comma before "${end}"`);
      read();
    } while (this.#take(','));
    if (!this.#take(end)) this.#fail(`expected "," or "${end}"`);
  }

  /** Uses indexOf, because a regular expression overflows its stack on long strings. */
  #string(): string {
    const start = this.#at;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) this.#fail('this text in quotes is not closed');
    } while (this.#isEscaped(end));
    try {
      const value = JSON.parse(this.#text.slice(start, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch {
      return this.#fail(
        'this quoted text contains a line break, a control character or an invalid escape',
      );
    }
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text[quote - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  #number(): number {
    const start = this.#at;
    const source = this.#match(NUMBER);
    if (source === undefined) {
      const found = this.#text[start];
      this.#fail(
        `expected a value, found ${found === undefined ? 'the end' : JSON.stringify(found)}`,
      );
    }
    if (survivesDouble(source)) return Number(source);
    const mistake = `the number ${source} would be rounded; write it as text if its digits matter`;
    throw new JsonError(mistake, this.#text, start, true);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Also reads the white space that follows. */
  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    this.#match(SPACE);
    return true;
  }

  #fail(mistake: string, offset = this.#at): never {
    throw new JsonError(mistake, this.#text, offset);
  }
}

/**
 * Matches every text with a number that a double may round. Other texts may match too, which costs only
 * time.
 */
const MAY_ROUND = /(?:^|[:,[])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/**
 * Parses a response. A number that a double would round keeps all its digits, as `JSON.rawJSON`.
 *
 * @throws SyntaxError
 */
export function parseResponse(text: string): unknown {
  if (!MAY_ROUND.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && !survivesDouble(context.source)
      ? exactNumber(context.source)
      : value) as (key: string, value: unknown) => unknown);
}
