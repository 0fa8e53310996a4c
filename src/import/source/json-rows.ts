import type { ProcError } from '../../core/errors.ts';
import { type Problem, type ProblemPlace, sentence } from '../../core/row-problem.ts';
import { isJson, JsonText, mistakeIn, parseRecord, scanValue } from './json-text.ts';
import { badFile, MOST_CHARACTERS, type SourceRecord, TOO_LONG, withText } from './record.ts';

type Pieces = AsyncIterable<string>;
type Batches = AsyncGenerator<SourceRecord[], void>;

export interface ArrayPlace {
  /** Where its elements begin, after the bracket: characters of the document. */
  readonly offset: number;
  /** The document is the array. */
  readonly isDocument?: true;
}

/**
 * The elements of an array in a JSON document. Each is cut out as text and parsed by itself, so memory
 * does not grow with the array.
 *
 * @throws ProcError `invalid_input` if the document is no JSON
 */
export async function* readArray(
  pieces: Pieces,
  name: string,
  { offset, isDocument }: ArrayPlace,
): Batches {
  const json = new JsonText(pieces);
  try {
    await json.passTo(offset);
    let batch: SourceRecord[] = [];
    for (let row = 1, then = ',', seen = json.pieces; then === ','; row++) {
      const element = await json.element();
      const { text, line } = element;
      ({ then } = element);
      if (text === '' && then === ']' && row === 1) break;
      const place = { file: name, row, line };
      if (then === '') throw noEnd(text, place);
      if (row === 1 && /^[["\d-]/.test(text)) throw notObjects(name, text.startsWith('['));
      const read = parseRecord(text, element, line);
      // A name that is there twice leaves the other rows readable. After a mistake of JSON, nothing can be trusted.
      if (read.problem !== undefined && !isJson(text)) throw broken(mistakeIn(text, line), place);
      if (then !== ',' && then !== ']') throw broken({ text: 'expected "," or "]"' }, place);
      batch.push({ row, line: line > 1 ? line : undefined, ...read });
      if (json.pieces === seen) continue;
      seen = json.pieces;
      yield batch;
      batch = [];
    }
    if (isDocument === true && (await json.passSpace())) {
      if (json.text[json.at] === '[')
        throw badFile(`${name} contains several arrays`, 'Join them: jq -s add FILE > all.json');
      const place = { file: name, line: json.line };
      throw broken({ text: 'more text follows the end of the array' }, place);
    }
    if (batch.length > 0) yield batch;
  } finally {
    await json.close();
  }
}

const CORRECT = 'Correct it there, or write the file with a program, e.g. jq, or to_json of pandas';
/** A part of a file that is closed by hand would import like the whole. */
const GET_WHOLE = 'Get the whole file. If it is whole, correct it there';

function broken(problem: Problem, place: ProblemPlace, hint = CORRECT): ProcError {
  const why = sentence({ ...problem, place: { ...place, ...problem.place } });
  return badFile(`${why}; nothing was sent`, hint);
}

/** A missing quote also hides the end of its row. */
function noEnd(text: string, place: ProblemPlace & { readonly line: number }): ProcError {
  if (text === '')
    return broken({ text: 'the file ends before its array is closed' }, place, GET_WHOLE);
  const mistake = mistakeIn(text, place.line);
  const what = text.length > MOST_CHARACTERS ? TOO_LONG : 'the file ends in its middle';
  return broken({ ...mistake, text: `${what}: ${mistake.text}` }, place, GET_WHOLE);
}

function notObjects(name: string, areArrays: boolean): ProcError {
  if (!areArrays) {
    return badFile(
      `${name} is an array of values, expected an array of objects`,
      "If they are e.g. names: jq 'map({name: .})'",
    );
  }
  return badFile(
    `${name} is an array of arrays, expected an array of objects`,
    `If the first array has the names: jq '.[0] as $names | .[1:] | map([$names, .] | transpose | map({(.[0]): .[1]}) | add)'. With pandas: to_json(orient='records')`,
  );
}

/** The whole document is one row, e.g. a requisition. */
export async function* readWhole(pieces: Pieces, name: string): Batches {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MOST_CHARACTERS) throw badFile(`${name} ${TOO_LONG}`);
  }
  const { fields, problem } = parseRecord(text, scanValue(text, 0), 1);
  if (problem !== undefined) throw broken(mistakeIn(text, 1), { file: name });
  yield [{ row: 1, line: undefined, fields }];
}

/**
 * One JSON object per line. An invalid line is rejected; reading continues with the next line.
 *
 * @throws ProcError `invalid_input` if lines end with commas, or if the file ends within a line
 */
export async function* readNdjson(pieces: Pieces, name: string): Batches {
  let row = 0;
  let line = 0;
  const recordOf = (whole: string, isLast: boolean): SourceRecord[] => {
    line++;
    const text = whole.trim();
    if (text === '') return [];
    row++;
    const scanned = scanValue(text, 0);
    const read = parseRecord(text, scanned, line);
    if (read.problem !== undefined) {
      if (isLast && scanned.depth > 0) throw noEnd(text, { file: name, row, line });
      if (scanned.end === text.length - 1 && text.endsWith(',')) throw commas(name, line);
    }
    const { fields, problem } = read;
    return [{ row, line, fields, problem: problem && withText(problem, text) }];
  };
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    if (rest.length > MOST_CHARACTERS)
      throw badFile(`${name}, line ${line + lines.length + 1}: ${TOO_LONG}`);
    yield lines.flatMap((one) => recordOf(one, false));
  }
  yield recordOf(rest, true);
}

function commas(name: string, line: number): ProcError {
  return badFile(
    `${name}, line ${line}: a comma ends the line; in NDJSON, no commas are between the rows`,
    `Remove them: sed 's/,[[:space:]]*$//'. Or write an array: [ … ]`,
  );
}
