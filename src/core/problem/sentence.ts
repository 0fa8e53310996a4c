import type { DecimalMark } from '../text/decimal.ts';
import { JSON_MISTAKES } from '../text/strict-json.ts';
import { CONTRACT_ISSUES, show, shownText } from '../validate.ts';
import {
  type Near,
  type Problem,
  type ProblemArgs,
  type ProblemCode,
  type ProblemPlace,
  problemIn,
  type SentBy,
  type StoredProblem,
} from './row-problem.ts';

/** The sentence of each problem, without its field and place. A code without a sentence does not compile. */
type Sentences = { readonly [C in ProblemCode]: (args: ProblemArgs[C]) => string };

const quoted = (text: string): string => JSON.stringify(text);
const after = (text: string | undefined): string => (text === undefined ? '' : `: ${text}`);
const some = (shown: readonly string[], count: number): string =>
  `${shown.join(', ')}${count > shown.length ? ', …' : ''}`;

const SENTENCES: Sentences = {
  ...JSON_MISTAKES,
  ...CONTRACT_ISSUES,
  service_says: ({ text }) => text,
  answered: ({ status, text }) => `the service returned ${status}${after(text)}`,
  key_refused: ({ text }) => `the key is missing or incorrect (401)${after(text)}`,
  redirected: ({ status }) => `the service redirects (${status})`,
  response_page: ({ text }) => `the response is ${text}`,
  refused_with_record: ({ status, id }) =>
    `the service returned ${status}, but with the record: id ${id}`,
  response_with_error: ({ status, text }) =>
    `the service returned ${status}, but with an error: ${text}`,
  response_not_json: ({ text }) => `the response is not JSON: ${text}`,
  response_not_object: ({ text = 'it is empty' }) => `the response is not a JSON object: ${text}`,
  response_without_id: ({ name, text = 'it is empty' }) => `the response has no ${name}: ${text}`,
  response_strange_id: ({ name, id, text = 'it is empty' }) =>
    `the ${name} in the response is ${id}: ${text}`,
  response_of_another: ({ subject, id, text = 'it is empty' }) =>
    `the response is not the record ${quoted(subject)}: ${id === undefined ? text : `it has the id ${quoted(id)}`}`,
  response_misfit: ({ differences }) =>
    `the response contradicts the request: ${differences.map(({ field, sent, stored }) => `${field} was sent as ${sent}, but is ${stored}`).join('; ')}`,
  response_too_large: ({ mebibytes }) => `the response is larger than ${mebibytes} MiB`,
  response_damaged: ({ encoding, cause }) =>
    `the response cannot be decompressed (${encoding}): ${cause}`,
  response_unreadable: ({ says }) => says,
  connection_broke: ({ cause }) =>
    `the connection broke${cause === undefined ? '' : ` (${cause})`} before the response was complete`,
  connect_timeout: () => 'connecting to the service timed out',
  unreachable: ({ cause }) => `the service cannot be reached (${cause})`,
  no_response_within: ({ seconds }) => `no complete response within ${seconds} s`,
  interrupted: () => 'interrupted',

  too_long: ({ limit }) => `is longer than ${limit}`,
  rows_too_long: ({ limit }) => `its rows together are longer than ${limit}`,
  too_deep: ({ levels }) => `is nested deeper than ${levels} levels`,
  too_many_fields: ({ count, most }) => `has ${count} fields; the maximum is ${most}`,
  cell_count: ({ cells, columns }) =>
    `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${columns}`,
  nul: ({ character }) =>
    character === undefined
      ? 'contains a NUL character (\\u0000)'
      : `contains a NUL at character ${character}`,
  half_character: () => 'contains half a character (a lone \\ud800 to \\udfff escape)',
  quote_open: ({ within }) =>
    `a quote is opened but ${within === undefined ? 'never closed' : `not closed within ${within}`}`,
  text_after_quote: ({ cell }) =>
    `text follows a closing quote in cell ${cell}; a quote inside a cell must be doubled`,
  quote_joins_lines: ({ cell, lines }) =>
    `the quotes of cell ${cell} join ${lines} lines that look like rows; a quote inside a cell must be doubled`,
  element_missing: () => 'is missing: there is nothing between two commas',
  not_json: () => 'is not valid JSON',
  not_object: ({ got }) => `must be a JSON object, got ${shownText(got)}`,
  unreadable: () => 'cannot be read',
  file_ends: ({ row }) =>
    `the file ends ${row === undefined ? 'before its array is closed' : `in the middle of row ${row}`}`,
  file_ends_early: () => 'the file ends too early',
  text_after_document: () => 'more text follows the end of the JSON document',

  required_empty: ({ or }) =>
    `is required, but empty${or.length === 0 ? '' : ` (or ${or.join(', ')})`}`,
  all_empty: () => 'all mapped columns are empty',
  column_empty: ({ column }) => `column ${quoted(column)} is empty`,
  not_text: ({ got }) => `must be text, got ${shownText(got)}`,
  column_not_text: ({ column, got }) =>
    `column ${quoted(column)} must be text, got ${shownText(got)}`,
  not_number: ({ got, isWhole, like, decimal }) =>
    `must be ${isWhole ? 'a whole number' : 'a number'}${like ? ` like ${isWhole ? '12' : exampleWith(decimal)}` : ''}, got ${shownText(got)}`,
  currency_differs: ({ text, field, currency }) =>
    `the cell says ${text}, but the ${field} of the row is ${currency}`,
  number_rounded: ({ number }) => `the number ${number} would be rounded`,
  whole_too_large: ({ most, got }) => `must be a whole number of at most ${most}, got ${got}`,
  cell_error: ({ error }) => `the cell contains the spreadsheet error ${error}`,
  odd_value: ({ text }) =>
    `${quoted(text)} looks like the mistake of a program; --allow-odd sends it`,
  value_not_listed: ({ got }) => `${shownText(got)} is not in the values of the map`,
  repeated_header: () => 'repeats the header',
  not_sendable: () => 'this row cannot be sent',
  reference_unknown: ({ kind, form, text, near }) => {
    const none =
      form === undefined
        ? `${quoted(text)}: ${UNKNOWN[kind]}`
        : `no ${kind} has the ${form} ${quoted(text)}`;
    return near === undefined ? none : `${none}; ${nearText(near)}`;
  },
  reference_ambiguous: ({ text, count, rows, forms }) =>
    `${quoted(text)} matches ${count} entries: ${some(rows, count)}; use one of: ${forms.join(' or ')}`,
  reference_form: ({ text, kind, form, forms }) =>
    `${show(text)}: ${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind} has no ${form}; Use one of: ${forms.map((one) => `${one}=…`).join(', ')}`,
  reference_empty: ({ text }) => `${text} has no value`,
  reference_without: ({ kind, text, property }) => `${kind} ${quoted(text)} has no ${property}`,
  referred_without: ({ reference, property }) => `the ${reference} has no ${property}`,
  both_given: ({ one, other }) => `both ${one} and ${other} are given`,
  of_row: ({ problem }) => sentence(problem),
  rows_differ: ({ values }) =>
    `differs: ${values.map(({ value, place }) => `${value} in ${placeText(place)}`).join(', ')}`,
  line_without_item: () => 'needs item.code, item.id or item.name',
  code_of_rows: ({ rows, count, isAlike }) => {
    const others = `${count === 1 ? 'row' : 'rows'} ${some(rows.map(String), count)}`;
    return isAlike === true
      ? `differs from ${others} only in the spelling of the code`
      : `${others} ${count === 1 ? 'has' : 'have'} the same code with other values`;
  },
  equals_row: ({ row }) => `equals row ${row}; --send-equal sends it too`,
  other_spelling: ({ code, id, listed, name, otherName }) =>
    `the code ${quoted(code)} differs only in spelling from ${quoted(listed)} (${id}), which has the name ${quoted(otherName ?? '')}, not ${quoted(name ?? '')}; --exact-codes compares exactly`,
  sent_otherwise: ({ key, count, sent }) =>
    `${key} was sent with other values: ${some(sent.map(sentText), count)}; --again sends it`,
  same_as: ({ row }) => `the same as row ${row}`,
  moved: () => 'a later import of the same row took it over',
  items_with_code: ({ count, code, items }) =>
    `${count} items have the code ${show(code)}: ${some(
      items.map(({ id, name }) => `${id} (${name ?? 'no name'})`),
      count,
    )}; use the itemId of one of them`,
  item_is_another: ({ code, id, name, sent }) =>
    `${show(code)} is ${name === undefined ? 'an item without a name' : show(name)} (${id}) in the catalogue, not ${show(sent)}`,
  item_id_differs: ({ code, id, given }) =>
    `${show(code)} is the code of ${id}, but itemId is ${given}`,

  no_response: () => 'no response',
  unproved: ({ problem }) =>
    `${problem === undefined ? '' : `${sentence(problem)}; `}the response may belong to another row`,
  other_code_stored: ({ sent, stored }) =>
    `the service stores codes differently (sent ${sent}, stored ${stored}). Change the file`,
  id_taken: ({ id, row }) =>
    `the service returned the id ${id}, which ${row === undefined ? 'an earlier record' : `row ${row} too`} has`,
  never_created: ({ tries, said }) => `sent ${tries} times and never created: ${sentence(said)}`,
};

