import type { ProcError } from '../../core/errors.ts';
import type { Problem } from '../../core/row-problem.ts';
import { sentence } from '../../core/row-problem.ts';
import { JsonScanner } from '../../core/text/json-scanner.ts';
import { INVALID_STRING } from '../../core/text/strict-json.ts';
import { type PlaceOf, parseRecord } from './json-record.ts';
import {
  BATCH_BYTES,
  BATCH_RECORDS,
  badFile,
  MAX_RECORD_BYTES,
  type SourceRecord,
  TOO_LONG,
} from './record.ts';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;

type Pieces = AsyncIterable<Buffer>;
type Batches = AsyncGenerator<SourceRecord[], void>;

export interface ArrayPlace {
  /** Where its elements begin, after the bracket: bytes of the document in UTF-8. */
  readonly offset: number;
  /** The line of that place. */
  readonly line: number;
  /** The document is the array. */
  readonly isDocument?: true;
}

/**
 * The elements of an array in a JSON document. Each is cut out as text and parsed by itself, so memory
 * does not grow with the array.
 *
 * @throws ProcError `invalid_input` if the document is no JSON
 */
export async function* readArray(pieces: Pieces, name: string, place: ArrayPlace): Batches {
  const cutter = new ElementCutter(name, place);
  for await (const piece of pieces) {
    yield* cutter.read(piece);
    // The rest of another document was read before.
    if (cutter.isClosed && place.isDocument !== true) return;
  }
  cutter.end();
}

class ElementCutter {
  isClosed = false;
  readonly #name: string;
  readonly #scanner = new JsonScanner(false);
  /** Bytes before the elements. */
  #skip: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the scan of the first element in `#bytes` goes on. */
  #from = 0;
  #line: number;
  #row = 0;

  constructor(name: string, { offset, line }: ArrayPlace) {
    this.#name = name;
    this.#skip = offset;
    this.#line = line;
    this.#scanner.lines = line - 1;
  }

