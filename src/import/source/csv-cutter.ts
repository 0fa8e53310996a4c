import type { Problem } from '../../core/row-problem.ts';

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
  /** Why the record cannot be read: a mistake in its quotes. It then has no cells. */
  readonly problem?: Problem | undefined;
}

interface Walk {
  readonly cells: readonly string[];
  readonly end: number;
  readonly lines: number;
  /** `open`: the text ends inside quotes; `stray`: other text follows a closing quote. */
  readonly mistake?: 'open' | 'stray';
  /** Of a record of several lines: where the first value with line breaks starts, and where its line ends. */
  readonly joined?: { readonly cell: number; readonly opening: number; readonly lineEnd: number };
}

/** A return without a line feed ends a line too, as in old Mac files. */
const BARE_RETURN = /\r(?!\n)/g;

const LINE_BREAK = /\r\n?|\n/g;

/** How many closing quotes are tried in a line. More would take long in a hostile file. */
const MOST_CLOSINGS = 64;

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

  /**
   * The record at `start`; undefined if the text ends inside quotes.
   *
   * @param columns the number of columns. A record of several lines is then a mistake if it has another number of cells, or if its lines are rows by themselves
   */
  cut(start: number, columns?: number): Cut | undefined {
    const text = this.#text;
    const end = this.#lineEnd(start);
    if (this.#quote >= 0 && this.#quote < start) this.#quote = text.indexOf('"', start);
    if (this.#quote >= 0 && this.#quote < end) return this.#cutQuoted(start, end, columns);
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

  #cutQuoted(start: number, lineEnd: number, columns?: number): Cut | undefined {
    const walk = this.#walk(start, lineEnd);
    const { cells, mistake, end, lines, joined } = walk;
    if (mistake === 'open') return undefined;
    const isJoined =
      mistake === undefined &&
      joined !== undefined &&
      columns !== undefined &&
      (!fitsWidth(cells, columns) || this.#joinsRows(start, walk, columns));
    if (mistake === undefined && !isJoined) return { cells, next: end + 1, lines };
    // The opening quote itself may be the mistake, so reading continues at the next line.
    const next = this.lineAfter(start);
    const found = isJoined
      ? `the quotes of cell ${joined!.cell} join ${lines} lines that look like rows`
      : `text follows a closing quote in cell ${cells.length + 1}`;
    const problem = { text: `${found}; a quote inside a cell must be doubled` };
    return { cells: [], next, lines: 1, problem };
  }

  /** Whether stray quotes have probably joined rows: each line of the record is a row by itself. */
  #joinsRows(start: number, { joined, end }: Walk, columns: number): boolean {
    if (joined === undefined) return false;
    const delimiter = this.#delimiter;
    const { cell, opening, lineEnd } = joined;
    const first = this.#text.slice(start, this.#withoutReturn(start, lineEnd));
    const isComplete =
      mayBeComplete(first.slice(opening - start), { delimiter, columns: columns - cell }) ||
      hasColumns(first, { delimiter, columns }, true);
    if (!isComplete) return false;
    const further = this.#text.slice(lineEnd, end).split(LINE_BREAK);
    return further.every((line) => line.trim() === '' || hasColumns(line, { delimiter, columns }));
  }

  /** The cells of a record up to its end, or to a mistake in its quotes. */
  #walk(start: number, lineEnd: number): Walk {
    const text = this.#text;
    const cells: string[] = [];
    let end = lineEnd;
    let lines = 1;
    let joined: Walk['joined'];
    for (let at = start; ; ) {
      const opening = afterSpaces(text, at);
      if (text.charCodeAt(opening) !== QUOTE) {
        const delimiter = text.indexOf(this.#delimiter, at);
        const isLast = delimiter < 0 || delimiter >= end;
        cells.push(text.slice(at, isLast ? this.#withoutReturn(at, end) : delimiter));
        if (isLast) return { cells, end, lines, joined };
        at = delimiter + 1;
        continue;
      }
      const closing = closingQuote(text, opening);
      if (closing < 0) return { cells, end, lines, mistake: 'open' };
      if (closing > end) joined ??= { cell: cells.length + 1, opening, lineEnd: end };
      for (; closing > end; lines++) {
        const next = this.lineAfter(end + 1);
        end = isBreak(text.charCodeAt(next - 1)) ? next - 1 : next;
      }
      const after = afterSpaces(text, closing + 1);
      const isLast = after >= this.#withoutReturn(after, end);
      if (!isLast && text[after] !== this.#delimiter)
        return { cells, end, lines, mistake: 'stray' };
      cells.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
      if (isLast) return { cells, end, lines, joined };
      at = after + 1;
    }
  }

  #withoutReturn(start: number, end: number): number {
    const isPair = this.#text.charCodeAt(end) === FEED;
    return end > start && isPair && this.#text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
  }
}

/** Some files end each line with delimiters, so empty cells beyond the header count for nothing. */
export function fitsWidth(cells: readonly string[], columns: number): boolean {
  return cells.length >= columns && cells.slice(columns).every((cell) => cell.trim() === '');
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

interface Width {
  readonly delimiter: string;
  readonly columns: number;
}

/**
 * Whether another quote of the line may close its first cell, so that the other columns follow.
 *
 * @param line begins with the opening quote of that cell
 * @param width.columns the number of the other columns
 */
function mayBeComplete(line: string, width: Width): boolean {
  let closing = closingIn(line, 1, width.delimiter);
  for (let tried = 0; closing < line.length && tried < MOST_CLOSINGS; tried++) {
    const after = afterSpaces(line, closing + 1);
    const isLast = after === line.length;
    if (isLast ? width.columns === 0 : hasColumns(line.slice(after + 1), width)) return true;
    closing = closingIn(line, closing + 1, width.delimiter);
  }
  return false;
}

/** Whether a line has so many cells, not counting empty ones at its end. @param closes every quote must be closed */
function hasColumns(line: string, { delimiter, columns }: Width, closes = false): boolean {
  const cells: string[] = [];
  let closing = 0;
  for (let at = 0; ; ) {
    const opening = afterSpaces(line, at);
    let from = at;
    if (line.charCodeAt(opening) === QUOTE) {
      if (closing <= opening) closing = closingIn(line, opening + 1, delimiter);
      if (closing < line.length) from = closing + 1;
      else if (closes) return false;
    }
    const end = line.indexOf(delimiter, from);
    cells.push(line.slice(at, end < 0 ? line.length : end));
    if (end < 0) break;
    at = end + 1;
  }
  return fitsWidth(cells, columns);
}

/** The first quote that a delimiter or the end of the line follows; the length of the line if there is none. */
function closingIn(line: string, from: number, delimiter: string): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    const after = afterSpaces(line, at + 1);
    if (after === line.length || line[after] === delimiter) return at;
  }
  return line.length;
}
