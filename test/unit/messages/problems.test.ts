import { describe, expect, it } from 'vitest';
import type { Problem, ProblemArgs, ProblemCode } from '../../../src/core/problem/row-problem.ts';
import { check, show } from '../../../src/core/validate.ts';
import { isProblem, sentence } from '../../../src/messages/problems.ts';
import { createRequisition } from '../../../src/nouns/requisition/index.ts';

const BROKEN = { code: 'quote_open', args: {} } as const;
const RUN = '20260301-093000-1a2b';

/** Arguments of each code, and its sentences: a code without them does not compile. */
const SAID: {
  readonly [C in ProblemCode]: readonly [args: ProblemArgs[C], text: string];
} = {
  json_empty: [{}, 'the text is empty, expected a JSON value'],
  json_too_deep: [{ levels: 64 }, 'nested deeper than 64 levels'],
  json_trailing_comma: [{ before: '}' }, 'trailing comma: expected another field before "}"'],
  json_name_expected: [{}, 'expected a field name in double quotes'],
  json_name_twice: [{ name: 'code' }, 'duplicate field "code"'],
  json_colon_expected: [{}, 'expected ":" after the field name'],
  json_comma_expected: [{ or: ']' }, 'expected "," or "]"'],
  json_value_expected: [{ found: 'x' }, 'expected a value, found "x"'],
  json_end_expected: [{}, 'expected the end, found more text'],
  json_text_open: [{}, 'this text in quotes is not closed'],
  json_text_invalid: [
    {},
    'this quoted text contains a line break, a control character or an invalid escape',
  ],
  json_number_rounded: [
    { number: '0.1e400' },
    'the number 0.1e400 would be rounded; write it as text if its digits matter',
  ],
  missing: [{ expected: 'string' }, 'is required (a string)'],
  missing_choice: [{ choices: ['pickup', 'delivery'] }, 'is required: one of pickup, delivery'],
  wrong_type: [{ expected: 'array', got: { kind: 'object' } }, 'must be an array, got an object'],
  wrong_choice: [
    { choices: ['pickup', 'delivery'], got: '"x"' },
    'must be one of pickup, delivery, got "x"',
  ],
  too_few: [{ least: 1, got: { elements: 0 } }, 'must have at least 1 element, got an empty array'],
  too_small: [{ least: '0', isExclusive: true, got: '0' }, 'must be greater than 0, got 0'],
  too_big: [{ most: '100', got: '101' }, 'must be at most 100, got 101'],
  not_valid: [{ says: 'Invalid URL', got: '"x"' }, 'Invalid URL, got "x"'],
  service_says: [{ text: 'name is required' }, 'name is required'],
  answered: [{ status: 500, text: 'see the logs' }, 'the service returned 500: see the logs'],
  key_refused: [{ text: 'no key' }, 'the key is missing or incorrect (401): no key'],
  redirected: [{ status: 302 }, 'the service redirects (302)'],
  response_page: [{ text: 'an HTML page: Sign in' }, 'the response is an HTML page: Sign in'],
  refused_with_record: [
    { status: 409, id: 'im-7' },
    'the service returned 409, but with the record: id im-7',
  ],
  response_with_error: [
    { status: 200, text: 'error: "x"' },
    'the service returned 200, but with an error: error: "x"',
  ],
  response_not_json: [{ text: 'done' }, 'the response is not JSON: done'],
  response_not_object: [{ text: '[]' }, 'the response is not a JSON object: []'],
  response_without_id: [{ name: 'id' }, 'the response has no id: it is empty'],
  response_strange_id: [
    { name: 'id', id: 'an array', text: '{}' },
    'the id in the response is an array: {}',
  ],
  response_of_another: [
    { subject: 'im-1', id: 'im-2' },
    'the response is not the record "im-1": it has the id "im-2"',
  ],
  response_misfit: [
    { differences: [{ field: 'amount', sent: '1', stored: '2' }] },
    'the response contradicts the request: amount was sent as 1, but is 2',
  ],
  response_encoded: [
    { encoding: 'lzw' },
    'the response has the encoding lzw, which proc cannot read',
  ],
  response_too_large: [{ mebibytes: 16 }, 'the response is larger than 16 MiB'],
  response_damaged: [
    { encoding: 'gzip', cause: 'Z_DATA_ERROR' },
    'the response cannot be decompressed (gzip): Z_DATA_ERROR',
  ],
  response_unreadable: [{ says: '[…]' }, '[…]'],
  connection_broke: [
    { cause: 'ECONNRESET' },
    'the connection broke (ECONNRESET) before the response was complete',
  ],
  connect_timeout: [{}, 'connecting to the service timed out'],
  unreachable: [{ cause: 'ECONNREFUSED' }, 'the service cannot be reached (ECONNREFUSED)'],
  no_response_within: [{ seconds: 30 }, 'no complete response within 30 s'],
  interrupted: [{}, 'interrupted'],
  too_long: [{ limit: '1 MiB' }, 'is longer than 1 MiB'],
  rows_too_long: [{ limit: '1 MiB' }, 'its rows together are longer than 1 MiB'],
  too_deep: [{ levels: 64 }, 'is nested deeper than 64 levels'],
  too_many_fields: [{ count: 1001, most: 1000 }, 'has 1001 fields; the maximum is 1000'],
  cell_count: [{ cells: 4, columns: 2 }, 'has 4 cells, but the header has 2'],
  nul: [{ character: 3 }, 'contains a NUL at character 3'],
  half_character: [{}, 'contains half a character (a lone \\ud800 to \\udfff escape)'],
  not_utf8: [{ byte: '0xF1', character: 3 }, 'is not UTF-8 text (byte 0xF1) at character 3'],
  not_utf16: [{}, 'is not UTF-16 text (half a character)'],
  quote_open: [{ within: '1 MiB' }, 'a quote is opened but not closed within 1 MiB'],
  text_after_quote: [
    { cell: 2 },
    'text follows a closing quote in cell 2; a quote inside a cell must be doubled',
  ],
  quote_joins_lines: [
    { cell: 2, lines: 3 },
    'the quotes of cell 2 join 3 lines that look like rows; a quote inside a cell must be doubled',
  ],
  element_missing: [{}, 'is missing: there is nothing between two commas'],
  not_json: [{}, 'is not valid JSON'],
  not_object: [{ got: { elements: 2 } }, 'must be a JSON object, got an array of 2'],
  unreadable: [{}, 'cannot be read'],
  file_ends: [{ row: 7 }, 'the file ends in the middle of row 7'],
  file_ends_early: [{}, 'the file ends too early'],
  gzip_cut: [{}, 'the gzip data ends too early'],
  gzip_damaged: [{}, 'the gzip data is damaged from here'],
  after_array: [
    { problem: { code: 'file_ends_early', args: {} } },
    'the file ends too early (after the array, whose rows were read)',
  ],
  text_after_document: [{}, 'more text follows the end of the JSON document'],
  invalid_json: [
    { problem: { code: 'json_name_open', args: {} } },
    'invalid JSON: a field name has no closing quote',
  ],
  json_expected: [{ expected: '}', found: 'x' }, 'expected "}", found "x"'],
  json_many_fields: [{ most: 1000 }, 'more than 1000 fields'],
  json_name_open: [{}, 'a field name has no closing quote'],
  json_name_invalid: [{}, 'a field name contains a character that JSON does not allow'],
  required_empty: [{}, 'is required, but empty'],
  all_empty: [{}, 'all mapped columns are empty'],
  column_empty: [{ column: 'Codigo' }, 'column "Codigo" is empty'],
  fill_lost: [{}, 'is empty, and a row above it cannot be read'],
  not_text: [{ got: { kind: 'object' } }, 'must be text, got an object'],
  column_not_text: [
    { column: 'A', got: { kind: 'object' } },
    'column "A" must be text, got an object',
  ],
  expression_failed: [{ says: 'abs()' }, 'abs()'],
  not_number: [
    { got: '"four"', isWhole: true, like: true },
    'must be a whole number like 12, got "four"',
  ],
  currency_differs: [
    { text: '€', field: 'currency', currency: 'USD' },
    'the cell says €, but the currency of the row is USD',
  ],
  not_number_with: [
    { got: '"1.2.3"', decimal: ',' },
    'must be a number like 1.234,5 (--decimal ,), got "1.2.3"',
  ],
  number_if: [
    { got: '"1,5"', decimal: ',' },
    'must be a number like 1234.5, got "1,5"; if commas are decimals, add --decimal ,',
  ],
  number_unclear: [
    { text: '1.000', grouped: '1000', divided: '1.0000' },
    '"1.000" may be 1000 or 1.0000; write one of them, or choose with --decimal , or --decimal .',
  ],
  number_rounded: [
    { number: '0.1234567890123456789' },
    'the number 0.1234567890123456789 would be rounded',
  ],
  whole_too_large: [
    { most: 9007199254740991, got: '99999999999999999999' },
    'must be a whole number of at most 9007199254740991, got 99999999999999999999',
  ],
  cell_error: [
    { error: '#N/A' },
    'the cell contains the spreadsheet error #N/A (--allow error-values)',
  ],
  placeholder: [{ text: '?' }, '"?" stands for a missing value (--allow error-values)'],
  invisible: [
    { kind: 'control', character: 'U+0007' },
    'contains the control character U+0007 (--allow invisible)',
  ],
  digits_lost: [
    { text: '1.2E+10' },
    '1.2E+10 is a long number that a spreadsheet shortened: some digits are lost',
  ],
  formula: [
    { text: '=A1' },
    '"=A1" is a formula or has a mark of a spreadsheet, not a code (--allow formula-codes)',
  ],
  total: [{ text: 'Total' }, 'looks like a total: "Total" (--allow non-data)'],
  footer: [{ text: 'Page 1' }, 'looks like a footer: "Page 1" (--allow non-data)'],
  sum_of_rows: [{}, 'is the sum of the rows above, without a reference (--allow non-data)'],
  repeated_header: [{}, 'repeats the header (--allow non-data)'],
  rule: [{}, 'contains only lines (--allow non-data)'],
  units: [{}, 'contains units or types instead of values (--allow non-data)'],
  item_without_name: [
    {},
    'is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)',
  ],
  imputation_without_amount: [
    {},
    'is missing, and imputations cannot be deleted (--allow missing)',
  ],
  imputation_without_order: [
    {},
    'has neither order nor contract, and imputations cannot be deleted (--allow missing)',
  ],
  no_key: [
    { key: 'code' },
    'has no code, so a second import could not recognize it (--allow missing, --no-code name)',
  ],
  no_key_or_name: [{ key: 'code', name: 'name' }, 'has neither code nor name'],
  not_sendable: [{}, 'this row cannot be sent'],
  reference_unknown: [
    {
      kind: 'order',
      text: 'PO-9',
      near: { noun: 'orders', extent: 'whole', count: 500, rows: ['PO-00042 (Chains)'] },
    },
    '"PO-9": no order has this code or id; nearest of all 500 orders: PO-00042 (Chains)',
  ],
  reference_ambiguous: [
    { text: 'X', count: 2, rows: ['po-1 (A)', 'po-2 (B)'], forms: ['id=po-1', 'id=po-2'] },
    '"X" matches 2 entries: po-1 (A), po-2 (B); use one of: id=po-1 or id=po-2',
  ],
  reference_form: [
    { text: 'name=X', kind: 'order', form: 'name', forms: ['id', 'code'] },
    '"name=X": an order has no name; Use one of: id=…, code=…',
  ],
  reference_empty: [{ text: 'code=' }, 'code= has no value'],
  reference_without: [{ kind: 'sector', text: 'X', property: 'key' }, 'sector "X" has no key'],
  referred_without: [{ reference: 'order', property: 'currency' }, 'the order has no currency'],
  both_given: [{ one: 'order', other: 'orderId' }, 'both order and orderId are given'],
  of_row: [{ problem: BROKEN }, 'a quote is opened but never closed'],
  rows_differ: [
    {
      values: [
        { value: '"a"', place: { row: 1, line: 2 } },
        { value: '"b"', place: { row: 2, line: 3 } },
      ],
    },
    'differs: "a" in row 1, line 2, "b" in row 2, line 3',
  ],
  line_without_item: [{}, 'needs item.code, item.id or item.name'],
  other_run: [
    { run: 'a', repaired: 'b' },
    'belongs to run a, but the rows before it belong to run b; import the rows of one run at a time',
  ],
  no_row_number: [{ run: RUN }, `is not a row number of run ${RUN}; restore the original value`],
  unchanged: [
    { problem: BROKEN },
    'is unchanged since it was rejected (a quote is opened but never closed); correct its cells. If they are right, empty the column _raw',
  ],
  same_as: [{ row: 4 }, 'the same as row 4'],
  same_key: [{ row: 4 }, 'has the same key as row 4'],
  sent_before: [
    { by: { run: RUN }, outcome: 'unconfirmed' },
    `already sent by run ${RUN}, where it is unconfirmed`,
  ],
  dropped_in: [{ by: { run: RUN } }, `dropped in run ${RUN}`],
  items_in_place: [
    { problem: { code: 'item_defined_again', args: { lines: 2, code: 'A' } } },
    '2 lines define "A", and each would create its own item (--items-in-place)',
  ],
  item_defined_again: [
    { lines: 2, code: 'A' },
    '2 lines define "A", and each would create its own item',
  ],
  items_with_code: [
    { count: 2, code: 'A', items: [{ id: 'im-1', name: 'Bolt' }] },
    '2 items have the code "A": im-1 (Bolt), …; use the itemId of one of them',
  ],
  item_is_another: [
    { code: 'A', id: 'im-1', name: 'Bolt', sent: 'Bolts' },
    '"A" is "Bolt" (im-1) in the catalogue, not "Bolts"',
  ],
  item_id_differs: [
    { code: 'A', id: 'im-1', given: 'im-2' },
    '"A" is the code of im-1, but itemId is im-2',
  ],
  stopped_while_sent: [{}, 'the run was stopped while this row was being sent'],
  no_response: [{}, 'no response'],
  unproved: [
    { problem: { code: 'service_says', args: { text: 'name is required' } } },
    'name is required; the response may belong to another row',
  ],
  other_response: [{ code: 'A-9' }, 'the service returned the response to another row, A-9'],
  other_code: [{ code: 'A-9' }, 'the service returned the code A-9'],
  id_of_row: [{ id: 'im-1', row: 3 }, 'the service returned the id im-1 of row 3'],
  id_taken: [{ id: 'im-1', row: 3 }, 'the service returned the id im-1, which row 3 too has'],
  id_given_again: [{ id: 'im-1', row: 3 }, 'the service returned the id im-1 for row 3 too'],
  id_listed_again: [{ id: 'im-1', row: 3 }, 'the list has the id im-1 for row 3 too'],
  not_looked_up: [
    {
      said: { code: 'no_response', args: {} },
      because: { code: 'key_of_others', args: { id: 'im-7' } },
    },
    'no response; a look-up cannot tell: im-7, which others created, has its key',
  ],
  key_taken: [
    { key: 'code', because: { code: 'not_listed', args: {} } },
    'its code is taken (409), but the service cannot list created records',
  ],
  never_created: [
    { tries: 5, said: { code: 'answered', args: { status: 503, text: 'busy' } } },
    'sent 5 times and never created: the service returned 503: busy',
  ],
  not_listed: [{}, 'the service cannot list created records'],
  nothing_to_look_up: [{ key: 'code' }, 'there is no code to look up'],
  unknown_before: [{}, 'proc does not know which records existed before the run'],
  stored_otherwise: [{ key: 'code' }, 'the service stores a code that differs from the one sent'],
  list_incomplete: [{}, 'the list may be incomplete'],
  created_missing: [
    {
      key: 'code',
      count: 2,
      rows: [
        { key: 'A-1', id: 'im-1' },
        { key: 'A-2', id: 'im-2' },
      ],
    },
    '2 created rows are missing from the list, or have another code there: A-1 (im-1), A-2 (im-2)',
  ],
  similar_key: [
    { key: 'code', record: { key: 'a1', id: 'im-1' } },
    'a record has a similar code: a1 (im-1)',
  ],
  no_record: [
    { mayHaveOtherKey: true },
    'no record has its key, but the service may have created it under another key',
  ],
  key_of_others: [{ id: 'im-7' }, 'im-7, which others created, has its key'],
  records_with_key: [
    { count: 2, ids: ['a', 'b'], sharing: 2 },
    '2 new records have its key (a, b), and 2 unconfirmed rows share it',
  ],
  strangers: [
    { count: 1, ids: ['im-7'] },
    'the list has 1 new record of unknown origin (im-7), which may be this row with a changed code or name',
  ],
};