const UNKNOWN = {
  order: 'no order has this code or id',
  item: 'no item has this code or id',
  sector: 'no sector has this id, key or name',
} as const;

/** `nearest of all 500 orders: PO-00042 (Chains)` */
export function nearText({ noun, extent, count, compared, rows }: Near): string {
  const near = rows.join(', ');
  if (extent === 'searched') return `nearest ${noun}: ${near}`;
  if (count === 0) return `the list of ${noun} ${extent === 'whole' ? 'is' : 'seems'} empty`;
  const which =
    compared !== undefined
      ? `the first ${compared} of ${count} ${noun}`
      : extent === 'whole'
        ? count === 1
          ? `the only row of ${noun}`
          : `all ${count} ${noun}`
        : count === 1
          ? 'the only row that was read'
          : `the ${count} ${noun} that were read`;
  const doubt = extent === 'part' ? ' (the list may be incomplete)' : '';
  return near === ''
    ? `none of ${which} is similar${doubt}`
    : `nearest of ${which}${doubt}: ${near}`;
}

/** `amount 5.25 → 5.20 (run 20260301-093000-1a2b row 2)` */
function sentText({ by, row, differences }: ProblemArgs['sent_otherwise']['sent'][number]): string {
  const values = differences.map(({ field, sent, now }) => `${field} ${sent} → ${now}`).join(', ');
  const where = `${sentByText(by)}${row === undefined ? '' : ` row ${row}`}`;
  return values === '' ? where : `${values} (${where})`;
}

