import { isAscii, isUtf8 } from 'node:buffer';
import { ProcError } from '../../../core/errors.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { sentence } from '../../../core/problem/sentence.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import {
  BATCH_CELLS,
  BATCH_CELLS_WIDE,
  BATCH_RECORDS,
  FAST_FIELDS,
  MAX_COLUMNS,
  MAX_RECORD_BYTES,
  RECORD_LIMIT,
} from '../bytes/limits.ts';
import { lineBlocks } from '../bytes/line-blocks.ts';
import { firstInvalid, problemOf } from '../encoding/not-utf8.ts';
import {
  type Columns,
  checkFound,
  firstRow,
  type HeaderPlace,
  namedColumns,
  noRowLeft,
  unnamed,
} from '../header-place.ts';
import type { SourceFormat, SourceRecord } from '../record.ts';
import { CsvCutter, type Cut } from './csv-cutter.ts';
import type { FoundShape } from './csv-shape.ts';

const TOO_LONG: Problem = { code: 'too_long', args: { limit: RECORD_LIMIT } };
const FEED = 0x0a;
const RETURN = 0x0d;

export interface CsvOptions {
  /** The file name, for errors about the header. */
  readonly name: string;
  readonly shape: FoundShape;
  readonly encoding: SourceFormat['encoding'];
  readonly place: HeaderPlace;
  readonly onHeader?: (columns: Columns) => void;
  /** proc wrote the text itself, from a workbook: no quote is stray. */
  readonly isExact?: boolean | undefined;
}

/**
 * Skips blank lines. If a row has wrong quotes, reading continues at the next line, so an open quote
 * costs only one row.
 */
export async function* readCsv(
  source: ByteSource,
  options: CsvOptions,
): AsyncGenerator<SourceRecord[], void> {
  const reader = new CsvReader(options);
  for await (const block of lineBlocks(source, { endsAtReturn: true })) {
    if (block.kind === 'lines') yield* reader.lines(block.bytes);
    else if (block.kind === 'overlong') yield* reader.overlong();
    else return yield* reader.end(block.problem);
  }
  yield* reader.end(undefined);
}

