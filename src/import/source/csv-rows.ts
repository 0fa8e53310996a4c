import { unmarked } from '../../core/text/formula-guard.ts';
import { cutRecord, fitsWidth, lineAt } from './csv-cutter.ts';
import {
  badFile,
  badFlag,
  MOST_CHARACTERS,
  namedColumns,
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
 * @param head the beginning of the file
 * @param delimiter undefined: of `,`, `;`, tab and `|` the one that fits
 * @throws ProcError `invalid_usage` if the row of the header is empty; `invalid_input` if it cannot be read
 */
export function readHeader(
  head: string,
  name: string,
  {
    headerRow = 1,
    delimiter: asked,
  }: { headerRow?: number | undefined; delimiter?: string | undefined },
): CsvHeader {
  let at = 0;
  for (let left = headerRow; left > 1; left--) at = lineAt(head, at).next;
  const text = head.slice(at);
  const delimiter = asked ?? findDelimiter(text, name);
  const cut = cutRecord(text, 0, { delimiter });
  if (cut === undefined || cut.problem !== undefined) {
    const why = cut?.problem ?? 'a quote is opened but never closed';
    throw badFile(`cannot read the header: ${name}, line ${headerRow}: ${why}`);
  }
  const { cells } = cut;
  if (cells.every((cell) => cell.trim() === '')) {
    throw badFlag(
      `${name}, line ${headerRow}: the header is expected here, but the line is empty`,
      'Name the line of the header with --header-row N',
    );
  }
  // Some files end each line with a delimiter: empty cells at the end are no columns.
  const width = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return {
    ...{ name, delimiter, columns: namedColumns(cells.slice(0, width)) },
    firstLine: headerRow + cut.lines,
  };
}

/** With the right delimiter, the first row has as many cells as the header, and at least two. */
function findDelimiter(text: string, name: string): string {
  const [best] = DELIMITERS.map((delimiter) => {
    const header = cutRecord(text, 0, { delimiter });
    const first = header && cutRecord(text, header.next, { delimiter });
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
 * quote costs only one row.
 *
 * @throws ProcError `invalid_input` if a line is too long
 */
export async function* readCsv(
  pieces: AsyncIterable<string>,
  header: CsvHeader,
): AsyncGenerator<SourceRecord[], void> {
  const { delimiter, columns, firstLine } = header;
  const shape = { delimiter, columns: columns.length };
  const recordOf = recordMaker(columns);
  let row = 0;
  let line = 1;
  let text = '';
  /** Leaves the incomplete last record in the text, to be read again with what follows. */
  const read = (end: number, isLast: boolean): SourceRecord[] => {
    const batch: SourceRecord[] = [];
    const lines = text.slice(0, end);
    let at = 0;
    while (at < end) {
      if (line < firstLine) {
        at = lineAt(lines, at).next;
        line++;
        continue;
      }
      let cut = cutRecord(lines, at, shape);
      if (cut === undefined) {
        const isLong = text.length - at > MOST_CHARACTERS;
        if (!isLast && !isLong) break;
        const problem = `a quote is opened but ${isLast ? 'never closed' : 'not closed within 1 MiB'}`;
        cut = { cells: [], next: lineAt(lines, at).next, lines: 1, problem };
      }
      const { cells } = cut;
      const { fields, problem }: ReturnType<typeof recordOf> =
        cut.problem === undefined ? recordOf(cells) : { problem: { text: cut.problem } };
      if (problem !== undefined && (cut.problem !== undefined || cells.some(isFilled))) {
        const raw = lines.slice(at, lineAt(lines, at).end);
        batch.push({ row: ++row, line, problem: withText(problem, raw) });
      } else if (cells.some(isFilled)) batch.push({ row: ++row, line, fields });
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
    if (end > 0) yield read(end, false);
    else if (text.length > MOST_CHARACTERS)
      throw badFile(`${header.name}, line ${line}: ${TOO_LONG}`);
  }
  yield read(text.length, true);
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

function recordMaker(
  names: readonly string[],
): (cells: readonly string[]) => Pick<SourceRecord, 'fields' | 'problem'> {
  const blank = Object.fromEntries(names.map((column) => [column, '']));
  const { length } = names;
  return (cells) => {
    // Any cell may be the missing one.
    if (!fitsWidth(cells, length)) {
      const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
      return { problem: { text: `has ${count}, but the header has ${length}` } };
    }
    // In a copy, also a column named `__proto__` is an ordinary column.
    const fields: Record<string, unknown> = { ...blank };
    for (let index = 0; index < length; index++) {
      const cell = cells[index]!;
      // proc's exports put an apostrophe before cells that look like formulas; other programs keep leading
      // zeros by marks (`="00123"`, `'00123`).
      const isMarked = cell.includes("'") || cell.includes('="');
      const text = isMarked ? unmarked(cell.trim()) : cell;
      fields[names[index]!] = isMarked && text === cell.trim() ? cell : text;
    }
    return { fields };
  };
}