/** `run 20260301-093000-1a2b`, or the command in the history */
export function sentByText({ run, entry }: SentBy): string {
  return run === undefined ? `the command ${entry} in the history` : `run ${run}`;
}

function exampleWith(decimal: DecimalMark | undefined): string {
  if (decimal === undefined) return '1234.5';
  return decimal === ',' ? '1.234,5' : '1,234.5';
}

const PLACES = {
  row: 'row',
  line: 'line',
  column: 'column',
  inRecord: (character: number) => `character ${character} of the record`,
} as const;

/** `items.json, line 3, column 5`, `row 7, line 8`; empty if nothing of it is known. */
function placeText({ file, row, line, column }: ProblemPlace): string {
  const words = PLACES;
  const parts = [
    file,
    ...Object.entries({ row, line, column }).map(([name, number]) =>
      number === undefined ? undefined : `${words[name as 'row']} ${number}`,
    ),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function innerPlaces({ inRecord, header, expression }: ProblemPlace): string[] {
  const words = PLACES;
  return [
    ...(inRecord === undefined
      ? []
      : 'column' in inRecord
        ? [`${words.column} ${inRecord.column}`]
        : [words.inRecord(inRecord.character)]),
    ...(header === undefined ? [] : [`${words.column} ${quoted(header)}`]),
    ...(expression === undefined ? [] : [expression]),
  ];
}

/**
 * E.g. `items.csv, line 3: has 2 cells, but the header has 5`, or `code: column "SKU": is required, but empty`.
 */
export function sentence(problem: Problem): string {
  const { code, field, args, place = {}, also = [] } = problem;
  const { header, path, ...inner } = place;
  // The column of a row says more than the field that it fills.
  const isCell = header !== undefined && place.row !== undefined;
  const at = placeText(place);
  const outer = isCell ? `${at}, ${PLACES.column} ${quoted(header)}` : at;
  const text = (SENTENCES[code] as (args: ProblemArgs[ProblemCode]) => string)(args);
  const isSaid = code === 'service_says' && (header ?? path ?? place.row) !== undefined;
  const own = [
    ...(outer === '' ? [] : [outer]),
    ...(path === undefined ? [] : [path]),
    ...(field === undefined || isCell || path !== undefined ? [] : [field]),
    ...innerPlaces(isCell ? inner : place),
    isSaid ? `the service says “${text}”` : text,
  ].join(': ');
  return [own, ...also.map((one) => sentence(one))].join('; ');
}

/** The sentence of a problem of a row, which names the row. */
export function rowSentence({ row, line, reason }: RowWithReason): string {
  const text = sentence(reason);
  return reason.place?.row === undefined && reason.place?.file === undefined
    ? `${placeText({ row, line: line ?? undefined })}: ${text}`
    : text;
}

interface RowWithReason {
  readonly row: number;
  readonly line?: number | null | undefined;
  readonly reason: Problem;
}

export function sentenceIn(stored: StoredProblem): string;
export function sentenceIn(stored: StoredProblem | null): string | null;
export function sentenceIn(stored: StoredProblem | null): string | null {
  return stored === null ? null : sentence(problemIn(stored));
}
