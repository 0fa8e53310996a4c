export interface Cut {
  readonly cells: readonly string[];
  /** Where the next record starts. */
  readonly next: number;
  /** The number of lines that the record spans. */
  readonly lines: number;
  /** Why the record cannot be read: a mistake in its quotes. It then has no cells, and one line. */
  readonly problem?: string | undefined;
}

const LINE_BREAK = /\r\n?|\n/g;

/** Where the line at `start` ends, without its line break, and where the next one starts. */
export function lineAt(
  text: string,
  start: number,
): { readonly end: number; readonly next: number } {
  LINE_BREAK.lastIndex = start;
  const found = LINE_BREAK.exec(text);
  return found === null
    ? { end: text.length, next: text.length }
    : { end: found.index, next: LINE_BREAK.lastIndex };
}

/** Some files end each line with delimiters, so empty cells beyond the header count for nothing. */
export function fitsWidth(cells: readonly string[], columns: number): boolean {
  return cells.length >= columns && cells.slice(columns).every((cell) => cell.trim() === '');
}

/** How many closing quotes are tried in a line. More would take long in a hostile file. */
const MOST_CLOSINGS = 64;

/** Cuts the records of a text with one delimiter. */
export class CsvCutter {
  readonly #delimiter: string;
  /** A cell, and what ends it. */
  readonly #cell: RegExp;
  /** The same in a line, where any quote before a delimiter closes a cell. The line ends with a delimiter too. */
  readonly #loose: RegExp;
  readonly #closing: RegExp;

  constructor(delimiter: string) {
    const own = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
    this.#delimiter = delimiter;
    this.#cell = RegExp(
      `(?: *"([^"]*(?:""[^"]*)*)" *|(?! *")([^${own}\\r\\n]*))(${own}|\\r\\n?|\\n|$)`,
      'y',
    );
    this.#loose = RegExp(` *".*?" *${own}|[^${own}]*${own}`, 'g');
    this.#closing = RegExp(`" *${own}`, 'g');
  }

  /**
   * The record at `start` of whole lines; undefined if the text ends inside quotes.
   *
   * A cell is quoted if a quote is its first character apart from spaces. In other cells, quotes are
   * ordinary characters, as in `5" pipe`. A record of several lines is a mistake if it has another number of
   * cells than the header, or if its lines are rows by themselves.
   *
   * @param columns of the header; undefined in the header itself
   */
  cut(text: string, start: number, columns?: number): Cut | undefined {
    const first = lineAt(text, start);
    const line = text.slice(start, first.end);
    if (!line.includes('"'))
      return { cells: line.split(this.#delimiter), next: first.next, lines: 1 };
    const mistake = (problem: string): Cut => ({ cells: [], next: first.next, lines: 1, problem });
    const cells: string[] = [];
    /** The last cell that begins in the first line, and its number. */
    let last = { at: 0, nth: 0 };
    let at = start;
    let end = this.#delimiter;
    while (end === this.#delimiter) {
      if (at <= first.end) last = { at: at - start, nth: cells.length + 1 };
      this.#cell.lastIndex = at;
      const found = this.#cell.exec(text);
      if (found === null) {
        CLOSED.lastIndex = at;
        if (!CLOSED.test(text)) return undefined;
        return mistake(
          `text follows a closing quote in cell ${cells.length + 1}; a quote inside a cell must be doubled`,
        );
      }
      const [, quoted, plain = ''] = found;
      cells.push(quoted?.replaceAll('""', '"') ?? plain);
      end = found[3]!;
      at = this.#cell.lastIndex;
    }
    if (at === first.next) return { cells, next: at, lines: 1 };
    const [, ...others] = text.slice(start, at - end.length).split(LINE_BREAK);
    const lines = others.length + 1;
    if (columns === undefined) return { cells, next: at, lines };
    const isJoined =
      !fitsWidth(cells, columns) ||
      (this.#mayBeComplete(line.slice(last.at), columns - last.nth) &&
        others.every((one) => one.trim() === '' || this.#hasColumns(one, columns)));
    return isJoined
      ? mistake(
          `the quotes of cell ${last.nth} join ${lines} lines that look like rows; a quote inside a cell must be doubled`,
        )
      : { cells, next: at, lines };
  }

  /** Whether any quote behind the opening one may close the cell, so that so many other cells follow. */
  #mayBeComplete(cell: string, others: number): boolean {
    const opening = cell.indexOf('"') + 1;
    const text = cell.slice(opening) + this.#delimiter;
    const closings = [...text.matchAll(this.#closing)].slice(0, MOST_CLOSINGS);
    return closings.some(({ 0: { length }, index }) =>
      this.#fits(text.slice(index + length), others),
    );
  }

  #hasColumns(line: string, columns: number): boolean {
    return this.#fits(line + this.#delimiter, columns);
  }

  #fits(text: string, columns: number): boolean {
    const cells = text.match(this.#loose) ?? [];
    return fitsWidth(
      cells.map((cell) => cell.slice(0, -1)),
      columns,
    );
  }
}

/** A quoted cell with its closing quote. */
const CLOSED = / *"[^"]*(?:""[^"]*)*"(?!")/y;
