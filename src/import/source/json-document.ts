import type { ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { grouped } from '../../core/numbers.ts';
import { show } from '../../core/validate.ts';
import { inShell, listed } from '../../core/wording.ts';
import { type ArrayPlace, kindOfArray, notRows } from './json-rows.ts';
import { JsonText, parseRecord } from './json-text.ts';
import { badFile, MOST_CHARACTERS } from './record.ts';

type Fields = Readonly<Record<string, unknown>>;

interface CountedArray extends ArrayPlace {
  /** How many elements it has. */
  readonly count: number;
  /** The first character of its first element; empty if there is none. */
  readonly first: string;
}

interface FoundArray extends CountedArray {
  /** The names that lead to it, joined by points. */
  readonly path: string;
  /** The objects that contain it, the outermost first. */
  readonly around: readonly Fields[];
}

export interface JsonDocument {
  readonly name: string;
  /** The document, with the number of the array in place of the elements of each array. */
  readonly value: Fields;
  readonly arrays: readonly FoundArray[];
}

/**
 * Reads a document that is an object, without the elements of its arrays: these may be millions.
 *
 * @throws ProcError `invalid_input` if it is no JSON, or has too much outside of arrays
 */
export async function surveyDocument(
  pieces: AsyncIterable<string>,
  name: string,
): Promise<JsonDocument> {
  const json = new JsonText(pieces);
  const arrays: CountedArray[] = [];
  let outside = '';
  let isQuoted = false;
  let isEscaped = false;
  do {
    for (let at = json.at; at < json.text.length; at++) {
      const char = json.text[at];
      if (isEscaped) isEscaped = false;
      else if (char === '\\') isEscaped = true;
      else if (char === '"') isQuoted = !isQuoted;
      else if (char === '[' && !isQuoted) {
        outside += `${json.pass(at)}[${arrays.length}]`;
        json.pass(at + 1);
        arrays.push({ offset: json.offset, ...(await countElements(json, name)) });
        at = json.at - 1;
      }
    }
    outside += json.pass();
    if (outside.length > MOST_CHARACTERS) throw notRows(name, 'is an object with too many fields');
  } while (await json.more());
  const { fields, problem } = parseRecord(outside, 1);
  if (fields !== undefined) return { name, value: fields, arrays: placed(fields, '', [], arrays) };
  throw badFile(
    `${name} is not valid JSON: ${problem?.text}`,
    'If it has several documents, write each into a line of a file named .ndjson: jq -c . FILE > rows.ndjson',
  );
}

async function countElements(
  json: JsonText,
  name: string,
): Promise<Pick<CountedArray, 'count' | 'first'>> {
  let count = 0;
  let first = '';
  for await (const elements of json.elements())
    for (const { text, next } of elements) {
      if (count === 0) first = text.slice(0, 1);
      if (text !== '') count++;
      if (next === ',' || next === ']') continue;
      if (text.length > MOST_CHARACTERS) throw notRows(name, 'has an array with one huge element');
      const why = next === '' ? 'the file ends within an array' : 'expected "," or "]"';
      throw badFile(`${name} is not valid JSON: ${why}`);
    }
  return { count, first };
}

function placed(
  value: Fields,
  prefix: string,
  above: readonly Fields[],
  arrays: readonly CountedArray[],
): FoundArray[] {
  const around = [...above, value];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    if (!Array.isArray(member))
      return isObject(member) ? placed(member, `${path}.`, around, arrays) : [];
    const array = arrays[member[0] as number]!;
    // An empty list of errors is no mark of an error.
    if (array.count === 0) member.length = 0;
    return [{ path, around, ...array }];
  });
}

/** `--path .`: the document is one row. */
const WHOLE = '.';

/**
 * The array that `--path` chooses; undefined for `--path .`, the document itself.
 *
 * @param allowPart also from a document that reports an error, or is a part of a longer list
 * @throws ProcError `invalid_input` if there is no such array, if the document is an error answer, or
 * if it is a part of a longer list
 */
