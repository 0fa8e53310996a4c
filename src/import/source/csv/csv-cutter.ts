import type { Problem } from '../../../core/problem/row-problem.ts';

const QUOTE = 0x22;
const SPACE = 0x20;
const RETURN = 0x0d;
const FEED = 0x0a;

export interface CsvShape {
  readonly delimiter: string;
}

export interface Cut {
  readonly cells: readonly string[];
  /** Where the next record starts. */
  readonly next: number;
  /** The number of lines that the record spans. */
  readonly lines: number;
  /** Why the record cannot be read: a mistake in its quotes. `cells` ends before the mistake. */
  readonly problem?: Problem | undefined;
}

const SALVAGED_CHARS = 32_000;

/** A return without a line feed ends a line too, as in old Mac files. */
const BARE_RETURN = /\r(?!\n)/g;

const LINE_BREAK = /\r\n?|\n/g;

/**
 * A cell is quoted if a quote is its first character apart from spaces. In other cells, quotes are
 * ordinary characters, as in `5" pipe`.
 */
export class CsvCutter {
  readonly #text: string;
  readonly #delimiter: string;
  /** The first quote at or after the current position. Lines before it are simply split. */
  #quote: number;
  /**
   * The first line feed, and the first return without a line feed, at or after the current
   * position.
   */
  #feed = -1;
  #return = -1;

  constructor(text: string, shape: CsvShape) {
    this.#text = text;
    this.#delimiter = shape.delimiter;
    this.#quote = text.indexOf('"');
  }

  /** The record at `start`; undefined if the text ends inside quotes. */
  cut(start: number): Cut | undefined {
    const text = this.#text;
    const end = this.#lineEnd(start);
    if (this.#quote >= 0 && this.#quote < start) this.#quote = text.indexOf('"', start);
    if (this.#quote >= 0 && this.#quote < end) return this.#cutQuoted(start, end);
    return {
      cells: text.slice(start, this.#withoutReturn(start, end)).split(this.#delimiter),
      next: end + 1,
      lines: 1,
    };
  }

  lineAfter(start: number): number {
    LINE_BREAK.lastIndex = start;
    return LINE_BREAK.test(this.#text) ? LINE_BREAK.lastIndex : this.#text.length;
  }

  /** Where the line at `start` ends. `start` must not be smaller than in the call before. */
  #lineEnd(start: number): number {
    const text = this.#text;
    if (this.#feed < start) {
      const found = text.indexOf('\n', start);
      this.#feed = found < 0 ? text.length : found;
    }
    if (this.#return < start) {
      BARE_RETURN.lastIndex = start;
      this.#return = BARE_RETURN.test(text) ? BARE_RETURN.lastIndex - 1 : text.length;
    }
    return Math.min(this.#feed, this.#return);
  }

  /** The cells of a line before the first cell with wrong quotes. */
  cellsBefore(start: number, end: number): readonly string[] {
    const line = this.#text
      .slice(start, Math.min(end, start + SALVAGED_CHARS))
      .replace(/[\r\n]+$/, '');
    const cells: string[] = [];
    for (let at = 0; ; ) {
      const opening = afterSpaces(line, at);
      if (line.charCodeAt(opening) !== QUOTE) {
        const delimiter = line.indexOf(this.#delimiter, at);
        cells.push(line.slice(at, delimiter < 0 ? undefined : delimiter));
        if (delimiter < 0) return cells;
        at = delimiter + 1;
        continue;
      }
      const closing = closingQuote(line, opening);
      const after = afterSpaces(line, closing + 1);
      if (closing < 0 || (after < line.length && line[after] !== this.#delimiter)) return cells;
      cells.push(line.slice(opening + 1, closing).replaceAll('""', '"'));
      if (after >= line.length) return cells;
      at = after + 1;
    }
  }

  #cutQuoted(start: number, lineEnd: number): Cut | undefined {
    const text = this.#text;
    const cells: string[] = [];
    let end = lineEnd;
    let lines = 1;
    for (let at = start; ; ) {
      const opening = afterSpaces(text, at);
      if (text.charCodeAt(opening) !== QUOTE) {
        const delimiter = text.indexOf(this.#delimiter, at);
        if (delimiter < 0 || delimiter >= end) {
          cells.push(text.slice(at, this.#withoutReturn(at, end)));
          return { cells, next: end + 1, lines };
        }
        cells.push(text.slice(at, delimiter));
        at = delimiter + 1;
        continue;
      }
      const closing = closingQuote(text, opening);
      if (closing < 0) return undefined;
      cells.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
      for (; closing > end; lines++) {
        const next = this.lineAfter(end + 1);
        end = isBreak(text.charCodeAt(next - 1)) ? next - 1 : next;
      }
      const after = afterSpaces(text, closing + 1);
      if (after >= this.#withoutReturn(after, end)) return { cells, next: end + 1, lines };
      if (text[after] !== this.#delimiter) return this.#strayText(start, cells.length);
      at = after + 1;
    }
  }

  /** The opening quote itself may be the mistake, so reading continues at the next line. */
  #strayText(start: number, cell: number): Cut {
    const next = this.lineAfter(start);
    return {
      cells: this.cellsBefore(start, next),
      next,
      lines: 1,
      problem: { code: 'text_after_quote', args: { cell } },
    };
  }

  #withoutReturn(start: number, end: number): number {
    const isPair = this.#text.charCodeAt(end) === FEED;
    return end > start && isPair && this.#text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
  }
}

function isBreak(code: number): boolean {
  return code === FEED || code === RETURN;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  return at;
}

function closingQuote(text: string, opening: number): number {
  let closing = text.indexOf('"', opening + 1);
  while (closing >= 0 && text.charCodeAt(closing + 1) === QUOTE) {
    closing = text.indexOf('"', closing + 2);
  }
  return closing;
}
