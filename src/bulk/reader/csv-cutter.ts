const QUOTE = 0x22;
const SPACE = 0x20;
const RETURN = 0x0d;

/** How a CSV file is written. */
export interface CsvShape {
  readonly delimiter: string;
  /** What ends a line in the text: `\n` (also for `\r\n`), or `\r`. */
  readonly newline: '\n' | '\r';
}

/** One record of a text, or why there is none. */
export interface Cut {
  readonly cells: readonly string[];
  /** Where the next record starts. */
  readonly next: number;
  /** Lines up to there. */
  readonly lines: number;
  readonly problem?: string | undefined;
}

/**
 * Cuts a text into records of cells. A quote opens a cell only at its start (after spaces, which are
 * dropped); elsewhere it is a character like any other, as in `5" pipe`.
 */
export class CsvCutter {
  readonly #text: string;
  readonly #delimiter: string;
  readonly #newline: string;
  /** The first quote at or after what was cut: most lines have none, and are simply split. */
  #quote: number;

  constructor(text: string, shape: CsvShape) {
    this.#text = text;
    this.#delimiter = shape.delimiter;
    this.#newline = shape.newline;
    this.#quote = text.indexOf('"');
  }

  /** The record at `start`; undefined where the text ends inside of quotes. */
  cut(start: number): Cut | undefined {
    const text = this.#text;
    const newline = text.indexOf(this.#newline, start);
    const end = newline < 0 ? text.length : newline;
    if (this.#quote >= 0 && this.#quote < start) this.#quote = text.indexOf('"', start);
    if (this.#quote >= 0 && this.#quote < end) return this.#cutQuoted(start, end);
    return {
      cells: text.slice(start, this.#withoutReturn(start, end)).split(this.#delimiter),
      next: end + 1,
      lines: 1,
    };
  }

  /** Where the line after the one at `start` starts. */
  lineAfter(start: number): number {
    const newline = this.#text.indexOf(this.#newline, start);
    return newline < 0 ? this.#text.length : newline + 1;
  }

  #cutQuoted(start: number, lineEnd: number): Cut | undefined {
    const text = this.#text;
    const cells: string[] = [];
    let end = lineEnd;
    let lines = 1;
    for (let at = start; ; ) {
      let opening = at;
      while (text.charCodeAt(opening) === SPACE) opening++;
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
      const closing = this.#closing(opening);
      if (closing < 0) return undefined;
      cells.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
      while (closing > end) {
        lines++;
        const newline = text.indexOf(this.#newline, end + 1);
        end = newline < 0 ? text.length : newline;
      }
      let after = closing + 1;
      while (text.charCodeAt(after) === SPACE) after++;
      if (after >= this.#withoutReturn(after, end)) return { cells, next: end + 1, lines };
      if (text[after] !== this.#delimiter) return this.#strayText(start, cells.length);
      at = after + 1;
    }
  }

  /** The quote that closes the one at `opening`; -1 where none does. */
  #closing(opening: number): number {
    const text = this.#text;
    let closing = text.indexOf('"', opening + 1);
    while (closing >= 0 && text.charCodeAt(closing + 1) === QUOTE) {
      closing = text.indexOf('"', closing + 2);
    }
    return closing;
  }

  /** Reading goes on at the next line: the quote that is wrong may be the one that opened. */
  #strayText(start: number, cell: number): Cut {
    return {
      cells: [],
      next: this.lineAfter(start),
      lines: 1,
      problem: `text follows a closing quote in cell ${cell}: a quote inside of a cell is written twice`,
    };
  }

  #withoutReturn(start: number, end: number): number {
    return end > start && this.#newline === '\n' && this.#text.charCodeAt(end - 1) === RETURN
      ? end - 1
      : end;
  }
}