describe('the sentence of a problem', () => {
  it.each(Object.entries(SAID))('of %s', (code, [args, text]) => {
    const problem = { code, args } as Problem;
    expect(sentence(problem)).toBe(text);
    expect(isProblem(JSON.parse(JSON.stringify(problem)))).toBe(true);
  });

  it.each<[Problem, string]>([
    [
      { ...BROKEN, place: { file: 'a.csv', line: 3 } },
      'a.csv, line 3: a quote is opened but never closed',
    ],
    [
      {
        code: 'not_utf8',
        field: 'name',
        args: { byte: '0xF1' },
        place: { file: 'a.json', line: 3, column: 4 },
      },
      'a.json, line 3, column 4: name: is not UTF-8 text (byte 0xF1)',
    ],
    [
      {
        code: 'json_value_expected',
        args: {},
        place: { file: 'a.ndjson', line: 3, inRecord: { column: 9 } },
      },
      'a.ndjson, line 3: column 9: expected a value, found the end',
    ],
    [
      {
        code: 'json_text_open',
        field: 'name',
        args: {},
        place: { file: 'a.json', row: 1, inRecord: { character: 7 } },
      },
      'a.json, row 1: name: character 7 of the record: this text in quotes is not closed',
    ],
    [
      { code: 'required_empty', field: 'code', args: {}, place: { header: 'SKU' } },
      'code: column "SKU": is required, but empty',
    ],
    [
      {
        code: 'not_text',
        field: 'code',
        args: { got: { kind: 'object' } },
        place: { expression: 'jmes:a' },
      },
      'code: jmes:a: must be text, got an object',
    ],
    [
      {
        code: 'of_row',
        args: { problem: { ...BROKEN, place: { file: 'a.csv', line: 4 } } },
        place: { row: 2, line: 3 },
      },
      'row 2, line 3: a.csv, line 4: a quote is opened but never closed',
    ],
  ])('begins with its place and field: %j', (problem, text) => {
    expect(sentence(problem)).toBe(text);
  });

  it.each([{}, { title: 3 }, { title: 'a', groups: [] }, { title: 'a', groups: [{ items: 'x' }] }])(
    'says how %j breaks the contract',
    (body) => {
      const { issues } = check(createRequisition.body, body);
      expect(issues.length, show(body)).toBeGreaterThan(0);
      for (const { message, problem } of issues) {
        expect(sentence(problem)).toBe(message);
      }
    },
  );

  it.each([
    null,
    {},
    { code: 'toString', args: {} },
    { code: 'no_such', args: {} },
    { code: 'unchanged', args: {} },
  ])('is no sentence of %j', (value) => expect(isProblem(value)).toBe(false));
});

it('a cell of a row is named by row, line and column', () => {
  const place = { row: 5, line: 6, header: 'Qty' };
  const text = sentence({ code: 'required_empty', field: 'quantity', args: {}, place });
  expect(text).toBe('row 5, line 6, column "Qty": is required, but empty');
});
