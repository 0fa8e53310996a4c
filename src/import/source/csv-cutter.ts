const QUOTE = 0x22;
const SPACE = 0x20;

export interface CsvShape {
  readonly delimiter: string;
  /** Undefined in a header: any number. */
  readonly columns?: number | undefined;
}

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

/**
 * The record at `start` of whole lines; undefined if the text ends inside quotes.
 *
 * A cell is quoted if a quote is its first character apart from spaces. In other cells, quotes are
 * ordinary characters, as in `5" pipe`. A record of several lines is a mistake if it has another number of
 * cells than the header, or if its lines are rows by themselves.
 */
export function cutRecord(text: string, start: number, shape: CsvShape): Cut | undefined {
  const first = lineAt(text, start);
  const line = text.slice(start, first.end);
  if (!line.includes('"'))
    return { cells: line.split(shape.delimiter), next: first.next, lines: 1 };
  const mistake = (problem: string): Cut => ({ cells: [], next: first.next, lines: 1, problem });
  const opened = cellsIn(line, shape.delimiter);
  let found = opened;
  let { end, next } = first;
  let lines = 1;
  for (; found.state === 'open'; lines++) {
    if (next >= text.length) return undefined;
    const from = next;
    ({ end, next } = lineAt(text, next));
    if (text.slice(from, end).includes('"'))
      found = cellsIn(text.slice(start, end), shape.delimiter, found);
  }
  const { cells, state } = found;
  if (state === 'stray') {
    return mistake(
      `text follows a closing quote in cell ${cells.length + 1}; a quote inside a cell must be doubled`,
    );
  }
  const { columns } = shape;
  if (lines === 1 || columns === undefined) return { cells, next, lines };
  const left = columns - opened.cells.length - 1;
  const isJoined =
    !fitsWidth(cells, columns) ||
    (mayBeComplete(line.slice(opened.at), { ...shape, columns: left }) &&
      text
        .slice(first.next, end)
        .split(LINE_BREAK)
        .every((one) => one.trim() === '' || hasColumns(one, { ...shape, columns })));
  return isJoined
    ? mistake(
        `the quotes of cell ${opened.cells.length + 1} join ${lines} lines that look like rows; a quote inside a cell must be doubled`,
      )
    : { cells, next, lines };
}

/** Some files end each line with delimiters, so empty cells beyond the header count for nothing. */
export function fitsWidth(cells: readonly string[], columns: number): boolean {
  return cells.length >= columns && cells.slice(columns).every((cell) => cell.trim() === '');
}

interface Cells {
  readonly cells: readonly string[];
  /** `open`: the text ends inside quotes; `stray`: other text follows a closing quote. */
  readonly state: 'whole' | 'open' | 'stray';
  /** Where the last cell starts. */
  readonly at: number;
  /** Up to where its closing quote was looked for. */
  readonly searched: number;
}

/**
 * The cells of one record.
 *
 * @param from what a shorter text has shown
 */
function cellsIn(text: string, delimiter: string, from?: Cells): Cells {
  const cells = [...(from?.cells ?? [])];
  const found = (state: Cells['state'], at: number) => ({
    ...{ cells, state, at, searched: text.length },
  });
  for (let at = from?.at ?? 0, searched = from?.searched ?? 0; ; ) {
    const opening = afterSpaces(text, at);
    if (text.charCodeAt(opening) !== QUOTE) {
      const end = text.indexOf(delimiter, at);
      cells.push(text.slice(at, end < 0 ? text.length : end));
      if (end < 0) return found('whole', at);
      at = end + 1;
      continue;
    }
    let closing = text.indexOf('"', Math.max(opening + 1, searched));
    while (closing >= 0 && text.charCodeAt(closing + 1) === QUOTE)
      closing = text.indexOf('"', closing + 2);
    if (closing < 0) return found('open', opening);
    const after = afterSpaces(text, closing + 1);
    if (after < text.length && text[after] !== delimiter) return found('stray', opening);
    cells.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
    if (after >= text.length) return found('whole', opening);
    at = after + 1;
    searched = 0;
  }
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  return at;
}

type Width = Required<CsvShape> & { readonly columns: number };

/** How many closing quotes are tried in a line. More would take long in a hostile file. */
const MOST_CLOSINGS = 64;

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

/** Whether a line has so many cells, where any quote before a delimiter closes a cell. */
function hasColumns(line: string, { delimiter, columns }: Width): boolean {
  const cells: string[] = [];
  for (let at = 0, closing = 0; ; ) {
    const opening = afterSpaces(line, at);
    let from = at;
    if (line.charCodeAt(opening) === QUOTE) {
      if (closing <= opening) closing = closingIn(line, opening + 1, delimiter);
      if (closing < line.length) from = closing + 1;
    }
    const end = line.indexOf(delimiter, from);
    cells.push(line.slice(at, end < 0 ? line.length : end));
    if (end < 0) return fitsWidth(cells, columns);
    at = end + 1;
  }
}

/** The first quote that a delimiter or the end of the line follows; the length of the line if there is none. */
function closingIn(line: string, from: number, delimiter: string): number {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) {
    const after = afterSpaces(line, at + 1);
    if (after === line.length || line[after] === delimiter) return at;
  }
  return line.length;
}
