const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SMALL_U = 0x75;
const DOT = 0x2e;
const ZERO = 0x30;

const OTHER = 0;
const STRING = 1;
const OPEN = 2;
const CLOSE = 3;
const COMMA = 4;
const COLON = 5;
const DIGIT = 6;
const LINE = 7;

const MEANING = meanings();

function meanings(): Uint8Array {
  const table = new Uint8Array(256).fill(OTHER);
  table[QUOTE] = STRING;
  for (const char of '{[') table[char.charCodeAt(0)] = OPEN;
  for (const char of '}]') table[char.charCodeAt(0)] = CLOSE;
  for (const char of '-0123456789') table[char.charCodeAt(0)] = DIGIT;
  table[','.charCodeAt(0)] = COMMA;
  table[':'.charCodeAt(0)] = COLON;
  table[NEWLINE] = LINE;
  return table;
}

/** A double keeps any number of up to 15 digits; longer numbers have to be checked. */
const SAFE_DIGITS = 15;

/**
 * Finds where a JSON value ends, without parsing it, and notes what `JSON.parse` would silently accept.
 * A string ends at a line break, so that a missing quote breaks only its own record.
 */
export class JsonScanner {
  depth = 0;
  deepest = 0;
  names = 0;
  /** With `JSON.parse`, some number may change its value, or only its text (`1.10` → `1.1`). */
  needsExactNumbers = false;
  escapes = false;
  escapedName = false;
  /** Line breaks so far in the whole document. Not counted with `byLine`. */
  lines = 0;
  readonly #byLine: boolean;
  #inString = false;
  #escaped = false;
  /** The current or last string contains a backslash. */
  #slash = false;

  /** @param byLine stop at every line break, even inside a value (NDJSON) */
  constructor(byLine: boolean) {
    this.#byLine = byLine;
  }

  reset(): void {
    this.depth = 0;
    this.deepest = 0;
    this.names = 0;
    this.needsExactNumbers = false;
    this.escapes = false;
    this.escapedName = false;
    this.#slash = false;
    this.#inString = false;
    this.#escaped = false;
  }

  /**
   * Continues from `at`. Returns where the value ends, or `end` if it may continue in the next piece.
   * A value ends at the comma or closing bracket after it; with `byLine`, at the line break.
   */
  scan(bytes: Buffer, at: number, end: number): number {
    let position = at;
    if (this.#inString) position = this.#string(bytes, at, end);
    // Local variables, because reading object fields is slow in this loop.
    let { depth, deepest, names } = this;
    scanning: while (position < end) {
      switch (MEANING[bytes[position]!]) {
        case STRING:
          this.#slash = false;
          position = this.#string(bytes, position + 1, end);
          continue;
        case OPEN:
          if (++depth > deepest) deepest = depth;
          break;
        case CLOSE:
          if (depth > 0) depth--;
          else if (!this.#byLine) break scanning;
          break;
        case COMMA:
          if (depth === 0 && !this.#byLine) break scanning;
          break;
        case COLON:
          names++;
          if (this.#slash) this.escapedName = true;
          break;
        case DIGIT:
          position = this.#number(bytes, position, end);
          continue;
        case LINE:
          if (this.#byLine) break scanning;
          this.lines++;
          break;
      }
      position++;
    }
    this.depth = depth;
    this.deepest = deepest;
    this.names = names;
    return position;
  }

  /** Continues inside a string, to its end or to a line break. */
  #string(bytes: Buffer, at: number, end: number): number {
    let position = at;
    if (this.#escaped && position < end) {
      this.#escaped = false;
      if (bytes[position] !== NEWLINE) position++;
    }
    for (; position < end; position++) {
      const byte = bytes[position]!;
      if (byte > BACKSLASH) continue;
      if (byte === QUOTE) {
        this.#inString = false;
        return position + 1;
      }
      if (byte === NEWLINE) {
        this.#inString = false;
        return position;
      }
      if (byte === BACKSLASH) {
        this.#slash = true;
        const next = position + 1;
        if (next === end) this.#escaped = true;
        else if (bytes[next] !== NEWLINE) {
          if (bytes[next] === SMALL_U) this.escapes = true;
          position = next;
        }
      }
    }
    this.#inString = true;
    return end;
  }

  #number(bytes: Buffer, at: number, end: number): number {
    let position = at + 1;
    let hasDot = false;
    let byte = 0;
    for (; position < end; position++) {
      byte = bytes[position]!;
      if (byte === DOT) hasDot = true;
      // The e, E or + of an exponent.
      else if (byte === 0x65 || byte === 0x45 || byte === 0x2b) this.needsExactNumbers = true;
      else if (MEANING[byte] !== DIGIT) break;
    }
    const last = bytes[position - 1];
    // At the end of a piece, the number may be incomplete.
    if (position - at > SAFE_DIGITS || position === end || (hasDot && last === ZERO)) {
      this.needsExactNumbers = true;
    }
    return position;
  }
}
