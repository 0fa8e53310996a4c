import type { ProcError } from '../../core/errors.ts';
import { type Problem, type ProblemPlace, sentence } from '../../core/row-problem.ts';
import { JsonText, mistakeIn, parseRecord } from './json-text.ts';
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
  let row = 0;
  try {
    await json.passTo(offset);
    for await (const elements of json.elements()) {
      yield elements.flatMap(({ text, line, names, next }): SourceRecord[] => {
        if (text === '' && next === ']' && row === 0) return [];
        const place = { file: name, row: ++row, line };
        if (next === '') throw noEnd(text, place);
        if (row === 1 && /^[["\d-]/.test(text)) throw notRows(name, `is ${kindOfArray(text)}`);
        const { isBroken, ...read } = parseRecord(text, line, names);
        if (isBroken === true) throw broken(read.problem!, place);
        if (next !== ',' && next !== ']') throw broken({ text: 'expected "," or "]"' }, place);
        return [{ row, line: line > 1 ? line : undefined, ...read }];
      });
    }
    if (isDocument !== true) return;
    do
      if (json.pass().trim() !== '')
        throw badFile(
          `${name}, line ${json.line}: more text follows the end of the array; nothing was sent`,
          'If the file has several arrays, join them: jq -s add FILE > all.json',
        );
    while (await json.more());
  } finally {
    await json.close();
  }
}

/** A part of a file that is closed by hand would import like the whole. */
const GET_WHOLE = 'Get the whole file. If it is whole, correct it there';

function broken(
  problem: Problem,
  place: ProblemPlace,
  hint = 'Correct it there, or write the file with a program, e.g. jq, or to_json of pandas',
): ProcError {
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

/** @param first the text of its first element */
export function kindOfArray(first: string): string {
  return first.startsWith('[') ? 'an array of arrays' : 'an array of values';
}

export function notRows(name: string, what: string): ProcError {
  return badFile(
    `${name} ${what}, expected an array of objects`,
    "Write it with a program: jq '[.[]]' for rows under their keys, jq 'map({name: .})' for values, to_json(orient='records') with pandas",
  );
}

/** The whole document is one row, e.g. a requisition. */
export function readWhole(pieces: Pieces, name: string): Batches {
  async function* asArray() {
    yield '[';
    yield* pieces;
    yield ']';
  }
  return readArray(asArray(), name, { offset: 1 });
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
    const { fields, problem, isBroken } = parseRecord(text, line);
    if (isBroken === true && isLast) throw noEnd(text, { file: name, row, line });
    if (isBroken === true && text.endsWith('},'))
      throw badFile(
        `${name}, line ${line}: a comma ends the line; in NDJSON, no commas are between the rows`,
        `Remove them: sed 's/,[[:space:]]*$//'. Or write an array: [ … ]`,
      );
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