class CsvReader {
  readonly #options: CsvOptions;
  #columns: CsvRow | undefined;
  /** The beginning of an incomplete record. */
  #open = '';
  /** `#open` contains bytes that are not UTF-8, so all its bytes are decoded as latin1. */
  #raw = false;
  #row = 0;
  #line = 1;
  #batch: SourceRecord[] = [];
  #batchSize = BATCH_RECORDS;
  #endedInReturn = false;
  /** Lines with lower numbers are skipped: they may be titles with unbalanced quotes. */
  readonly #firstLine: number;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#firstLine = firstRow(options.place);
    if (options.shape.hasSepLine) this.#line = 0;
  }

  *lines(block: Buffer): Generator<SourceRecord[]> {
    // The block before may have ended in the middle of `\r\n`.
    const isRest = this.#endedInReturn && this.#open === '' && block[0] === FEED;
    const bytes = isRest ? block.subarray(1) : block;
    this.#endedInReturn = block.at(-1) === RETURN;
    const isText = isAscii(bytes) || isUtf8(bytes);
    if (!isText && !this.#raw) {
      this.#open = Buffer.from(this.#open).toString('latin1');
      this.#raw = true;
    }
    yield* this.#read(this.#open + bytes.toString(this.#raw ? 'latin1' : 'utf8'), false);
  }

  /** Rejects a line that is too long, and the open record that it belongs to. */
  *overlong(): Generator<SourceRecord[]> {
    yield* this.#read(this.#open, true);
    if (this.#line >= this.#firstLine) this.#reject(TOO_LONG);
    this.#line++;
    yield* this.#flush();
  }

  *end(problem: Problem | undefined): Generator<SourceRecord[]> {
    if (problem === undefined) yield* this.#read(this.#open, true);
    else {
      this.#row++;
      const [row, line] = [this.#row, this.#line];
      this.#batch.push({ row, line, fields: undefined, problem, isFileProblem: true });
    }
    yield* this.#flush();
    const { place, name } = this.#options;
    if (this.#columns === undefined && place.headerRow !== undefined) {
      throw noRowLeft(place, this.#line - 1, name);
    }
  }

  /** If more text follows, an incomplete last record is kept and read with that text. */
  *#read(text: string, isLast: boolean): Generator<SourceRecord[]> {
    const cutter = new CsvCutter(text, this.#options.shape);
    let at = 0;
    while (at < text.length) {
      if (this.#line < this.#firstLine) {
        at = cutter.lineAfter(at);
        this.#line++;
        continue;
      }
      const cut = cutter.cut(at, this.#options.isExact ? undefined : this.#columns?.names.length);
      if (cut === undefined && !isLast && !isTooLong(text, at, text.length)) break;
      if (cut === undefined) {
        const args = { within: isLast ? undefined : RECORD_LIMIT };
        const next = cutter.lineAfter(at);
        this.#reject({ code: 'quote_open', args });
        at = next;
        this.#line++;
      } else {
        this.#take(cut, text, at);
        this.#line += cut.lines;
        at = cut.next;
      }
      if (this.#batch.length >= this.#batchSize) yield* this.#flush();
    }
    this.#open = text.slice(at);
    if (this.#open === '') this.#raw = false;
    yield* this.#flush();
  }

  #take(cut: Cut, text: string, at: number): void {
    if (this.#line === 0) return;
    const isLong = isTooLong(text, at, cut.next);
    const problem = isLong ? TOO_LONG : cut.problem;
    if (problem !== undefined) {
      this.#reject(problem);
      return;
    }
    if (cut.cells.every((cell) => cell.trim() === '')) return;
    if (this.#columns === undefined) {
      this.#columns = this.#header(cut.cells);
      if (this.#options.place.headerRow !== 0) return;
    }
    this.#row++;
    const read = this.#columns.read(cut.cells, this.#raw);
    this.#push(read.fields, read.problem);
  }

  #header(cells: readonly string[]): CsvRow {
    const { name, encoding, onHeader, place: asked } = this.#options;
    checkFound(asked, this.#line, name);
    const place = `${name}, line ${this.#line}`;
    const texts = this.#raw ? cells.map((cell) => Buffer.from(cell, 'latin1')) : undefined;
    if (texts?.some((bytes) => !isUtf8(bytes)) === true) {
      throw new ProcError(
        'invalid_input',
        `${place}: the header is not ${encoding.toUpperCase()} text`,
        {
          hint: 'Save the file as UTF-8 ("CSV UTF-8" in Excel).',
        },
      );
    }
    const headers = texts?.map((bytes) => bytes.toString('utf8')) ?? cells;
    const columns = asked.headerRow === 0 ? unnamed(cells.length) : readHeader(headers, place);
    onHeader?.(columns);
    const { length } = columns.names;
    const most = length > FAST_FIELDS ? BATCH_CELLS_WIDE : BATCH_CELLS;
    this.#batchSize = Math.max(1, Math.min(BATCH_RECORDS, Math.floor(most / length)));
    return csvRow(columns.names, encoding);
  }

  #reject(problem: Problem): void {
    if (this.#columns === undefined) {
      const { name } = this.#options;
      throw new ProcError(
        'invalid_input',
        `${name}, line ${this.#line}: cannot read the header: ${sentence(problem)}`,
      );
    }
    this.#row++;
    this.#push(undefined, problem);
  }

  #push(fields: SourceRecord['fields'], problem: Problem | undefined): void {
    this.#batch.push(
      problem === undefined
        ? { row: this.#row, line: this.#line, fields }
        : { row: this.#row, line: this.#line, fields, problem },
    );
  }

  *#flush(): Generator<SourceRecord[]> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    yield batch;
  }
}

/** Each unit of `length` takes at most three bytes in UTF-8: only long texts are counted exactly. */
function isTooLong(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length * 3 <= MAX_RECORD_BYTES) return false;
  return length > MAX_RECORD_BYTES || Buffer.byteLength(text.slice(start, end)) > MAX_RECORD_BYTES;
}

/**
 * Empty cells at the end of a header are no columns: some files end each line with a delimiter.
 *
 * @param place the file and line, for errors
 * @throws ProcError `invalid_input` if there are too many columns
 */
function readHeader(cells: readonly string[], place: string): Columns {
  if (cells.length > MAX_COLUMNS) {
    throw new ProcError(
      'invalid_input',
      `${place}: the header has ${cells.length} columns; the maximum is ${MAX_COLUMNS}`,
    );
  }
  const headers = [...cells];
  while (headers.length > 1 && headers.at(-1)!.trim() === '') headers.pop();
  return namedColumns(headers);
}

interface CsvRow {
  readonly names: readonly string[];
  /**
   * @param raw true if the cells are bytes instead of text: each character is one byte (Latin-1).
   * The bytes of a cell may be invalid UTF-8
   */
  read(
    cells: readonly string[],
    raw: boolean,
  ): { readonly fields: SourceRecord['fields']; readonly problem?: Problem };
}

function csvRow(names: readonly string[], encoding: SourceFormat['encoding']): CsvRow {
  const blank = blankRow(names);
  return {
    names,
    read(cells, raw) {
      // Empty extra cells are accepted. Missing cells are a problem: any cell may be the missing one.
      const isMore = cells.length > names.length;
      const isFit = isMore && cells.slice(names.length).every((cell) => cell.trim() === '');
      if (cells.length !== names.length && !isFit) {
        const args = { cells: cells.length, columns: names.length };
        return { fields: undefined, problem: { code: 'cell_count', args } };
      }
      const fields: Record<string, unknown> = { ...blank };
      for (let index = 0; index < names.length; index++) {
        const field = names[index]!;
        let cell = cells[index]!;
        if (raw) {
          const bytes = Buffer.from(cell, 'latin1');
          const invalid = firstInvalid(bytes);
          if (invalid !== undefined) {
            const problem = problemOf(invalid, encoding, invalid.before.length + 1);
            return { fields: undefined, problem: { field, ...problem } };
          }
          cell = bytes.toString('utf8');
        }
        if (cell.includes('\0')) {
          const args = { character: cell.indexOf('\0') + 1 };
          return { fields: undefined, problem: { code: 'nul', field, args } };
        }
        fields[field] = cell;
      }
      return { fields };
    },
  };
}

/**
 * Copying a row of empty cells is much faster than adding columns one by one. In the copy, a column
 * named `__proto__` is an ordinary column.
 */
function blankRow(columns: readonly string[]): Record<string, string> {
  // A row with so many columns is a hash table: faster to fill than to copy.
  if (columns.length > FAST_FIELDS && !columns.includes('__proto__')) return {};
  // JSON.parse makes a faster object, but mixes up names that contain escapes (see parseRecord).
  if (columns.some((column) => JSON.stringify(column) !== `"${column}"`)) {
    return Object.fromEntries(columns.map((column) => [column, '']));
  }
  const text = columns.map((column) => `"${column}":""`).join(',');
  return JSON.parse(`{${text}}`) as Record<string, string>;
}
