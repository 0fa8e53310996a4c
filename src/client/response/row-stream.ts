import type { Problem } from '../../core/problem/row-problem.ts';
import type { Row } from '../../core/result.ts';
import { asItIs, type Hide } from '../../core/service/hiding.ts';
import { JsonScanner } from '../../core/text/json-scanner.ts';
import { MAX_DEPTH, parseResponse } from '../../core/text/strict-json.ts';

const MAX_ROW = 1 << 20;
/** Far above any page. It stops an endless list. */
const MAX_RESPONSE = 256 << 20;
const MAX_ROWS = 2_000_000;

/** How many bytes to keep of a response that is not a list, to describe it in the error. */
const MAX_SEEN = 4_096;

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

type State = 'start' | 'first' | 'row' | 'after' | 'next' | 'end';

export class RowsError extends Error {
  override readonly name = 'RowsError';
  readonly found: string | undefined;

  constructor(message: string, found?: string) {
    super(message);
    this.found = found;
  }
}

export function unreadable(says: string): Problem {
  return { code: 'response_unreadable', args: { says } };
}

/**
 * Splits a JSON array that arrives in chunks into its rows, without keeping the text. Throws as soon as
 * something is wrong.
 */
export class RowSplitter {
  readonly rows: Row[] = [];
  #state: State = 'start';
  readonly #scanner = new JsonScanner(false);
  readonly #row = new Gathered();
  readonly #hide: Hide;
  #received = 0;

  constructor(hide: Hide = asItIs) {
    this.#hide = hide;
  }

  /** @throws RowsError */
  push(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#received > MAX_RESPONSE || this.rows.length > MAX_ROWS) {
      throw new RowsError(
        `the response is too large: more than 256 MiB or ${MAX_ROWS / 1e6} million rows`,
      );
    }
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'row') {
        at = this.#scan(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
      const start = at;
      if (isSpace || !this.#between(byte, () => chunk.toString('utf8', start, start + MAX_SEEN))) {
        at++;
      } else this.#scanner.reset();
    }
  }

  /** @throws RowsError if the array is missing or not closed */
  end(): void {
    if (this.#state === 'row' && this.#scanner.depth === 0) this.#finish();
    if (this.#state !== 'end') {
      throw new RowsError(
        this.#state === 'start'
          ? 'the response is empty'
          : `the response is truncated after ${this.rows.length === 1 ? 'a row' : `${this.rows.length} rows`}`,
      );
    }
  }

  #scan(chunk: Buffer, at: number): number {
    const stop = this.#scanner.scan(chunk, at, chunk.length);
    if (this.#scanner.deepest > MAX_DEPTH) {
      throw new RowsError(`row ${this.rows.length + 1} is nested deeper than ${MAX_DEPTH} levels`);
    }
    this.#take(chunk.subarray(at, stop));
    if (stop < chunk.length) this.#finish();
    return stop;
  }

  /** @returns whether this byte begins a row */
  #between(byte: number, rest: () => string): boolean {
    if (this.#state === 'start') {
      // Some gateways add a byte order mark.
      if (byte === 0xef || byte === 0xbb || byte === 0xbf) return false;
      if (byte !== OPEN_ARRAY) throw new RowsError('the response is not a JSON array', rest());
      this.#state = 'first';
      return false;
    }
    if (byte === CLOSE_ARRAY && (this.#state === 'first' || this.#state === 'after')) {
      this.#state = 'end';
      return false;
    }
    if (byte === COMMA && this.#state === 'after') {
      this.#state = 'next';
      return false;
    }
    if (byte === OPEN_OBJECT && (this.#state === 'first' || this.#state === 'next')) {
      this.#state = 'row';
      return true;
    }
    throw new RowsError(
      this.#state === 'end'
        ? 'there is more data after the end of the response'
        : `row ${this.rows.length + 1} of the response is not a JSON object`,
    );
  }

  #take(piece: Buffer): void {
    this.#row.add(piece);
    if (this.#row.size > MAX_ROW)
      throw new RowsError(`row ${this.rows.length + 1} is larger than 1 MiB`);
  }

  #finish(): void {
    const text = this.#row.take().toString('utf8');
    this.#state = 'after';
    try {
      this.rows.push(this.#hide.value(parseResponse(text) as Row, text));
    } catch {
      throw new RowsError(`row ${this.rows.length + 1} is not valid JSON`);
    }
  }
}

/**
 * Collects pieces of bytes in one buffer. A Buffer for each piece costs a hundred bytes, too much if a
 * service sends single bytes.
 */
export class Gathered {
  #first: Buffer | undefined;
  #all: Buffer | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    if (this.#size === 0) this.#first = piece;
    else {
      this.#all = this.#roomFor(piece.length);
      piece.copy(this.#all, this.#size);
    }
    this.#size += piece.length;
  }

  /** Returns all bytes and empties the buffer. Bytes that came in one piece are not copied. */
  take(): Buffer {
    const bytes = this.#all?.subarray(0, this.#size) ?? this.#first ?? Buffer.alloc(0);
    this.#first = undefined;
    this.#all = undefined;
    this.#size = 0;
    return bytes;
  }

  #roomFor(more: number): Buffer {
    const all = this.#all ?? this.#first!;
    if (this.#all !== undefined && all.length >= this.#size + more) return all;
    const larger = Buffer.allocUnsafe(Math.max(1024, 2 * (this.#size + more)));
    all.copy(larger, 0, 0, this.#size);
    return larger;
  }
}
