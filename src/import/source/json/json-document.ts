import { ProcError } from '../../../core/errors.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { sentence } from '../../../core/problem/sentence.ts';
import { JsonScanner } from '../../../core/text/json-scanner.ts';
import { listed } from '../../../core/text/listed.ts';
import { joinPath } from '../../../core/text/strict-json.ts';
import { type ByteSource, Window } from '../bytes/byte-source.ts';
import { MAX_COLUMNS } from '../bytes/limits.ts';

/** A longer name counts as a name without a closing quote. */
const MAX_NAME_BYTES = 64 << 10;

const NEWLINE = 0x0a;

export class UnexpectedEnd extends Error {}

/** A document that is no JSON outside of its records. */
export class BrokenJson extends ProcError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super('invalid_input', sentence(problem));
    this.problem = problem;
  }
}

export class JsonWalker {
  readonly window: Window;
  readonly scanner = new JsonScanner(false);
  readonly #name: string;

  constructor(window: Window, name: string) {
    this.window = window;
    this.#name = name;
  }

  /** Skips white space in the window. Returns false if the window ends first. */
  skipSpace(): boolean {
    const { window } = this;
    for (; window.start < window.end; window.start++) {
      const byte = window.bytes[window.start]!;
      if (byte === NEWLINE) this.scanner.lines++;
      else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return true;
    }
    return false;
  }

  /**
   * Returns the next character that is not white space, and does not consume it. Empty at the end.
   */
  async peek(): Promise<string> {
    const { window } = this;
    while (!this.skipSpace()) if (!(await window.fill())) return '';
    return String.fromCharCode(window.bytes[window.start]!);
  }

  async take(char: string): Promise<boolean> {
    if ((await this.peek()) !== char) return false;
    this.window.start++;
    return true;
  }

  async expect(char: string): Promise<void> {
    if (await this.take(char)) return;
    const found = await this.peek();
    if (found === '') throw new UnexpectedEnd();
    throw this.broken({ code: 'json_expected', args: { expected: char, found } });
  }

  async name(): Promise<string> {
    await this.expect('"');
    const { window } = this;
    let length = 0;
    for (let escaped = false; ; length++) {
      if (window.start + length === window.end && !(await window.fill())) {
        throw new UnexpectedEnd();
      }
      const byte = window.bytes[window.start + length]!;
      if (length > MAX_NAME_BYTES || byte === NEWLINE)
        throw this.broken({ code: 'json_name_open', args: {} });
      if (!escaped && byte === 0x22) break;
      escaped = !escaped && byte === 0x5c;
    }
    const text = window.bytes.toString('utf8', window.start, window.start + length);
    window.start += length + 1;
    await this.expect(':');
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw this.broken({ code: 'json_name_invalid', args: {} });
    }
  }

  /** The names of an object's members. The caller reads each value before it goes on. */
  async *names(): AsyncGenerator<string, void> {
    await this.expect('{');
    if (await this.take('}')) return;
    do yield await this.name();
    while (await this.take(','));
    await this.expect('}');
  }

  /**
   * Skips a value, up to the comma or bracket after it. Returns false if the source ends before.
   */
  async skipValue(): Promise<boolean> {
    const { window, scanner } = this;
    scanner.reset();
    for (;;) {
      window.start = scanner.scan(window.bytes, window.start, window.end);
      if (window.start < window.end) return true;
      if (!(await window.fill())) return false;
    }
  }

  /**
   * Skips the rest of an array or object, including its closing bracket. Its opening bracket must
   * have been consumed.
   */
  async skipRest(): Promise<void> {
    for (;;) {
      if (!(await this.skipValue())) throw new UnexpectedEnd();
      const stop = this.window.bytes[this.window.start++];
      if (stop !== 0x2c) return;
    }
  }

  broken(problem: Problem): BrokenJson {
    const place = { file: this.#name, line: this.scanner.lines + 1 };
    return new BrokenJson({ code: 'invalid_json', args: { problem }, place });
  }
}

export interface Survey {
  readonly fields: readonly SurveyedField[];
  /** `middle`: the source ends within the object. `more`: another value follows the object. */
  readonly end: 'whole' | 'middle' | 'more';
  readonly oneLine: boolean;
}

interface SurveyedField {
  readonly name: string;
  readonly holds: 'objects' | 'empty array' | 'other array' | 'object' | 'plain value';
}

