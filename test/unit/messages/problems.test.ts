import { describe, expect, it } from 'vitest';
import type { Problem, ProblemArgs, ProblemCode } from '../../../src/core/problem/row-problem.ts';
import { check, show } from '../../../src/core/validate.ts';
import { convert } from '../../../src/import/map/convert.ts';
import { isProblem, sentence } from '../../../src/messages/problems.ts';
import { createRequisition } from '../../../src/nouns/requisition/index.ts';

const BROKEN = { code: 'quote_open', args: {} } as const;
const RUN = '20260301-093000-1a2b';

/** Arguments of each code, and its sentences: a code without them does not compile. */
const SAID: {
  readonly [C in ProblemCode]: readonly [args: ProblemArgs[C], english: string, spanish: string];
} = {
  json_empty: [
    {},
    'the text is empty, expected a JSON value',
    'el texto está vacío; se esperaba un valor JSON',
  ],
  json_too_deep: [{ levels: 64 }, 'nested deeper than 64 levels', 'más de 64 niveles'],
  json_trailing_comma: [
    { before: '}' },
    'trailing comma: expected another field before "}"',
    'coma final: se esperaba otro campo antes de "}"',
  ],
  json_name_expected: [
    {},
    'expected a field name in double quotes',
    'se esperaba un nombre de campo entre comillas dobles',
  ],
  json_name_twice: [{ name: 'code' }, 'duplicate field "code"', 'campo repetido "code"'],
  json_colon_expected: [
    {},
    'expected ":" after the field name',
    'se esperaba ":" después del nombre del campo',
  ],
  json_comma_expected: [{ or: ']' }, 'expected "," or "]"', 'se esperaba "," o "]"'],
  json_value_expected: [
    { found: 'x' },
    'expected a value, found "x"',
    'se esperaba un valor y se encontró "x"',
  ],
  json_end_expected: [
    {},
    'expected the end, found more text',
    'se esperaba el final y hay más texto',
  ],
  json_text_open: [
    {},
    'this text in quotes is not closed',
    'este texto entre comillas no se cierra',
  ],
  json_text_invalid: [
    {},
    'this quoted text contains a line break, a control character or an invalid escape',
    'este texto entre comillas contiene un salto de línea, un carácter de control o un escape no válido',
  ],
  json_number_rounded: [
    { number: '0.1e400' },
    'the number 0.1e400 would be rounded; write it as text if its digits matter',
    'el número 0.1e400 se redondearía; escríbalo como texto si sus dígitos importan',
  ],
  missing: [{ expected: 'string' }, 'is required (a string)', 'es obligatorio (texto)'],
  missing_choice: [
    { choices: ['pickup', 'delivery'] },
    'is required: one of pickup, delivery',
    'es obligatorio: uno de pickup, delivery',
  ],
  wrong_type: [
    { expected: 'array', got: { kind: 'object' } },
    'must be an array, got an object',
    'debe ser una lista, no un objeto',
  ],
  wrong_choice: [
    { choices: ['pickup', 'delivery'], got: '"x"' },
    'must be one of pickup, delivery, got "x"',
    'debe ser uno de pickup, delivery, no "x"',
  ],
  too_few: [
    { least: 1, got: { elements: 0 } },
    'must have at least 1 element, got an empty array',
    'debe tener al menos 1 elemento, no una lista vacía',
  ],
  too_small: [
    { least: '0', isExclusive: true, got: '0' },
    'must be greater than 0, got 0',
    'debe ser mayor que 0, no 0',
  ],
  too_big: [
    { most: '100', got: '101' },
    'must be at most 100, got 101',
    'debe ser 100 como máximo, no 101',
  ],
  not_valid: [
    { says: 'Invalid URL', got: '"x"' },
    'Invalid URL, got "x"',
    'no es válido: Invalid URL, no "x"',
  ],
  service_says: [
    { text: 'name is required' },
    'name is required',
    'el servicio dice: «name is required»',
  ],
  answered: [
    { status: 500, text: 'see the logs' },
    'the service returned 500: see the logs',
    'el servicio respondió 500: «see the logs»',
  ],
  key_refused: [
    { text: 'no key' },
    'the key is missing or incorrect (401): no key',
    'falta la clave o es incorrecta (401): «no key»',
  ],
  redirected: [{ status: 302 }, 'the service redirects (302)', 'el servicio redirige (302)'],
  response_page: [
    { text: 'an HTML page: Sign in' },
    'the response is an HTML page: Sign in',
    'la respuesta es otra cosa: «an HTML page: Sign in»',
  ],
  refused_with_record: [
    { status: 409, id: 'im-7' },
    'the service returned 409, but with the record: id im-7',
    'el servicio respondió 409, pero con el registro: id im-7',
  ],
  response_with_error: [
    { status: 200, text: 'error: "x"' },
    'the service returned 200, but with an error: error: "x"',
    'el servicio respondió 200, pero con un error: «error: "x"»',
  ],
  response_not_json: [
    { text: 'done' },
    'the response is not JSON: done',
    'la respuesta no es JSON: «done»',
  ],
  response_not_object: [
    { text: '[]' },
    'the response is not a JSON object: []',
    'la respuesta no es un objeto JSON: «[]»',
  ],
  response_without_id: [
    { name: 'id' },
    'the response has no id: it is empty',
    'la respuesta no tiene id: está vacía',
  ],
  response_strange_id: [
    { name: 'id', id: 'an array', text: '{}' },
    'the id in the response is an array: {}',
    'el id de la respuesta no es válido: «{}»',
  ],
  response_of_another: [
    { subject: 'im-1', id: 'im-2' },
    'the response is not the record "im-1": it has the id "im-2"',
    'la respuesta no es el registro "im-1": tiene el id "im-2"',
  ],
  response_misfit: [
    { differences: [{ field: 'amount', sent: '1', stored: '2' }] },
    'the response contradicts the request: amount was sent as 1, but is 2',
    'la respuesta no coincide con lo enviado: amount se envió como 1, pero es 2',
  ],
  response_encoded: [
    { encoding: 'lzw' },
    'the response has the encoding lzw, which proc cannot read',
    'la respuesta tiene la codificación lzw, que proc no puede leer',
  ],
  response_too_large: [
    { mebibytes: 16 },
    'the response is larger than 16 MiB',
    'la respuesta supera 16 MiB',
  ],
  response_damaged: [
    { encoding: 'gzip', cause: 'Z_DATA_ERROR' },
    'the response cannot be decompressed (gzip): Z_DATA_ERROR',
    'la respuesta no se puede descomprimir (gzip): Z_DATA_ERROR',
  ],
  response_unreadable: [{ says: '[…]' }, '[…]', '[…]'],
  connection_broke: [
    { cause: 'ECONNRESET' },
    'the connection broke (ECONNRESET) before the response was complete',
    'la conexión se cortó (ECONNRESET) antes de que la respuesta estuviera completa',
  ],
  connect_timeout: [
    {},
    'connecting to the service timed out',
    'se agotó el tiempo para conectar con el servicio',
  ],
  unreachable: [
    { cause: 'ECONNREFUSED' },
    'the service cannot be reached (ECONNREFUSED)',
    'no se puede conectar con el servicio (ECONNREFUSED)',
  ],
  no_response_within: [
    { seconds: 30 },
    'no complete response within 30 s',
    'sin respuesta completa en 30 s',
  ],
  interrupted: [{}, 'interrupted', 'interrumpida'],
  too_long: [{ limit: '1 MiB' }, 'is longer than 1 MiB', 'supera 1 MiB'],
  rows_too_long: [
    { limit: '1 MiB' },
    'its rows together are longer than 1 MiB',
    'sus filas juntas superan 1 MiB',
  ],
  too_deep: [{ levels: 64 }, 'is nested deeper than 64 levels', 'tiene más de 64 niveles'],
  too_many_fields: [
    { count: 1001, most: 1000 },
    'has 1001 fields; the maximum is 1000',
    'tiene 1001 campos; el máximo es 1000',
  ],
  cell_count: [
    { cells: 4, columns: 2 },
    'has 4 cells, but the header has 2',
    'tiene 4 celdas, pero el encabezado tiene 2',
  ],
  nul: [{ character: 3 }, 'contains a NUL at character 3', 'contiene un NUL en el carácter 3'],
  half_character: [
    {},
    'contains half a character (a lone \\ud800 to \\udfff escape)',
    'contiene medio carácter (un escape suelto de \\ud800 a \\udfff)',
  ],
  not_utf8: [
    { byte: '0xF1', character: 3 },
    'is not UTF-8 text (byte 0xF1) at character 3',
    'no es texto UTF-8 (byte 0xF1) en el carácter 3',
  ],
  not_utf16: [{}, 'is not UTF-16 text (half a character)', 'no es texto UTF-16 (medio carácter)'],
  quote_open: [
    { within: '1 MiB' },
    'a quote is opened but not closed within 1 MiB',
    'se abre una comilla que no se cierra dentro de 1 MiB',
  ],
  text_after_quote: [
    { cell: 2 },
    'text follows a closing quote in cell 2; a quote inside a cell must be doubled',
    'hay texto después de la comilla que cierra la celda 2; una comilla dentro de una celda debe ir doble',
  ],
  quote_joins_lines: [
    { cell: 2, lines: 3 },
    'the quotes of cell 2 join 3 lines that look like rows; a quote inside a cell must be doubled',
    'las comillas de la celda 2 unen 3 líneas que parecen filas; una comilla dentro de una celda debe ir doble',
  ],
  element_missing: [
    {},
    'is missing: there is nothing between two commas',
    'falta: no hay nada entre dos comas',
  ],
  not_json: [{}, 'is not valid JSON', 'no es JSON válido'],
  not_object: [
    { got: { elements: 2 } },
    'must be a JSON object, got an array of 2',
    'debe ser un objeto JSON, no una lista de 2',
  ],
  unreadable: [{}, 'cannot be read', 'no se puede leer'],
  file_ends: [
    { row: 7 },
    'the file ends in the middle of row 7',
    'el archivo termina en medio de la fila 7',
  ],
  file_ends_early: [{}, 'the file ends too early', 'el archivo termina antes de tiempo'],
  gzip_cut: [{}, 'the gzip data ends too early', 'los datos gzip terminan antes de tiempo'],
  gzip_damaged: [
    {},
    'the gzip data is damaged from here',
    'los datos gzip están dañados desde aquí',
  ],
  after_array: [
    { problem: { code: 'file_ends_early', args: {} } },
    'the file ends too early (after the array, whose rows were read)',
    'el archivo termina antes de tiempo (después de la lista, cuyas filas se leyeron)',
  ],
  text_after_document: [
    {},
    'more text follows the end of the JSON document',
    'hay más texto después del final del documento JSON',
  ],
  invalid_json: [
    { problem: { code: 'json_name_open', args: {} } },
    'invalid JSON: a field name has no closing quote',
    'JSON no válido: un nombre de campo no tiene comilla de cierre',
  ],
  json_expected: [
    { expected: '}', found: 'x' },
    'expected "}", found "x"',
    'se esperaba "}" y se encontró "x"',
  ],
  json_many_fields: [{ most: 1000 }, 'more than 1000 fields', 'más de 1000 campos'],
  json_name_open: [
    {},
    'a field name has no closing quote',
    'un nombre de campo no tiene comilla de cierre',
  ],
  json_name_invalid: [
    {},
    'a field name contains a character that JSON does not allow',
    'un nombre de campo contiene un carácter que JSON no permite',
  ],
  required_empty: [{}, 'is required, but empty', 'es obligatorio, pero está vacío'],
  all_empty: [{}, 'all mapped columns are empty', 'todas las columnas asignadas están vacías'],
  column_empty: [
    { column: 'Codigo' },
    'column "Codigo" is empty',
    'la columna "Codigo" está vacía',
  ],
  fill_lost: [
    {},
    'is empty, and a row above it cannot be read',
    'está vacío, y una fila anterior no se puede leer',
  ],
  not_text: [
    { got: { kind: 'object' } },
    'must be text, got an object',
    'debe ser texto, no un objeto',
  ],
  column_not_text: [
    { column: 'A', got: { kind: 'object' } },
    'column "A" must be text, got an object',
    'columna "A": debe ser texto, no un objeto',
  ],
  expression_failed: [{ says: 'abs()' }, 'abs()', 'abs()'],
  not_number: [
    { got: '"four"', isWhole: true, like: true },
    'must be a whole number like 12, got "four"',
    'debe ser un número entero como 12, no "four"',
  ],
  currency_differs: [
    { text: '€', field: 'currency', currency: 'USD' },
    'the cell says €, but the currency of the row is USD',
    'la celda dice €, pero el campo currency de la fila es USD',
  ],
  not_number_with: [
    { got: '"1.2.3"', decimal: ',' },
    'must be a number like 1.234,5 (--decimal ,), got "1.2.3"',
    'debe ser un número como 1.234,5 (--decimal ,), no "1.2.3"',
  ],
  number_if: [
    { got: '"1,5"', decimal: ',' },
    'must be a number like 1234.5, got "1,5"; if commas are decimals, add --decimal ,',
    'debe ser un número como 1234.5, no "1,5"; si las comas son decimales, agregue --decimal ,',
  ],
  number_unclear: [
    { text: '1.000', grouped: '1000', divided: '1.0000' },
    '"1.000" may be 1000 or 1.0000; write one of them, or choose with --decimal , or --decimal .',
    '"1.000" puede ser 1000 o 1.0000; escriba uno de los dos, o elija con --decimal , o --decimal .',
  ],
  number_rounded: [
    { number: '0.1234567890123456789' },
    'the number 0.1234567890123456789 would be rounded',
    'el número 0.1234567890123456789 se redondearía',
  ],
  whole_too_large: [
    { most: 9007199254740991, got: '99999999999999999999' },
    'must be a whole number of at most 9007199254740991, got 99999999999999999999',
    'debe ser un número entero de 9007199254740991 como máximo, no 99999999999999999999',
  ],
  cell_error: [
    { error: '#N/A' },
    'the cell contains the spreadsheet error #N/A (--allow error-values)',
    'la celda contiene el error de hoja de cálculo #N/A (--allow error-values)',
  ],
  placeholder: [
    { text: '?' },
    '"?" stands for a missing value (--allow error-values)',
    '"?" indica un valor que falta (--allow error-values)',
  ],
  invisible: [
    { kind: 'control', character: 'U+0007' },
    'contains the control character U+0007 (--allow invisible)',
    'contiene el carácter de control U+0007 (--allow invisible)',
  ],
  digits_lost: [
    { text: '1.2E+10' },
    '1.2E+10 is a long number that a spreadsheet shortened: some digits are lost',
    '1.2E+10 es un número largo que una hoja de cálculo acortó: se perdieron dígitos',
  ],
  formula: [
    { text: '=A1' },
    '"=A1" is a formula or has a mark of a spreadsheet, not a code (--allow formula-codes)',
    '"=A1" es una fórmula o tiene una marca de una hoja de cálculo, no es un código (--allow formula-codes)',
  ],
  total: [
    { text: 'Total' },
    'looks like a total: "Total" (--allow non-data)',
    'parece un total: "Total" (--allow non-data)',
  ],
  footer: [
    { text: 'Page 1' },
    'looks like a footer: "Page 1" (--allow non-data)',
    'parece un pie de página: "Page 1" (--allow non-data)',
  ],
  sum_of_rows: [
    {},
    'is the sum of the rows above, without a reference (--allow non-data)',
    'es la suma de las filas anteriores, sin referencia (--allow non-data)',
  ],
  repeated_header: [
    {},
    'repeats the header (--allow non-data)',
    'repite el encabezado (--allow non-data)',
  ],
  rule: [{}, 'contains only lines (--allow non-data)', 'solo contiene líneas (--allow non-data)'],
  units: [
    {},
    'contains units or types instead of values (--allow non-data)',
    'contiene unidades o tipos en lugar de valores (--allow non-data)',
  ],
  item_without_name: [
    {},
    'is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)',
    'está vacío; proc no envía artículos sin nombre, porque no se pueden eliminar (--allow missing)',
  ],
  imputation_without_amount: [
    {},
    'is missing, and imputations cannot be deleted (--allow missing)',
    'falta, y las imputaciones no se pueden eliminar (--allow missing)',
  ],
  imputation_without_order: [
    {},
    'has neither order nor contract, and imputations cannot be deleted (--allow missing)',
    'no tiene orden ni contrato, y las imputaciones no se pueden eliminar (--allow missing)',
  ],
  no_key: [
    { key: 'code' },
    'has no code, so a second import could not recognize it (--allow missing, --no-code name)',
    'no tiene código, así que otra importación no podría reconocerla (--allow missing, --no-code name)',
  ],
  no_key_or_name: [
    { key: 'code', name: 'name' },
    'has neither code nor name',
    'no tiene ni código ni nombre',
  ],
  not_sendable: [{}, 'this row cannot be sent', 'esta fila no se puede enviar'],
  reference_unknown: [
    {
      kind: 'order',
      text: 'PO-9',
      near: { noun: 'orders', extent: 'whole', count: 500, rows: ['PO-00042 (Chains)'] },
    },
    '"PO-9": no order has this code or id; nearest of all 500 orders: PO-00042 (Chains)',
    '"PO-9": ninguna orden tiene este código o id; los más parecidos de 500: PO-00042 (Chains)',
  ],
  reference_ambiguous: [
    { text: 'X', count: 2, rows: ['po-1 (A)', 'po-2 (B)'], forms: ['id=po-1', 'id=po-2'] },
    '"X" matches 2 entries: po-1 (A), po-2 (B); use one of: id=po-1 or id=po-2',
    '"X" coincide con 2 registros: po-1 (A), po-2 (B); use uno de: id=po-1 o id=po-2',
  ],
  reference_form: [
    { text: 'name=X', kind: 'order', form: 'name', forms: ['id', 'code'] },
    '"name=X": an order has no name; Use one of: id=…, code=…',
    '"name=X": order no tiene name; use uno de: id=…, code=…',
  ],
  reference_empty: [{ text: 'code=' }, 'code= has no value', 'code= no tiene valor'],
  reference_without: [
    { kind: 'sector', text: 'X', property: 'key' },
    'sector "X" has no key',
    'sector "X" no tiene key',
  ],
  referred_without: [
    { reference: 'order', property: 'currency' },
    'the order has no currency',
    'el registro de order no tiene currency',
  ],
  both_given: [
    { one: 'order', other: 'orderId' },
    'both order and orderId are given',
    'se dan order y orderId a la vez',
  ],
  of_row: [
    { problem: BROKEN },
    'a quote is opened but never closed',
    'se abre una comilla que no se cierra',
  ],
  rows_differ: [
    {
      values: [
        { value: '"a"', place: { row: 1, line: 2 } },
        { value: '"b"', place: { row: 2, line: 3 } },
      ],
    },
    'differs: "a" in row 1, line 2, "b" in row 2, line 3',
    'difiere: "a" en fila 1, línea 2, "b" en fila 2, línea 3',
  ],
  line_without_item: [
    {},
    'needs item.code, item.id or item.name',
    'necesita item.code, item.id o item.name',
  ],
  other_run: [
    { run: 'a', repaired: 'b' },
    'belongs to run a, but the rows before it belong to run b; import the rows of one run at a time',
    'es de la importación a, pero las filas anteriores son de la importación b; importe las filas de una sola importación a la vez',
  ],
  no_row_number: [
    { run: RUN },
    `is not a row number of run ${RUN}; restore the original value`,
    `no es un número de fila de la importación ${RUN}; restaure el valor original`,
  ],
  unchanged: [
    { problem: BROKEN },
    'is unchanged since it was rejected (a quote is opened but never closed); correct its cells. If they are right, empty the column _raw',
    'no ha cambiado desde que se rechazó (se abre una comilla que no se cierra); corrija sus celdas. Si están bien, vacíe la columna _raw',
  ],
  same_as: [{ row: 4 }, 'the same as row 4', 'igual que la fila 4'],
  same_key: [{ row: 4 }, 'has the same key as row 4', 'tiene la misma clave que la fila 4'],
  sent_before: [
    { by: { run: RUN }, outcome: 'unconfirmed' },
    `already sent by run ${RUN}, where it is unconfirmed`,
    `ya enviada por la importación ${RUN}, donde está sin confirmar`,
  ],
  dropped_in: [
    { by: { run: RUN } },
    `dropped in run ${RUN}`,
    `abandonada en la importación ${RUN}`,
  ],
  items_in_place: [
    { problem: { code: 'item_defined_again', args: { lines: 2, code: 'A' } } },
    '2 lines define "A", and each would create its own item (--items-in-place)',
    '2 líneas definen "A", y cada una crearía su propio artículo (--items-in-place)',
  ],
  item_defined_again: [
    { lines: 2, code: 'A' },
    '2 lines define "A", and each would create its own item',
    '2 líneas definen "A", y cada una crearía su propio artículo',
  ],
  items_with_code: [
    { count: 2, code: 'A', items: [{ id: 'im-1', name: 'Bolt' }] },
    '2 items have the code "A": im-1 (Bolt), …; use the itemId of one of them',
    '2 artículos tienen el código "A": im-1 (Bolt), …; use el itemId de uno de ellos',
  ],
  item_is_another: [
    { code: 'A', id: 'im-1', name: 'Bolt', sent: 'Bolts' },
    '"A" is "Bolt" (im-1) in the catalogue, not "Bolts"',
    '"A" es "Bolt" (im-1) en el catálogo, no "Bolts"',
  ],
  item_id_differs: [
    { code: 'A', id: 'im-1', given: 'im-2' },
    '"A" is the code of im-1, but itemId is im-2',
    '"A" es el código de im-1, pero itemId es im-2',
  ],
  stopped_while_sent: [
    {},
    'the run was stopped while this row was being sent',
    'la importación se detuvo mientras se enviaba esta fila',
  ],
  no_response: [{}, 'no response', 'sin respuesta'],
  unproved: [
    { problem: { code: 'service_says', args: { text: 'name is required' } } },
    'name is required; the response may belong to another row',
    'el servicio dice: «name is required»; la respuesta puede ser de otra fila',
  ],
  other_response: [
    { code: 'A-9' },
    'the service returned the response to another row, A-9',
    'el servicio devolvió la respuesta de otra fila, A-9',
  ],
  other_code: [
    { code: 'A-9' },
    'the service returned the code A-9',
    'el servicio devolvió el código A-9',
  ],
  id_of_row: [
    { id: 'im-1', row: 3 },
    'the service returned the id im-1 of row 3',
    'el servicio devolvió el id im-1 de la fila 3',
  ],
  id_taken: [
    { id: 'im-1', row: 3 },
    'the service returned the id im-1, which row 3 too has',
    'el servicio devolvió el id im-1, que ya tiene la fila 3',
  ],
  id_given_again: [
    { id: 'im-1', row: 3 },
    'the service returned the id im-1 for row 3 too',
    'el servicio devolvió el id im-1 también para la fila 3',
  ],
  id_listed_again: [
    { id: 'im-1', row: 3 },
    'the list has the id im-1 for row 3 too',
    'la lista tiene el id im-1 también para la fila 3',
  ],
  not_looked_up: [
    {
      said: { code: 'no_response', args: {} },
      because: { code: 'key_of_others', args: { id: 'im-7' } },
    },
    'no response; a look-up cannot tell: im-7, which others created, has its key',
    'sin respuesta; no se puede averiguar buscándola: im-7, creado por otros, tiene su clave',
  ],
  key_taken: [
    { key: 'code', because: { code: 'not_listed', args: {} } },
    'its code is taken (409), but the service cannot list created records',
    'su código ya existe (409), pero el servicio no puede listar los registros creados',
  ],
  never_created: [
    { tries: 5, said: { code: 'answered', args: { status: 503, text: 'busy' } } },
    'sent 5 times and never created: the service returned 503: busy',
    'se envió 5 veces y nunca se creó: el servicio respondió 503: «busy»',
  ],
  not_listed: [
    {},
    'the service cannot list created records',
    'el servicio no puede listar los registros creados',
  ],
  nothing_to_look_up: [{ key: 'code' }, 'there is no code to look up', 'no hay código que buscar'],
  unknown_before: [
    {},
    'proc does not know which records existed before the run',
    'proc no sabe qué registros existían antes de la importación',
  ],
  stored_otherwise: [
    { key: 'code' },
    'the service stores a code that differs from the one sent',
    'el servicio guarda un valor de código distinto del enviado',
  ],
  list_incomplete: [{}, 'the list may be incomplete', 'la lista puede estar incompleta'],
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
    '2 filas creadas faltan en la lista o tienen allí otro valor de código: A-1 (im-1), A-2 (im-2)',
  ],
  similar_key: [
    { key: 'code', record: { key: 'a1', id: 'im-1' } },
    'a record has a similar code: a1 (im-1)',
    'un registro tiene un valor parecido de código: a1 (im-1)',
  ],
  no_record: [
    { mayHaveOtherKey: true },
    'no record has its key, but the service may have created it under another key',
    'ningún registro tiene su clave, pero es posible que el servicio haya creado la fila con otra clave',
  ],
  key_of_others: [
    { id: 'im-7' },
    'im-7, which others created, has its key',
    'im-7, creado por otros, tiene su clave',
  ],
  records_with_key: [
    { count: 2, ids: ['a', 'b'], sharing: 2 },
    '2 new records have its key (a, b), and 2 unconfirmed rows share it',
    '2 registros nuevos tienen su clave (a, b), y la comparten 2 filas sin confirmar',
  ],
  strangers: [
    { count: 1, ids: ['im-7'] },
    'the list has 1 new record of unknown origin (im-7), which may be this row with a changed code or name',
    'la lista tiene 1 registro nuevo de origen desconocido (im-7), que puede ser esta fila con otro código o nombre',
  ],
};

