import { ProcError } from '../../../core/errors.ts';
import type { Window } from '../bytes/window.ts';
import { JsonScanner } from './json-scanner.ts';

/** Names of fields that lead to the array; more would be no names. */
const MAX_NAME_BYTES = 64 << 10;

const NEWLINE = 0x0a;

/** The source ended where the document had not. */
export class EndsInTheMiddle extends Error {}

/** Walks through the outer levels of a JSON document, as far as the array of records. */
export class JsonWalker {
  readonly window: Window;
  readonly scanner = new JsonScanner(false);
  readonly #name: string;

  /** @param name the file, for errors. */
  constructor(window: Window, name: string) {
    this.window = window;
    this.#name = name;
  }

  /** Passes over white space in the window. False where the window ends first. */
  skipSpace(): boolean {
    const { window } = this;
    for (; window.start < window.end; window.start++) {
      const byte = window.bytes[window.start]!;
      if (byte === NEWLINE) this.scanner.lines++;
      else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return true;
    }
    return false;
  }

  /** The next character that is no white space, not taken; empty at the end. */
  async peek(): Promise<string> {
    const { window } = this;
    while (!this.skipSpace()) if (!(await window.fill())) return '';
    return String.fromCharCode(window.bytes[window.start]!);
  }

  /** Takes the next character if it is this one. */
  async take(char: string): Promise<boolean> {
    if ((await this.peek()) !== char) return false;
    this.window.start++;
    return true;
  }

  /** Takes this character. Throws `invalid_input`, or {@link EndsInTheMiddle}. */
  async expect(char: string): Promise<void> {
    if (await this.take(char)) return;
    const found = await this.peek();
    if (found === '') throw new EndsInTheMiddle();
    throw this.broken(`expected ${JSON.stringify(char)}, found ${JSON.stringify(found)}`);
  }

  /** Takes a name and its colon. */
  async name(): Promise<string> {
    await this.expect('"');
    const { window } = this;
    let length = 0;
    for (let escaped = false; ; length++) {
      if (window.start + length === window.end && !(await window.fill())) {
        throw new EndsInTheMiddle();
      }
      const byte = window.bytes[window.start + length]!;
      if (length > MAX_NAME_BYTES || byte === NEWLINE) throw this.broken('a name is not closed');
      if (!escaped && byte === 0x22) break;
      escaped = !escaped && byte === 0x5c;
    }
    const text = window.bytes.toString('utf8', window.start, window.start + length);
    window.start += length + 1;
    await this.expect(':');
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw this.broken('a name holds a character that JSON does not allow');
    }
  }

  /** Passes over a value, up to the comma or bracket after it. False where the source ends before. */
  async skipValue(): Promise<boolean> {
    const { window, scanner } = this;
    scanner.reset();
    for (;;) {
      window.start = scanner.scan(window.bytes, window.start, window.end);
      if (window.start < window.end) return true;
      if (!(await window.fill())) return false;
    }
  }

  /** Passes over the rest of an array or object whose bracket was taken, that one's end included. */
  async skipRest(): Promise<void> {
    for (;;) {
      if (!(await this.skipValue())) throw new EndsInTheMiddle();
      const stop = this.window.bytes[this.window.start++];
      if (stop !== 0x2c) return;
    }
  }

  broken(problem: string): ProcError {
    return new ProcError(
      'invalid_input',
      `${this.#name}, line ${this.scanner.lines + 1}: this is not JSON: ${problem}`,
    );
  }
}