export async function survey(source: ByteSource, name: string): Promise<Survey> {
  const walker = new JsonWalker(new Window(source), name);
  const fields: SurveyedField[] = [];
  await walker.peek();
  const firstLine = walker.scanner.lines;
  try {
    for await (const field of walker.names()) {
      fields.push({ name: field, holds: await kindOf(walker) });
      if (fields.length > MAX_COLUMNS)
        throw walker.broken({ code: 'json_many_fields', args: { most: MAX_COLUMNS } });
    }
  } catch (thrown) {
    if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    return { fields, end: 'middle', oneLine: walker.scanner.lines === firstLine };
  }
  const oneLine = walker.scanner.lines === firstLine;
  const more = (await walker.peek()) !== '';
  return { fields, end: more ? 'more' : 'whole', oneLine };
}

/** Detects the kind of the next value, and skips the value. */
async function kindOf(walker: JsonWalker): Promise<SurveyedField['holds']> {
  const first = await walker.peek();
  let kind: SurveyedField['holds'] = first === '{' ? 'object' : 'plain value';
  if (await walker.take('[')) {
    const inner = await walker.peek();
    kind = inner === '{' ? 'objects' : inner === ']' ? 'empty array' : 'other array';
    try {
      await walker.skipRest();
    } catch (thrown) {
      // An incomplete array is good enough here: the reader of its rows reports the problem.
      if (!(thrown instanceof UnexpectedEnd)) throw thrown;
    }
  } else if (!(await walker.skipValue())) throw new UnexpectedEnd();
  return kind;
}

/**
 * Parses `--path`: field names separated by dots. A name that contains a dot is in double quotes.
 */
export function parsePath(text: string): readonly string[] {
  const names: string[] = [];
  const segment = /(?:"((?:[^"\\]|\\.)*)"|([^".]+))(\.|$)/y;
  for (;;) {
    const match = segment.exec(text);
    if (match === null) {
      throw new ProcError(
        'invalid_usage',
        `--path ${text}: expected field names separated by dots`,
        {
          hint: 'Use e.g. --path products or --path data.items',
        },
      );
    }
    names.push(match[1] === undefined ? match[2]! : (JSON.parse(`"${match[1]}"`) as string));
    if (match[3] === '') return names;
  }
}

export function showPath(path: readonly string[]): string {
  return path.reduce<string>((whole, name) => joinPath(whole, name), '');
}

/**
 * Chooses the only array of objects at the top level, or else the only empty array. Returns
 * undefined if the object is itself a record.
 *
 * @param recordFields an object that has all of these is a record, whatever else it contains
 */
export function chooseArray(
  survey: Survey,
  name: string,
  recordFields: readonly string[] | undefined,
): readonly string[] | undefined {
  const names = survey.fields.map((field) => field.name);
  if (recordFields?.every((field) => names.includes(field)) === true) return undefined;
  const arrays = survey.fields.filter(({ holds }) => holds === 'objects');
  const candidates =
    arrays.length > 0 ? arrays : survey.fields.filter(({ holds }) => holds === 'empty array');
  if (candidates.length === 1) return [candidates[0]!.name];
  if (arrays.length > 1) {
    const paths = arrays.map((field) => showPath([field.name]));
    throw new ProcError(
      'invalid_input',
      `${name} contains ${arrays.length} arrays of objects: ${paths.join(', ')}`,
      {
        hint: `Choose the one with the records: --path ${paths[0]}`,
        details: { paths },
      },
    );
  }
  if (survey.fields.some(({ holds }) => holds === 'plain value')) return undefined;
  const fields = listed(
    names.map((one) => showPath([one])),
    10,
  );
  throw new ProcError(
    'invalid_input',
    `${name} is a JSON object without an array of objects at its top level${names.length === 0 ? '' : `; its fields: ${fields}`}`,
    {
      hint: 'If the array is nested, give its path, e.g. --path data.items',
    },
  );
}

const MOST_DEPTH = 6;
const MOST_PATHS = 10;

/** The paths of the first arrays of objects in a document, also below its top level. */
export async function nestedArrays(
  source: ByteSource,
  name: string,
): Promise<readonly (readonly string[])[]> {
  const walker = new JsonWalker(new Window(source), name);
  const found: (readonly string[])[] = [];
  try {
    if ((await walker.peek()) === '{') await collect(walker, [], found);
  } catch {
    // The paths found so far help even if the document is damaged further on.
  }
  return found;
}

async function collect(
  walker: JsonWalker,
  path: readonly string[],
  found: (readonly string[])[],
): Promise<void> {
  for await (const name of walker.names()) {
    const own = [...path, name];
    const first = await walker.peek();
    if (first === '{' && own.length < MOST_DEPTH) await collect(walker, own, found);
    else if (await walker.take('[')) {
      if ((await walker.peek()) === '{' && found.length < MOST_PATHS) found.push(own);
      await walker.skipRest();
    } else await walker.skipValue();
  }
}