/** Words that no Spanish sentence has, outside of quoted text. */
const ENGLISH =
  /\b(the|is|are|was|has|have|must|row|line|got|and|or|of|not|with|but|too|its|expected|found|contains|empty|sent|text)\b/i;

function spanish(problem: Problem): string {
  const said = sentence(problem, 'es');
  expect(said.replace(/"(?:[^"\\]|\\.)*"|«[^»]*»/g, '""')).not.toMatch(ENGLISH);
  return said;
}

describe('the sentence of a problem', () => {
  it.each(Object.entries(SAID))('of %s, in both languages', (code, [args, en, es]) => {
    const problem = { code, args } as Problem;
    expect(sentence(problem)).toBe(en);
    expect(code === 'not_valid' ? sentence(problem, 'es') : spanish(problem)).toBe(es);
    expect(isProblem(JSON.parse(JSON.stringify(problem)))).toBe(true);
  });

  it.each<[Problem, string, string]>([
    [
      { ...BROKEN, place: { file: 'a.csv', line: 3 } },
      'a.csv, line 3: a quote is opened but never closed',
      'a.csv, línea 3: se abre una comilla que no se cierra',
    ],
    [
      {
        code: 'not_utf8',
        field: 'name',
        args: { byte: '0xF1' },
        place: { file: 'a.json', line: 3, column: 4 },
      },
      'a.json, line 3, column 4: name: is not UTF-8 text (byte 0xF1)',
      'a.json, línea 3, columna 4: nombre: no es texto UTF-8 (byte 0xF1)',
    ],
    [
      {
        code: 'json_value_expected',
        args: {},
        place: { file: 'a.ndjson', line: 3, inRecord: { column: 9 } },
      },
      'a.ndjson, line 3: column 9: expected a value, found the end',
      'a.ndjson, línea 3: columna 9: se esperaba un valor y se encontró el final',
    ],
    [
      {
        code: 'json_text_open',
        field: 'name',
        args: {},
        place: { file: 'a.json', row: 1, inRecord: { character: 7 } },
      },
      'a.json, row 1: name: character 7 of the record: this text in quotes is not closed',
      'a.json, fila 1: nombre: carácter 7 del registro: este texto entre comillas no se cierra',
    ],
    [
      { code: 'required_empty', field: 'code', args: {}, place: { header: 'SKU' } },
      'code: column "SKU": is required, but empty',
      'código: columna "SKU": es obligatorio, pero está vacío',
    ],
    [
      {
        code: 'not_text',
        field: 'code',
        args: { got: { kind: 'object' } },
        place: { expression: 'jmes:a' },
      },
      'code: jmes:a: must be text, got an object',
      'código: jmes:a: debe ser texto, no un objeto',
    ],
    [
      {
        code: 'of_row',
        args: { problem: { ...BROKEN, place: { file: 'a.csv', line: 4 } } },
        place: { row: 2, line: 3 },
      },
      'row 2, line 3: a.csv, line 4: a quote is opened but never closed',
      'fila 2, línea 3: a.csv, línea 4: se abre una comilla que no se cierra',
    ],
  ])('begins with its place and field: %j', (problem, en, es) => {
    expect(sentence(problem)).toBe(en);
    expect(spanish(problem)).toBe(es);
  });

  it.each([
    ['12,5', 'integer', undefined],
    ['1.000', 'number', undefined],
    ['1,5', 'number', undefined],
    ['1.2.3', 'number', ','],
    [{}, 'string', undefined],
    ['0.12345678901234567890', 'number', '.'],
    ['99999999999999999999', 'integer', undefined],
  ] as const)('says what is wrong with %j', (value, kind, decimal) => {
    spanish(convert(value, kind, decimal).problem!);
  });

  it.each([{}, { title: 3 }, { title: 'a', groups: [] }, { title: 'a', groups: [{ items: 'x' }] }])(
    'says how %j breaks the contract',
    (body) => {
      const { issues } = check(createRequisition.body, body);
      expect(issues.length, show(body)).toBeGreaterThan(0);
      for (const { message, problem } of issues) {
        expect(sentence(problem)).toBe(message);
        spanish(problem);
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

it.each([
  ['en', 'row 5, line 6, column "Qty": is required, but empty'],
  ['es', 'fila 5, línea 6, columna "Qty": '],
] as const)('a cell of a row is named by row, line and column: %s', (lang, said) => {
  const place = { row: 5, line: 6, header: 'Qty' };
  const text = sentence({ code: 'required_empty', field: 'quantity', args: {}, place }, lang);
  expect(text.slice(0, said.length)).toBe(said);
});
