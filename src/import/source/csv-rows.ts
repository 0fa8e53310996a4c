import { unmarked } from '../../core/text/formula-guard.ts';
import { CsvCutter, type Cut, fitsWidth, lineAt } from './csv-cutter.ts';
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
  const cut = new CsvCutter(delimiter).cut(text, 0);
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
    const cutter = new CsvCutter(delimiter);
    const header = cutter.cut(text, 0);
    const first = header && cutter.cut(text, header.next);
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
  const cutter = new CsvCutter(delimiter);
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
      let cut = cutter.cut(lines, at, columns.length);
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

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
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
