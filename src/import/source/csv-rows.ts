import { isAscii } from 'node:buffer';
import type { Problem } from '../../core/row-problem.ts';
import { sentence } from '../../core/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { unmarked } from '../../core/text/formula-guard.ts';
import { CsvCutter, type Cut, fitsWidth } from './csv-cutter.ts';
import {
  BATCH_RECORDS,
  badFile,
  badFlag,
  type Columns,
  MAX_COLUMNS,
  MAX_RECORD_BYTES,
  namedColumns,
  RECORD_LIMIT,
  type SourceRecord,
  TOO_LONG,
} from './record.ts';

/** Limits the rows of a batch if there are many columns. */
const BATCH_CELLS = 8192;

const DELIMITERS = [',', ';', '\t', '|'];

/** A character that may separate columns if none of {@link DELIMITERS} does. */
const OTHER_DELIMITER = /[\^~:#*¦§\x01\x1f]/;

const EMPTY: Cut = { cells: [], next: 0, lines: 0 };
const QUOTE_OPEN: Problem = { text: 'a quote is opened but never closed' };

export interface CsvHeader {
  /** For errors. */
  readonly name: string;
  readonly delimiter: string;
  readonly columns: Columns;
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
  const lines = new CsvCutter(head, { delimiter: ',' });
  let at = 0;
  for (let left = headerRow; left > 1 && at < head.length; left--) at = lines.lineAfter(at);
  const text = head.slice(at);
  const delimiter = asked ?? findDelimiter(text, name);
  const cut = text === '' ? EMPTY : new CsvCutter(text, { delimiter }).cut(0);
  const problem = cut === undefined ? QUOTE_OPEN : cut.problem;
  if (cut === undefined || problem !== undefined) {
    const why = sentence({ ...problem!, place: { file: name, line: headerRow } });
    throw badFile(`cannot read the header: ${why}`);
  }
  const { cells } = cut;
  if (cells.every((cell) => cell.trim() === '')) {
    throw badFlag(
      `${name}, line ${headerRow}: the header is expected here, but the line is empty`,
      'Name the line of the header with --header-row N',
    );
  }
  if (cells.length > MAX_COLUMNS) {
    throw badFile(
      `${name} has ${grouped(cells.length)} columns; the maximum is ${grouped(MAX_COLUMNS)}`,
    );
  }
  // Some files end each line with a delimiter: empty cells at the end are no columns.
  let width = cells.length;
  while (width > 1 && cells[width - 1]!.trim() === '') width--;
  const columns = namedColumns(cells.slice(0, width));
  return { name, delimiter, columns, firstLine: headerRow + cut.lines };
}

/** With the right delimiter, the first row has as many cells as the header, and at least two. */
function findDelimiter(text: string, name: string): string {
  const [best] = DELIMITERS.map((delimiter) => {
    const cutter = new CsvCutter(text, { delimiter });
    const header = cutter.cut(0);
    const first = header && cutter.cut(header.next);
    const cells = header?.cells.length ?? 0;
    return { delimiter, cells, isFit: first?.cells.length === cells };
  })
    .filter(({ cells }) => cells > 1)
    .sort((a, b) => Number(b.isFit) - Number(a.isFit) || b.cells - a.cells);
  if (best !== undefined) return best.delimiter;
  const [header = '', first = ''] = text.split(/\r\n?|\n/);
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
 * @param onMark called for each cell without its marks of a spreadsheet, e.g. `="00123"`
 * @throws ProcError `invalid_input` if a line is longer than 1 MiB
 */
export async function* readCsv(
  pieces: AsyncIterable<Buffer>,
  header: CsvHeader,
  onMark: () => void,
): AsyncGenerator<SourceRecord[], void> {
  const reader = new CsvReader(header, onMark);
  let text = '';
  for await (const piece of pieces) {
    // Text of ASCII is faster as Latin-1, and takes half the memory.
    text += piece.toString(isAscii(piece) ? 'latin1' : 'utf8');
    // A return at the end may be the first half of a line break.
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
    if (end > 0) text = (yield* reader.read(text.slice(0, end), false)) + text.slice(end);
    else if (isTooLong(text, 0, text.length)) throw reader.lineTooLong();
  }
  yield* reader.read(text, true);
}

class CsvReader {
  readonly #header: CsvHeader;
  readonly #names: readonly string[];
  readonly #blank: Readonly<Record<string, string>>;
  readonly #onMark: () => void;
  readonly #batchSize: number;
  #row = 0;
  #line = 1;
  #batch: SourceRecord[] = [];

  constructor(header: CsvHeader, onMark: () => void) {
    this.#header = header;
    this.#onMark = onMark;
    const { names } = header.columns;
    this.#names = names;
    this.#blank = Object.fromEntries(names.map((column) => [column, '']));
    this.#batchSize = Math.max(1, Math.min(BATCH_RECORDS, Math.floor(BATCH_CELLS / names.length)));
  }

  /** Returns the incomplete last record, which is read again with the text that follows. */
  *read(text: string, isLast: boolean): Generator<SourceRecord[], string> {
    const cutter = new CsvCutter(text, this.#header);
    let at = 0;
    while (at < text.length) {
      const isHead = this.#line < this.#header.firstLine;
      const cut = isHead ? undefined : cutter.cut(at, this.#names.length);
      if (cut !== undefined) {
        this.#take(cut, isTooLong(text, at, cut.next));
        this.#line += cut.lines;
        at = cut.next;
      } else if (isHead || isLast || isTooLong(text, at, text.length)) {
        const text = `a quote is opened but not closed within ${RECORD_LIMIT}`;
        if (!isHead) this.#push({ fields: undefined, problem: isLast ? QUOTE_OPEN : { text } });
        at = cutter.lineAfter(at);
        this.#line++;
      } else break;
      if (this.#batch.length >= this.#batchSize) yield this.#flush();
    }
    if (this.#batch.length > 0) yield this.#flush();
    return text.slice(at);
  }

  lineTooLong(): Error {
    const place = { file: this.#header.name, line: this.#line };
    return badFile(sentence({ ...TOO_LONG, place }));
  }

  #take({ cells, problem: mistake }: Cut, isLong: boolean): void {
    const problem = isLong ? TOO_LONG : mistake;
    if (problem !== undefined) this.#push({ fields: undefined, problem });
    else if (cells.some((cell) => cell.trim() !== '')) this.#push(this.#read(cells));
  }

  #read(cells: readonly string[]): Pick<SourceRecord, 'fields' | 'problem'> {
    const { length } = this.#names;
    // Any cell may be the missing one.
    if (!fitsWidth(cells, length)) {
      const cut = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
      return { fields: undefined, problem: { text: `has ${cut}, but the header has ${length}` } };
    }
    // In a copy, also a column named `__proto__` is an ordinary column.
    const fields: Record<string, unknown> = { ...this.#blank };
    for (let index = 0; index < length; index++) {
      const field = this.#names[index]!;
      const cell = cells[index]!;
      if (cell.includes('\0')) {
        const text = `contains a NUL at character ${cell.indexOf('\0') + 1}`;
        return { fields: undefined, problem: { text, field } };
      }
      fields[field] = cell.includes("'") || cell.includes('="') ? this.#unmarked(cell) : cell;
    }
    return { fields };
  }

  /**
   * proc's exports put an apostrophe before cells that look like formulas; other programs keep leading
   * zeros by marks (`="00123"`, `'00123`).
   */
  #unmarked(cell: string): string {
    const trimmed = cell.trim();
    const text = unmarked(trimmed);
    if (text === trimmed) return cell;
    this.#onMark();
    return text;
  }

  #push(read: Pick<SourceRecord, 'fields' | 'problem'>): void {
    this.#row++;
    this.#batch.push({ row: this.#row, line: this.#line, ...read });
  }

  #flush(): SourceRecord[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }
}

/** Each unit of `length` takes at most three bytes in UTF-8: only long texts are counted exactly. */
function isTooLong(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length * 3 <= MAX_RECORD_BYTES) return false;
  return length > MAX_RECORD_BYTES || Buffer.byteLength(text.slice(start, end)) > MAX_RECORD_BYTES;
}
