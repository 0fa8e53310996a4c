import { ProcError } from '../../../core/errors.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { JsonScanner } from '../../../core/text/json-scanner.ts';
import { sentence } from '../../../messages/problems.ts';
import type { Window } from '../bytes/window.ts';

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
