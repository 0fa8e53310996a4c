import { unmarked } from '../../output/formula-guard.ts';
import {
  badFile,
  badFlag,
  MOST_CHARACTERS,
  namedColumns,
  type SourceLayout,
  type SourceRecord,
  TOO_LONG,
  withText,
} from './record.ts';

/** Those that a file shows by itself. */
export const DELIMITERS: readonly string[] = [',', ';', '\t', '|'];

/** A character that may separate columns if none of {@link DELIMITERS} does. */
const OTHER_DELIMITER = /[\^~:#*¦§\x01\x1f]/;

export interface CsvHeader {
  /** For errors. */
  readonly name: string;
  readonly delimiter: string;
  readonly columns: readonly string[];
  /** The line after the header, from 1. */
  readonly firstLine: number;
}

/**
 * By default, the delimiter is that of `,`, `;`, tab and `|` which fits.
 *
 * @param head the beginning of the file
 * @throws ProcError `invalid_usage` if the row of the header is empty; `invalid_input` if it cannot be read
 */
export function readHeader(
  head: string,
  name: string,
  { headerRow = 1, delimiter: asked }: SourceLayout,
): CsvHeader {
  let at = 0;
  for (let left = headerRow; left > 1; left--) at = lineAt(head, at).next;
  const text = head.slice(at);
  const delimiter = asked?.replace(/^(?:tab|\\t)$/, '\t') ?? findDelimiter(text, name);
  if (!/^[^"\r\n ]$/.test(delimiter))
    throw badFlag(
      `--delimiter ${JSON.stringify(delimiter)}: expected one character`,
      `Use e.g. --delimiter ';' or --delimiter tab`,
    );
  const cut = cutterOf(delimiter)(text, 0);
  const { cells = [], lines = 1, problem } = cut ?? {};
  // The quotes of one cell have joined rows to the header.
  const isJoined = cells.some((cell) => /[\r\n]/.test(cell) && cell.includes(delimiter));
  if (cut === undefined || isJoined || problem !== undefined) {
    const why = problem ?? 'a quote is opened but not closed in its line';
    throw badFile(`cannot read the header: ${name}, line ${headerRow}: ${why}`);
  }
  if (!cells.some(isFilled)) {
    throw badFlag(
      `${name}, line ${headerRow}: the header is expected here, but the line is empty`,
      'Name the line of the header with --header-row N',
    );
  }
  // Some files end each line with a delimiter: empty cells at the end are no columns.
  const width = cells.findLastIndex(isFilled) + 1;
  const columns = namedColumns(cells.slice(0, width));
  return { name, delimiter, columns, firstLine: headerRow + lines };
}

/** With the right delimiter, the first row has as many cells as the header, and at least two. */
function findDelimiter(text: string, name: string): string {
  const [best] = DELIMITERS.map((delimiter) => {
    const cut = cutterOf(delimiter);
    const header = cut(text, 0);
    const first = header && cut(text, header.next);
    const cells = header?.cells.length ?? 0;
    return { delimiter, cells, isFit: first?.cells.length === cells };
  })
    .filter(({ cells }) => cells > 1)
    .sort((a, b) => Number(b.isFit) - Number(a.isFit) || b.cells - a.cells);
  if (best !== undefined) return best.delimiter;
  const [header = '', first = ''] = text.split(/\r\n?|\n/, 2);
  const [other] = OTHER_DELIMITER.exec(header) ?? [];
  if (other === undefined || first.split(other).length !== header.split(other).length) return ',';
  throw badFile(
    `${name} has one column: ${header.slice(0, 80)}`,
    `Name the character between columns: --delimiter '${other}'`,
    { details: { delimiter: other } },
  );
}

/**
 * Skips blank lines. If a row has wrong quotes, reading continues at the next line, so that a stray
 * quote costs only one row. One 0x1A at the end, which DOS programs write, is the end.
 *
 * @throws ProcError `invalid_input` if a line is too long
 */
export async function* readCsv(
  pieces: AsyncIterable<string>,
  { name, delimiter, columns, firstLine }: CsvHeader,
): AsyncGenerator<SourceRecord[], void> {
  const cutRecord = cutterOf(delimiter);
  const recordOf = recordMaker(columns);
  let row = 0;
  let line = 1;
  let text = '';
  /** Leaves the incomplete last record in the text, to be read again with what follows. */
  const read = (lines: string, isLast: boolean): SourceRecord[] => {
    const batch: SourceRecord[] = [];
    let at = 0;
    for (; at < lines.length && line < firstLine; line++) at = lineAt(lines, at).next;
    while (at < lines.length) {
      let cut = cutRecord(lines, at, columns.length);
      if (cut === undefined) {
        if (!isLast && text.length - at <= MOST_CHARACTERS) break;
        const problem = `a quote is opened but ${isLast ? 'never closed' : 'not closed within 1 MiB'}`;
        cut = { cells: [], next: lineAt(lines, at).next, lines: 1, problem };
      }
      if (cut.problem !== undefined || cut.cells.some(isFilled)) {
        const { fields, problem } = recordOf(cut);
        const raw = problem && lines.slice(at, lineAt(lines, at).end);
        batch.push({ row: ++row, line, fields, problem: problem && withText(problem, raw!) });
      }
      line += cut.lines;
      at = cut.next;
    }
    text = text.slice(at);
    return batch;
  };
  for await (const piece of pieces) {
    text += piece;
    // A return at the end may be the first half of a line break.
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
    if (end > 0) yield read(text.slice(0, end), false);
    else if (text.length > MOST_CHARACTERS) throw badFile(`${name}, line ${line}: ${TOO_LONG}`);
  }
  yield read(text.replace(/\x1a$/, ''), true);
}

/**
 * proc's exports put an apostrophe before cells that look like formulas; other programs keep leading zeros by marks
 * (`="00123"`, `'00123`).
 */
function withoutMark(cell: string): string {
  return cell.includes("'") || cell.includes('="') ? unmarked(cell.trim()) : cell;
}

function recordMaker(
  columns: readonly string[],
): (cut: Cut) => Pick<SourceRecord, 'fields' | 'problem'> {
  const { length } = columns;
  // In a copy, also a column named `__proto__` is an ordinary column.
  const blank = Object.fromEntries(columns.map((column) => [column, '']));
  return ({ cells, problem }) => {
    if (problem !== undefined) return { problem: { text: problem } };
    if (!fitsWidth(cells, length)) {
      const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
      return { problem: { text: `has ${count}, but the header has ${length}` } };
    }
    const fields: Record<string, unknown> = { ...blank };
    for (let nth = 0; nth < length; nth++) fields[columns[nth]!] = withoutMark(cells[nth]!);
    return { fields };
  };
}

interface Cut {
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
function lineAt(text: string, start: number): { readonly end: number; readonly next: number } {
  LINE_BREAK.lastIndex = start;
  const found = LINE_BREAK.exec(text);
  return found === null
    ? { end: text.length, next: text.length }
    : { end: found.index, next: LINE_BREAK.lastIndex };
}

/** Some files end each line with delimiters, so empty cells beyond the header count for nothing. */
function fitsWidth(cells: readonly string[], columns: number): boolean {
  return cells.length >= columns && !cells.slice(columns).some(isFilled);
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

/** A quoted cell with its closing quote. */
const CLOSED = / *"[^"]*(?:""[^"]*)*"(?!")/y;
/** How many closing quotes are tried in a line. More would take long in a hostile file. */
const MOST_CLOSINGS = 64;

/**
 * The returned function cuts the record at `start` of whole lines; undefined if the text ends inside quotes.
 *
 * A cell is quoted if a quote is its first character apart from spaces. In other cells, quotes are ordinary
 * characters, as in `5" pipe`. A record of several lines is a mistake if it has another number of cells than the
 * header, or if its lines are rows by themselves. The header itself is cut without a number of columns.
 */
function cutterOf(
  delimiter: string,
): (text: string, start: number, columns?: number) => Cut | undefined {
  const own = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const cell = RegExp(
    `(?: *"([^"]*(?:""[^"]*)*)" *|(?! *")([^${own}\\r\\n]*))(${own}|\\r\\n?|\\n|$)`,
    'y',
  );
  /** A cell of a line where any quote before a delimiter closes one. The line ends with a delimiter too. */
  const loose = RegExp(` *".*?" *${own}|[^${own}]*${own}`, 'g');
  const closing = RegExp(`" *${own}`, 'g');

  const hasColumns = (text: string, columns: number): boolean => {
    const cells = text.match(loose) ?? [];
    return fitsWidth(
      cells.map((one) => one.slice(0, -1)),
      columns,
    );
  };
  /** Whether any quote behind the opening one may close the cell, so that so many other cells follow. */
  const mayBeComplete = (rest: string, others: number): boolean => {
    const text = rest.slice(rest.indexOf('"') + 1) + delimiter;
    const closings = [...text.matchAll(closing)].slice(0, MOST_CLOSINGS);
    return closings.some(({ 0: { length }, index }) =>
      hasColumns(text.slice(index + length), others),
    );
  };

  return (text, start, columns) => {
    const first = lineAt(text, start);
    const line = text.slice(start, first.end);
    if (!line.includes('"')) return { cells: line.split(delimiter), next: first.next, lines: 1 };
    const mistake = (why: string): Cut => {
      const problem = `${why}; a quote inside a cell must be doubled`;
      return { cells: [], next: first.next, lines: 1, problem };
    };
    const cells: string[] = [];
    /** The last cell that begins in the first line, and its number. */
    let last = { at: 0, nth: 0 };
    let at = start;
    let end = delimiter;
    while (end === delimiter) {
      if (at <= first.end) last = { at: at - start, nth: cells.length + 1 };
      cell.lastIndex = at;
      const found = cell.exec(text);
      if (found === null) {
        CLOSED.lastIndex = at;
        if (!CLOSED.test(text)) return undefined;
        return mistake(`text follows a closing quote in cell ${cells.length + 1}`);
      }
      const [, quoted, plain = ''] = found;
      cells.push(quoted?.replaceAll('""', '"') ?? plain);
      end = found[3]!;
      at = cell.lastIndex;
    }
    const [, ...others] =
      at === first.next ? [] : text.slice(start, at - end.length).split(LINE_BREAK);
    const lines = others.length + 1;
    if (lines === 1 || columns === undefined) return { cells, next: at, lines };
    const areRows =
      mayBeComplete(line.slice(last.at), columns - last.nth) &&
      others.every((one) => !isFilled(one) || hasColumns(one + delimiter, columns));
    return areRows || !fitsWidth(cells, columns)
      ? mistake(`the quotes of cell ${last.nth} join ${lines} lines that look like rows`)
      : { cells, next: at, lines };
  };
}