export function chosenArray(
  { name, value, arrays }: JsonDocument,
  path: string | undefined,
  allowPart: boolean,
): FoundArray | undefined {
  const lists = arrays.filter(
    ({ path: own, count, first }) =>
      !/^errors?(?:\.|$)/i.test(own) && (first === '{' || count === 0),
  );
  const error = errorIn(value, lists.length > 0);
  if (error !== undefined && (lists.length === 0 || path === WHOLE)) {
    throw badFile(
      `${name} is an error answer, not a list: ${error}`,
      'Repeat the request that wrote it, and check its address, token and status (curl --fail)',
    );
  }
  if (path === WHOLE) return undefined;
  const [found, other] = arrays.filter((one) => one.path === path);
  const isOne = found !== undefined && other === undefined;
  if (isOne && found.count > 0 && found.first !== '{')
    throw notRows(name, `has at ${path} ${kindOfArray(found.first)}`);
  const [mark] = (isOne ? [found] : lists).flatMap((one) => partMark(one) ?? []);
  const faults = [
    ...(error === undefined ? [] : [`reports an error beside its rows: ${error}`]),
    ...(mark === undefined ? [] : [`is a part of a longer list: ${mark}`]),
  ];
  if (isOne && (faults.length === 0 || allowPart)) return found;
  if (isOne)
    throw badFile(
      `${name} ${faults.join(', and ')}; nothing was sent`,
      'Fetch the whole list, or add --allow-part to import only these rows',
      { details: { mark } },
    );
  if (lists.length === 0) throw noRows(name, value, arrays.length > 0);
  const wrong = path === undefined ? 'is an object, not a list of rows' : `has no array at ${path}`;
  const shown = lists.map((one) => `${one.path} (rows: ${grouped(one.count)})`);
  const flags = lists.slice(0, MOST_NAMED).map((one) => `--path ${inShell(one.path)}`);
  throw badFile(
    `${name} ${[wrong, ...faults].join(', and ')}; its arrays: ${listed(shown, MOST_NAMED)}`,
    `Choose the array with the rows: ${flags.join(' or ')}${faults.length === 0 ? '' : '. To import only these rows, add --allow-part'}`,
    { details: { paths: lists.map((one) => one.path) } },
  );
}

const MOST_NAMED = 10;

function noRows(name: string, value: object, hasArrays: boolean): ProcError {
  const members = Object.values(value);
  if (hasArrays) return notRows(name, 'is an object with arrays of values');
  if (members.length > 0 && members.every(isObject))
    return notRows(name, 'is an object of objects');
  return badFile(
    `${name} is one object, not a list of rows`,
    'Write it as a list: [ … ]. To import it as one row, add --path .',
  );
}

/**
 * What an error answer says; undefined if the document is none. `message`, `stack` and a status from
 * 400 may also be fields of a list, so they count only without an array beside them.
 */
function errorIn(value: Fields, hasList: boolean): string | undefined {
  const { error, errors, success, message, stack, statusCode } = value;
  const mark = [error, errors].find((one) => isFilled(one) && !/^2\d\d$/.test(String(one)));
  const isError = Number(statusCode) >= 400 || [message, stack].some((one) => isText(one));
  if (mark === undefined && success !== false && (hasList || !isError)) return undefined;
  const says = [mark, message].find(isText) ?? statusCode;
  return says === undefined ? 'its "error", "errors" or "success" says so' : show(says);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isFilled(mark: unknown): boolean {
  return typeof mark === 'object' && mark !== null ? Object.keys(mark).length > 0 : Boolean(mark);
}

const MORE = /^(?:hasmore|hasnextpage|truncated)$/;
const PAGE_KEY = /^(?:page|limit|offset|pagesize|skip|perpage)$/;

/**
 * What says that the array is a page of a longer list, e.g. `"hasNextPage" is true`: a mark in an object
 * that contains the array, or in an object beside it, such as `pageInfo`.
 */
function partMark({ around, count }: FoundArray): string | undefined {
  const objects = around.flatMap((one) => [one, ...Object.values(one).filter(isObject)]);
  return objects.map((one) => markIn(one, count)).find((mark) => mark !== undefined);
}

function markIn(object: Fields, rows: number): string | undefined {
  // `@odata.nextLink` and `next_link` are `nextlink`.
  const members = Object.entries(object).map(([name, value]) => {
    const plain = name.replace(/^.*\.|[_-]/g, '').toLowerCase();
    return { name, plain, value };
  });
  const page = members.find(({ plain }) => plain === 'page')?.value ?? 1;
  const hasPage = members.some(({ plain }) => PAGE_KEY.test(plain));
  const found = members.find(({ plain, value }) => {
    if (plain === 'next' || plain === 'nextlink') return isFilled(value);
    if (plain === 'totalpages') return Number(value) > Math.max(1, Number(page));
    if (plain === 'total') return hasPage && Number.isInteger(value) && Number(value) > rows;
    return MORE.test(plain) && value === true;
  });
  return found === undefined ? undefined : `"${found.name}" is ${show(found.value)}`;
}
