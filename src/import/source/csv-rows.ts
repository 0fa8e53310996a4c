import { isAscii } from 'node:buffer';
import { ProcError } from '../../core/errors.ts';
import type { Problem } from '../../core/problem/row-problem.ts';
import { sentence } from '../../core/problem/sentence.ts';
import { unmarked } from '../../core/text/formula-guard.ts';
import { CsvCutter, type Cut, fitsWidth } from './csv-cutter.ts';
import {
  BATCH_RECORDS,
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

export interface CsvOptions {
  /** For errors. */
  readonly name: string;
  readonly delimiter: string;
  /** The line of the header, from 1. */
  readonly headerRow: number;
  onHeader?(columns: Columns): void;
  /** Called for each cell without its marks of a spreadsheet, e.g. `="00123"`. */
  onMark?(): void;
}

/**
 * Skips blank lines. If a row has wrong quotes, reading continues at the next line, so that a stray
 * quote costs only one row.
 *
 * @throws ProcError `invalid_input`, `invalid_usage` if there is no header
 */
export async function* readCsv(
  pieces: AsyncIterable<Buffer>,
  options: CsvOptions,
): AsyncGenerator<SourceRecord[], void> {
  const reader = new CsvReader(options);
  let text = '';
  for await (const piece of pieces) {
    // Text of ASCII is faster as Latin-1, and takes half the memory.
    text += piece.toString(isAscii(piece) ? 'latin1' : 'utf8');
    // A return at the end may be the first half of a line break.
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
    if (end > 0) text = (yield* reader.read(text.slice(0, end), false)) + text.slice(end);
    else if (isTooLong(text, 0, text.length)) reader.stop(TOO_LONG);
  }
  yield* reader.read(text, true);
  reader.end();
}

class CsvReader {
  readonly #options: CsvOptions;
  #names: readonly string[] | undefined;
  #blank: Readonly<Record<string, string>> = {};
  #row = 0;
  #line = 1;
  #batch: SourceRecord[] = [];
  #batchSize = BATCH_RECORDS;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** Returns the incomplete last record, which is read again with the text that follows. */
  *read(text: string, isLast: boolean): Generator<SourceRecord[], string> {
    const cutter = new CsvCutter(text, this.#options);
    let at = 0;
    while (at < text.length) {
      if (this.#line < this.#options.headerRow) {
        at = cutter.lineAfter(at);
        this.#line++;
        continue;
      }
      const cut = cutter.cut(at, this.#names?.length);
      if (cut === undefined) {
        if (!isLast && !isTooLong(text, at, text.length)) break;
        this.#reject({ code: 'quote_open', args: { within: isLast ? undefined : RECORD_LIMIT } });
        at = cutter.lineAfter(at);
        this.#line++;
      } else {
        this.#take(cut, isTooLong(text, at, cut.next));
        this.#line += cut.lines;
        at = cut.next;
      }
      if (this.#batch.length >= this.#batchSize) yield this.#flush();
    }
    if (this.#batch.length > 0) yield this.#flush();
    return text.slice(at);
  }

  end(): void {
    const { headerRow, name } = this.#options;
    if (this.#names !== undefined) return;
    throw new ProcError(
      'invalid_usage',
      `--header-row ${headerRow}: ${name} ends before this line`,
    );
  }

  #take(cut: Cut, isLong: boolean): void {
    const problem = isLong ? TOO_LONG : cut.problem;
    if (problem !== undefined) {
      this.#reject(problem);
      return;
    }
    const isBlank = cut.cells.every((cell) => cell.trim() === '');
    if (this.#names === undefined) this.#header(cut.cells, isBlank);
    else if (!isBlank) this.#push(this.#read(cut.cells, this.#names));
  }

  #header(cells: readonly string[], isBlank: boolean): void {
    const { name, onHeader } = this.#options;
    const at = `${name}, line ${this.#line}`;
    if (isBlank) {
      throw new ProcError(
        'invalid_usage',
        `${at}: the header is expected here, but the line is empty`,
        {
          hint: 'Name the line of the header with --header-row N',
        },
      );
    }
    if (cells.length > MAX_COLUMNS) {
      throw new ProcError(
        'invalid_input',
        `${at}: the header has ${cells.length} columns; the maximum is ${MAX_COLUMNS}`,
      );
    }
    // Some files end each line with a delimiter: empty cells at the end are no columns.
    let width = cells.length;
    while (width > 1 && cells[width - 1]!.trim() === '') width--;
    const columns = namedColumns(cells.slice(0, width));
    onHeader?.(columns);
    this.#names = columns.names;
    this.#blank = Object.fromEntries(columns.names.map((column) => [column, '']));
    this.#batchSize = Math.max(1, Math.min(BATCH_RECORDS, Math.floor(BATCH_CELLS / width)));
  }

  #read(
    cells: readonly string[],
    names: readonly string[],
  ): Pick<SourceRecord, 'fields' | 'problem'> {
    // Any cell may be the missing one.
    if (!fitsWidth(cells, names.length)) {
      const args = { cells: cells.length, columns: names.length };
      return { fields: undefined, problem: { code: 'cell_count', args } };
    }
    // In a copy, also a column named `__proto__` is an ordinary column.
    const fields: Record<string, unknown> = { ...this.#blank };
    for (const [index, field] of names.entries()) {
      const cell = cells[index]!;
      if (cell.includes('\0')) {
        const args = { character: cell.indexOf('\0') + 1 };
        return { fields: undefined, problem: { code: 'nul', field, args } };
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
    this.#options.onMark?.();
    return text;
  }

  #reject(problem: Problem): void {
    if (this.#names === undefined) this.stop(problem);
    this.#push({ fields: undefined, problem });
  }

  /** Without a header, or without the end of a line, no row can be read. */
  stop(problem: Problem): never {
    const place = { file: this.#options.name, line: this.#line };
    throw new ProcError('invalid_input', `${sentence({ ...problem, place })}; nothing was sent`);
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

const DELIMITERS = [',', ';', '\t', '|'];

/** Records that are cut to find the delimiter. */
const SAMPLE = 50;

/** A character that may separate columns if none of {@link DELIMITERS} does. */
const OTHER_DELIMITER = /[\^~:#*¦§\x01\x1f]/;

/**
 * With the right delimiter, most records have as many cells as the header, and at least two.
 *
 * @param text from the header on; its last record may be incomplete
 * @throws ProcError `invalid_input` if another character than `,`, `;`, tab or `|` seems to separate columns
 */
export function findDelimiter(text: string, name: string): string {
  let best = { delimiter: ',', agreeing: 0, cells: 1 };
  for (const delimiter of DELIMITERS) {
    const counts = cellCounts(text, delimiter);
    const cells = counts[0] ?? 1;
    if (cells < 2) continue;
    const agreeing = counts.filter((count) => count === cells).length / counts.length;
    const isBetter = agreeing > best.agreeing || (agreeing === best.agreeing && cells > best.cells);
    if (isBetter) best = { delimiter, agreeing, cells };
  }
  if (best.cells > 1) return best.delimiter;
  const [header = '', first = ''] = text.split(/\r\n?|\n/);
  const [other] = OTHER_DELIMITER.exec(header) ?? [];
  if (other === undefined || first.split(other).length !== header.split(other).length) return ',';
  throw new ProcError('invalid_input', `${name} has one column: ${header.slice(0, 80)}`, {
    hint: `Name the character between columns: --delimiter '${other}'`,
    details: { delimiter: other },
  });
}

function cellCounts(text: string, delimiter: string): number[] {
  const cutter = new CsvCutter(text, { delimiter });
  const counts: number[] = [];
  for (let at = 0; at < text.length && counts.length < SAMPLE; ) {
    const cut = cutter.cut(at);
    // Quotes in wrong places count against the delimiter.
    if (cut === undefined) return counts.length === 0 ? [0] : counts;
    if (cut.problem !== undefined) counts.push(0);
    else if (cut.cells.some((cell) => cell.trim() !== '')) counts.push(cut.cells.length);
    at = cut.next;
  }
  return counts;
}