  /** At the end of the file. */
  end(): void {
    const isEmpty = this.#bytes.toString('latin1').trim() === '';
    if (this.isClosed && isEmpty) return;
    if (this.isClosed)
      throw this.#broken({ text: 'more text follows the end of the JSON document' });
    if (isEmpty) throw endsEarly(this.#name, undefined);
    this.#row++;
    // A missing quote also hides the end of its row.
    const text = this.#bytes.toString('utf8').trimStart();
    const { problem } = parseRecord(text, this.#scanner, placeIn(this.#line, ''));
    if (problem?.text === INVALID_STRING) throw this.#broken(problem);
    throw endsEarly(this.#name, this.#row);
  }

  *read(piece: Buffer): Generator<SourceRecord[]> {
    const skipped = Math.min(this.#skip, piece.length);
    this.#skip -= skipped;
    const bytes = Buffer.concat([this.#bytes, piece.subarray(skipped)]);
    let start = 0;
    let batch: SourceRecord[] = [];
    let first = 0;
    while (!this.isClosed) {
      const end = this.#scanner.scan(bytes, this.#from, bytes.length);
      this.#from = end;
      if (end === bytes.length) break;
      batch.push(...this.#element(bytes.subarray(start, end), bytes[end]!));
      this.#scanner.reset();
      start = end + 1;
      this.#from = start;
      if (batch.length < BATCH_RECORDS && start - first < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      first = start;
    }
    if (batch.length > 0) yield batch;
    this.#bytes = bytes.subarray(start);
    this.#from -= start;
    if (this.#bytes.length > MAX_RECORD_BYTES) {
      this.#row++;
      throw this.#broken(TOO_LONG);
    }
  }

  #element(bytes: Buffer, end: number): SourceRecord[] {
    const whole = bytes.toString('utf8');
    const text = whole.trimStart();
    const lead = whole.slice(0, whole.length - text.length);
    const line = this.#line + newlines(lead);
    this.#line = this.#scanner.lines + 1;
    this.isClosed = end === CLOSE_ARRAY;
    if (text === '' && this.isClosed && this.#row === 0) return [];
    const row = ++this.#row;
    if (text === '') {
      const why = this.isClosed
        ? 'trailing comma: expected another value before "]"'
        : 'is missing: there is nothing between two commas';
      throw this.#broken({ text: why }, line);
    }
    if (end !== COMMA && !this.isClosed) {
      throw this.#broken({ text: 'expected "," or "]"' }, line);
    }
    if (row === 1 && text.startsWith('[')) throw arraysOfCells(this.#name);
    const { fields, problem } = parseRecord(text, this.#scanner, placeIn(line, lead));
    const at = { row, line: line > 1 ? line : undefined };
    if (problem === undefined) return [{ ...at, fields }];
    // A name that is there twice leaves the other rows readable. After a mistake of JSON, nothing can be trusted.
    if (!isJson(text)) throw this.#broken(problem, line);
    return [{ ...at, fields, problem }];
  }

  #broken(problem: Problem, line = this.#line): ProcError {
    return notJson(problem, { file: this.#name, row: this.#row, line });
  }
}

function notJson(problem: Problem, place: Problem['place']): ProcError {
  const why = sentence({ ...problem, place: { ...place, ...problem.place } });
  return badFile(
    `${why}; nothing was sent`,
    'Correct it there, or write the file with a program, e.g. jq, or to_json of pandas',
  );
}

function endsEarly(name: string, row: number | undefined): ProcError {
  const where = row === undefined ? 'before its array is closed' : `in the middle of row ${row}`;
  return badFile(
    `${name}: the file ends ${where}; nothing was sent`,
    'The file is incomplete. Download or write it again',
  );
}

function arraysOfCells(name: string): ProcError {
  return badFile(
    `${name} is an array of arrays, expected an array of objects`,
    `If the first array has the names: jq '.[0] as $names | .[1:] | map([$names, .] | transpose | map({(.[0]): .[1]}) | add)'. With pandas: to_json(orient='records')`,
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function newlines(text: string): number {
  return text.includes('\n') ? text.split('\n').length - 1 : 0;
}

/** @param lead the white space before the record */
function placeIn(line: number, lead: string): PlaceOf {
  const feed = lead.lastIndexOf('\n');
  return (inner, column) => {
    if (inner === 1 && feed < 0) return { inRecord: { character: column } };
    const indent = inner === 1 ? lead.length - feed - 1 : 0;
    return { line: line + inner - 1, column: column + indent };
  };
}

/** The whole document is one row, e.g. a requisition. */
export async function* readWhole(pieces: Pieces, name: string): Batches {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  const bytes = Buffer.concat(all);
  if (bytes.length > MAX_RECORD_BYTES) throw notJson(TOO_LONG, { file: name });
  const scanner = new JsonScanner(false);
  scanner.scan(bytes, 0, bytes.length);
  const { fields, problem } = parseRecord(bytes.toString('utf8'), scanner, placeIn(1, '\n'));
  if (problem !== undefined) throw notJson(problem, { file: name });
  yield [{ row: 1, line: undefined, fields }];
}

/** Messages about rows name the line already. */
const inLine: PlaceOf = (_line, column) => ({ inRecord: { column } });

/**
 * One JSON object per line. An invalid line is rejected; reading continues with the next line.
 *
 * @throws ProcError `invalid_input` if lines end with commas, or if the file ends within a line
 */
export async function* readNdjson(pieces: Pieces, name: string): Batches {
  const scanner = new JsonScanner(true);
  let row = 0;
  let line = 0;
  const recordOf = (bytes: Buffer, isLast: boolean): SourceRecord[] => {
    line++;
    const text = bytes.toString('utf8').trim();
    if (text === '') return [];
    row++;
    scanner.reset();
    scanner.scan(bytes, 0, bytes.length);
    const { fields, problem } = parseRecord(text, scanner, inLine);
    if (problem === undefined) return [{ row, line, fields }];
    if (isLast && scanner.depth > 0) throw endsEarly(name, row);
    if (text.endsWith(',') && scanner.depth === 0) throw commas(name, line);
    return [{ row, line, fields, problem }];
  };
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    let bytes = Buffer.concat([rest, piece]);
    let batch: SourceRecord[] = [];
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      batch.push(...recordOf(bytes.subarray(0, end), false));
      bytes = bytes.subarray(end + 1);
      if (batch.length < BATCH_RECORDS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    rest = bytes;
    if (rest.length > MAX_RECORD_BYTES) throw notJson(TOO_LONG, { file: name, line: line + 1 });
  }
  const last = recordOf(rest, true);
  if (last.length > 0) yield last;
}

function commas(name: string, line: number): ProcError {
  return badFile(
    `${name}, line ${line}: a comma ends the line; in NDJSON, no commas are between the rows`,
    `Remove them: sed 's/,[[:space:]]*$//'. Or write an array: [ … ]`,
  );
}
