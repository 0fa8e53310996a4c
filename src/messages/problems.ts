import { isObject } from '../core/is-object.ts';
import {
  type Named,
  type Near,
  type Problem,
  type ProblemArgs,
  type ProblemCode,
  type ProblemPlace,
  problemIn,
  type SentBy,
  type Shown,
  type StoredProblem,
} from '../core/problem/row-problem.ts';
import type { DecimalMark } from '../core/text/decimal.ts';
import { inEach, type Lang, type Said } from '../core/text/phrase.ts';
import { JSON_MISTAKES } from '../core/text/strict-json.ts';
import { CONTRACT_ISSUES, show, shownText } from '../core/validate.ts';
import { fieldName } from './import-nouns.ts';

/** The sentence of each problem, without its field and place. A code without a sentence does not compile. */
type Sentences = { readonly [C in ProblemCode]: (args: ProblemArgs[C]) => string };

const quoted = (text: string): string => JSON.stringify(text);
const after = (text: string | undefined): string => (text === undefined ? '' : `: ${text}`);
const some = (shown: readonly string[], count: number): string =>
  `${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
const named = ({ key, id }: Named): string => `${key} (${id})`;

const en: Sentences = {
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
  response_encoded: ({ encoding }) =>
    `the response has the encoding ${encoding}, which proc cannot read`,
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
  not_utf8: ({ byte, character }) =>
    `is not UTF-8 text (byte ${byte})${character === undefined ? '' : ` at character ${character}`}`,
  not_utf16: ({ character }) =>
    `is not UTF-16 text (half a character)${character === undefined ? '' : ` at character ${character}`}`,
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
  gzip_cut: () => 'the gzip data ends too early',
  gzip_damaged: () => 'the gzip data is damaged from here',
  after_array: ({ problem }) => `${sentence(problem)} (after the array, whose rows were read)`,
  text_after_document: () => 'more text follows the end of the JSON document',
  invalid_json: ({ problem }) => `invalid JSON: ${sentence(problem)}`,
  json_expected: ({ expected, found }) => `expected ${quoted(expected)}, found ${quoted(found)}`,
  json_many_fields: ({ most }) => `more than ${most} fields`,
  json_name_open: () => 'a field name has no closing quote',
  json_name_invalid: () => 'a field name contains a character that JSON does not allow',

  required_empty: () => 'is required, but empty',
  all_empty: () => 'all mapped columns are empty',
  column_empty: ({ column }) => `column ${quoted(column)} is empty`,
  fill_lost: () => 'is empty, and a row above it cannot be read',
  not_text: ({ got }) => `must be text, got ${shownText(got)}`,
  column_not_text: ({ column, got }) =>
    `column ${quoted(column)} must be text, got ${shownText(got)}`,
  expression_failed: ({ says }) => says,
  not_number: ({ got, isWhole, like, decimal }) =>
    `must be ${isWhole ? 'a whole number' : 'a number'}${like ? ` like ${isWhole ? '12' : exampleWith(decimal)}` : ''}, got ${shownText(got)}`,
  currency_differs: ({ text, field, currency }) =>
    `the cell says ${text}, but the ${field} of the row is ${currency}`,
  not_number_with: ({ got, decimal }) =>
    `must be a number like ${exampleWith(decimal)} (--decimal ${decimal}), got ${shownText(got)}`,
  number_if: ({ got, decimal }) =>
    `must be a number like 1234.5, got ${shownText(got)}; ${decimalHint(decimal)}`,
  number_unclear: ({ text, grouped, divided, isMixed }) =>
    `${quoted(text)} may be ${grouped} or ${divided}${isMixed ? ', and the column has both decimal separators (--allow mixed-marks)' : '; write one of them, or choose with --decimal , or --decimal .'}`,
  number_rounded: ({ number }) => `the number ${number} would be rounded`,
  whole_too_large: ({ most, got }) => `must be a whole number of at most ${most}, got ${got}`,
  cell_error: ({ error }) =>
    `the cell contains the spreadsheet error ${error} (--allow error-values)`,
  placeholder: ({ text }) => `${quoted(text)} stands for a missing value (--allow error-values)`,
  invisible: ({ kind, character }) =>
    `contains the ${kind} character ${character} (--allow invisible)`,
  digits_lost: ({ text }) =>
    `${text} is a long number that a spreadsheet shortened: some digits are lost`,
  formula: ({ text }) =>
    `${quoted(text)} is a formula or has a mark of a spreadsheet, not a code (--allow formula-codes)`,
  total: ({ text }) => `looks like a total: ${quoted(text)} (--allow non-data)`,
  footer: ({ text }) => `looks like a footer: ${quoted(text)} (--allow non-data)`,
  sum_of_rows: () => 'is the sum of the rows above, without a reference (--allow non-data)',
  repeated_header: () => 'repeats the header (--allow non-data)',
  rule: () => 'contains only lines (--allow non-data)',
  units: () => 'contains units or types instead of values (--allow non-data)',
  item_without_name: () =>
    'is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)',
  imputation_without_amount: () =>
    'is missing, and imputations cannot be deleted (--allow missing)',
  imputation_without_order: () =>
    'has neither order nor contract, and imputations cannot be deleted (--allow missing)',
  no_key: ({ key }) =>
    `has no ${key}, so a second import could not recognize it (--allow missing, --no-code name)`,
  no_key_or_name: ({ key, name }) => `has neither ${key} nor ${name}`,
  not_sendable: () => 'this row cannot be sent',
  reference_unknown: ({ kind, form, text, near }) => {
    const none =
      form === undefined
        ? `${quoted(text)}: ${UNKNOWN.en[kind]}`
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
  other_run: ({ run, repaired }) =>
    `belongs to run ${run}, but the rows before it belong to run ${repaired}; import the rows of one run at a time`,
  no_row_number: ({ run }) => `is not a row number of run ${run}; restore the original value`,
  unchanged: ({ problem }) =>
    `is unchanged since it was rejected (${sentence(problem)}); correct its cells. If they are right, empty the column _raw`,

  same_as: ({ row }) => `the same as row ${row}`,
  same_key: ({ row }) => `has the same key as row ${row}`,
  sent_before: ({ by, outcome }) =>
    `already sent by ${sentByText(by)}${outcome === 'created' ? '' : outcome === 'dropped' ? ' and dropped' : ', where it is unconfirmed'}`,
  dropped_in: ({ by }) => `dropped in ${sentByText(by)}`,
  items_in_place: ({ problem }) => `${sentence(problem)} (--items-in-place)`,
  item_defined_again: ({ lines, code }) =>
    `${lines} lines define ${show(code)}, and each would create its own item`,
  items_with_code: ({ count, code, items }) =>
    `${count} items have the code ${show(code)}: ${some(
      items.map(({ id, name }) => `${id} (${name ?? 'no name'})`),
      count,
    )}; use the itemId of one of them`,
  item_is_another: ({ code, id, name, sent }) =>
    `${show(code)} is ${name === undefined ? 'an item without a name' : show(name)} (${id}) in the catalogue, not ${show(sent)}`,
  item_id_differs: ({ code, id, given }) =>
    `${show(code)} is the code of ${id}, but itemId is ${given}`,

  stopped_while_sent: () => 'the run was stopped while this row was being sent',
  no_response: () => 'no response',
  unproved: ({ problem }) =>
    `${problem === undefined ? '' : `${sentence(problem)}; `}the response may belong to another row`,
  other_response: ({ code }) => `the service returned the response to another row, ${code}`,
  other_code: ({ code }) => `the service returned the code ${code}`,
  id_of_row: ({ id, row }) => `the service returned the id ${id} of row ${row}`,
  id_taken: ({ id, row }) =>
    `the service returned the id ${id}, which ${row === undefined ? 'an earlier record' : `row ${row} too`} has`,
  id_given_again: ({ id, row }) => `the service returned the id ${id} for row ${row} too`,
  id_listed_again: ({ id, row }) => `the list has the id ${id} for row ${row} too`,
  not_looked_up: ({ said, because }) =>
    `${sentence(said)}; a look-up cannot tell: ${sentence(because)}`,
  key_taken: ({ key, because }) => `its ${key} is taken (409), but ${sentence(because)}`,
  never_created: ({ tries, said }) => `sent ${tries} times and never created: ${sentence(said)}`,
  not_listed: () => 'the service cannot list created records',
  nothing_to_look_up: ({ key }) => `there is no ${key} to look up`,
  unknown_before: () => 'proc does not know which records existed before the run',
  stored_otherwise: ({ key }) => `the service stores a ${key} that differs from the one sent`,
  list_incomplete: () => 'the list may be incomplete',
  created_missing: ({ count, key, rows }) =>
    `${count === 1 ? '1 created row is missing from the list, or has' : `${count} created rows are missing from the list, or have`} another ${key} there: ${some(rows.map(named), count)}`,
  similar_key: ({ key, record }) => `a record has a similar ${key}: ${named(record)}`,
  no_record: ({ isAccepted, mayHaveOtherKey }) =>
    `no record has its key${isAccepted ? ', but the service accepted it (202)' : ''}${mayHaveOtherKey ? ', but the service may have created it under another key' : ''}`,
  key_of_others: ({ id }) => `${id}, which others created, has its key`,
  records_with_key: ({ count, ids, sharing }) =>
    `${count === 1 ? '1 new record has' : `${count} new records have`} its key (${ids.join(', ')})${sharing === 1 ? '' : `, and ${sharing} unconfirmed rows share it`}`,
  strangers: ({ count, ids }) =>
    `the list has ${count === 1 ? '1 new record' : `${count} new records`} of unknown origin (${some(ids, count)}), ${count === 1 ? 'which' : 'one of which'} may be this row with a changed code or name`,
};

const es: Sentences = {
  json_empty: () => 'el texto está vacío; se esperaba un valor JSON',
  json_too_deep: ({ levels }) => `más de ${levels} niveles`,
  json_trailing_comma: ({ before }) =>
    `coma final: se esperaba otro ${before === '}' ? 'campo' : 'valor'} antes de "${before}"`,
  json_name_expected: () => 'se esperaba un nombre de campo entre comillas dobles',
  json_name_twice: ({ name }) => `campo repetido ${quoted(name)}`,
  json_colon_expected: () => 'se esperaba ":" después del nombre del campo',
  json_comma_expected: ({ or }) => `se esperaba "," o "${or}"`,
  json_value_expected: ({ found }) =>
    `se esperaba un valor y se encontró ${found === undefined ? 'el final' : quoted(found)}`,
  json_end_expected: () => 'se esperaba el final y hay más texto',
  json_text_open: () => 'este texto entre comillas no se cierra',
  json_text_invalid: () =>
    'este texto entre comillas contiene un salto de línea, un carácter de control o un escape no válido',
  json_number_rounded: ({ number }) =>
    `el número ${number} se redondearía; escríbalo como texto si sus dígitos importan`,
  missing: ({ expected }) => `es obligatorio (${typeEs(expected)})`,
  missing_choice: ({ choices }) => `es obligatorio: uno de ${choices.join(', ')}`,
  wrong_type: ({ expected, got }) => `debe ser ${typeEs(expected)}, no ${shownEs(got)}`,
  wrong_choice: ({ choices, got }) => `debe ser uno de ${choices.join(', ')}, no ${shownEs(got)}`,
  too_few: ({ least, got }) =>
    `debe tener al menos ${least === 1 ? '1 elemento' : `${least} elementos`}, no ${shownEs(got)}`,
  too_small: ({ least, isExclusive, got }) =>
    `debe ser ${isExclusive ? `mayor que ${least}` : `${least} como mínimo`}, no ${shownEs(got)}`,
  too_big: ({ most, isExclusive, got }) =>
    `debe ser ${isExclusive ? `menor que ${most}` : `${most} como máximo`}, no ${shownEs(got)}`,
  not_valid: ({ says, got }) =>
    `no es válido: ${says}${got === undefined ? '' : `, no ${shownEs(got)}`}`,

  service_says: ({ text }) => `el servicio dice: «${text}»`,
  answered: ({ status, text }) => `el servicio respondió ${status}${after(quotedEs(text))}`,
  key_refused: ({ text }) => `falta la clave o es incorrecta (401)${after(quotedEs(text))}`,
  redirected: ({ status }) => `el servicio redirige (${status})`,
  response_page: ({ text }) => `la respuesta es otra cosa: «${text}»`,
  refused_with_record: ({ status, id }) =>
    `el servicio respondió ${status}, pero con el registro: id ${id}`,
  response_with_error: ({ status, text }) =>
    `el servicio respondió ${status}, pero con un error: «${text}»`,
  response_not_json: ({ text }) => `la respuesta no es JSON: «${text}»`,
  response_not_object: ({ text }) =>
    `la respuesta no es un objeto JSON: ${quotedEs(text) ?? EMPTY}`,
  response_without_id: ({ name, text }) =>
    `la respuesta no tiene ${name}: ${quotedEs(text) ?? EMPTY}`,
  response_strange_id: ({ name, text }) =>
    `el ${name} de la respuesta no es válido: ${quotedEs(text) ?? EMPTY}`,
  response_of_another: ({ subject, id, text }) =>
    `la respuesta no es el registro ${quoted(subject)}: ${id === undefined ? (quotedEs(text) ?? EMPTY) : `tiene el id ${quoted(id)}`}`,
  response_misfit: ({ differences }) =>
    `la respuesta no coincide con lo enviado: ${differences.map(({ field, sent, stored }) => `${field} se envió como ${sent}, pero es ${stored}`).join('; ')}`,
  response_encoded: ({ encoding }) =>
    `la respuesta tiene la codificación ${encoding}, que proc no puede leer`,
  response_too_large: ({ mebibytes }) => `la respuesta supera ${mebibytes} MiB`,
  response_damaged: ({ encoding, cause }) =>
    `la respuesta no se puede descomprimir (${encoding}): ${cause}`,
  response_unreadable: ({ says }) => says,
  connection_broke: ({ cause }) =>
    `la conexión se cortó${cause === undefined ? '' : ` (${cause})`} antes de que la respuesta estuviera completa`,
  connect_timeout: () => 'se agotó el tiempo para conectar con el servicio',
  unreachable: ({ cause }) => `no se puede conectar con el servicio (${cause})`,
  no_response_within: ({ seconds }) => `sin respuesta completa en ${seconds} s`,
  interrupted: () => 'interrumpida',

  too_long: ({ limit }) => `supera ${limit}`,
  rows_too_long: ({ limit }) => `sus filas juntas superan ${limit}`,
  too_deep: ({ levels }) => `tiene más de ${levels} niveles`,
  too_many_fields: ({ count, most }) => `tiene ${count} campos; el máximo es ${most}`,
  cell_count: ({ cells, columns }) => `tiene ${cells} celdas, pero el encabezado tiene ${columns}`,
  nul: ({ character }) =>
    character === undefined
      ? 'contiene un carácter NUL (\\u0000)'
      : `contiene un NUL en el carácter ${character}`,
  half_character: () => 'contiene medio carácter (un escape suelto de \\ud800 a \\udfff)',
  not_utf8: ({ byte, character }) =>
    `no es texto UTF-8 (byte ${byte})${character === undefined ? '' : ` en el carácter ${character}`}`,
  not_utf16: ({ character }) =>
    `no es texto UTF-16 (medio carácter)${character === undefined ? '' : ` en el carácter ${character}`}`,
  quote_open: ({ within }) =>
    `se abre una comilla que no se cierra${within === undefined ? '' : ` dentro de ${within}`}`,
  text_after_quote: ({ cell }) =>
    `hay texto después de la comilla que cierra la celda ${cell}; una comilla dentro de una celda debe ir doble`,
  quote_joins_lines: ({ cell, lines }) =>
    `las comillas de la celda ${cell} unen ${lines} líneas que parecen filas; una comilla dentro de una celda debe ir doble`,
  element_missing: () => 'falta: no hay nada entre dos comas',
  not_json: () => 'no es JSON válido',
  not_object: ({ got }) => `debe ser un objeto JSON, no ${shownEs(got)}`,
  unreadable: () => 'no se puede leer',
  file_ends: ({ row }) =>
    row === undefined
      ? 'el archivo termina antes de que se cierre su lista'
      : `el archivo termina en medio de la fila ${row}`,
  file_ends_early: () => 'el archivo termina antes de tiempo',
  gzip_cut: () => 'los datos gzip terminan antes de tiempo',
  gzip_damaged: () => 'los datos gzip están dañados desde aquí',
  after_array: ({ problem }) =>
    `${sentence(problem, 'es')} (después de la lista, cuyas filas se leyeron)`,
  text_after_document: () => 'hay más texto después del final del documento JSON',
  invalid_json: ({ problem }) => `JSON no válido: ${sentence(problem, 'es')}`,
  json_expected: ({ expected, found }) =>
    `se esperaba ${quoted(expected)} y se encontró ${quoted(found)}`,
  json_many_fields: ({ most }) => `más de ${most} campos`,
  json_name_open: () => 'un nombre de campo no tiene comilla de cierre',
  json_name_invalid: () => 'un nombre de campo contiene un carácter que JSON no permite',

  required_empty: () => 'es obligatorio, pero está vacío',
  all_empty: () => 'todas las columnas asignadas están vacías',
  column_empty: ({ column }) => `la columna ${quoted(column)} está vacía`,
  fill_lost: () => 'está vacío, y una fila anterior no se puede leer',
  not_text: ({ got }) => `debe ser texto, no ${shownEs(got)}`,
  column_not_text: ({ column, got }) =>
    `columna ${quoted(column)}: debe ser texto, no ${shownEs(got)}`,
  expression_failed: ({ says }) => says,
  not_number: ({ got, isWhole, like, decimal }) =>
    `debe ser ${isWhole ? 'un número entero' : 'un número'}${like ? ` como ${isWhole ? '12' : exampleWith(decimal)}` : ''}, no ${shownEs(got)}`,
  currency_differs: ({ text, field, currency }) =>
    `la celda dice ${text}, pero el campo ${field} de la fila es ${currency}`,
  not_number_with: ({ got, decimal }) =>
    `debe ser un número como ${exampleWith(decimal)} (--decimal ${decimal}), no ${shownEs(got)}`,
  number_if: ({ got, decimal }) =>
    `debe ser un número como 1234.5, no ${shownEs(got)}; si ${decimal === ',' ? 'las comas' : 'los puntos'} son decimales, agregue --decimal ${decimal}`,
  number_unclear: ({ text, grouped, divided, isMixed }) =>
    `${quoted(text)} puede ser ${grouped} o ${divided}${isMixed ? ', y la columna tiene los dos separadores decimales (--allow mixed-marks)' : '; escriba uno de los dos, o elija con --decimal , o --decimal .'}`,
  number_rounded: ({ number }) => `el número ${number} se redondearía`,
  whole_too_large: ({ most, got }) => `debe ser un número entero de ${most} como máximo, no ${got}`,
  cell_error: ({ error }) =>
    `la celda contiene el error de hoja de cálculo ${error} (--allow error-values)`,
  placeholder: ({ text }) => `${quoted(text)} indica un valor que falta (--allow error-values)`,
  invisible: ({ kind, character }) =>
    `contiene el carácter de ${INVISIBLE_ES[kind]} ${character} (--allow invisible)`,
  digits_lost: ({ text }) =>
    `${text} es un número largo que una hoja de cálculo acortó: se perdieron dígitos`,
  formula: ({ text }) =>
    `${quoted(text)} es una fórmula o tiene una marca de una hoja de cálculo, no es un código (--allow formula-codes)`,
  total: ({ text }) => `parece un total: ${quoted(text)} (--allow non-data)`,
  footer: ({ text }) => `parece un pie de página: ${quoted(text)} (--allow non-data)`,
  sum_of_rows: () => 'es la suma de las filas anteriores, sin referencia (--allow non-data)',
  repeated_header: () => 'repite el encabezado (--allow non-data)',
  rule: () => 'solo contiene líneas (--allow non-data)',
  units: () => 'contiene unidades o tipos en lugar de valores (--allow non-data)',
  item_without_name: () =>
    'está vacío; proc no envía artículos sin nombre, porque no se pueden eliminar (--allow missing)',
  imputation_without_amount: () =>
    'falta, y las imputaciones no se pueden eliminar (--allow missing)',
  imputation_without_order: () =>
    'no tiene orden ni contrato, y las imputaciones no se pueden eliminar (--allow missing)',
  no_key: ({ key }) =>
    `no tiene ${fieldName(key, 'es')}, así que otra importación no podría reconocerla (--allow missing, --no-code name)`,
  no_key_or_name: ({ key, name }) =>
    `no tiene ni ${fieldName(key, 'es')} ni ${fieldName(name, 'es')}`,
  not_sendable: () => 'esta fila no se puede enviar',
  reference_unknown: ({ kind, form, text, near }) => {
    const none =
      form === undefined
        ? `${quoted(text)}: ${UNKNOWN.es[kind]}`
        : `${NONE_ES[kind]} tiene ${form} ${quoted(text)}`;
    return near === undefined ? none : `${none}; ${nearEs(near)}`;
  },
  reference_ambiguous: ({ text, count, rows, forms }) =>
    `${quoted(text)} coincide con ${count} registros: ${some(rows, count)}; use uno de: ${forms.join(' o ')}`,
  reference_form: ({ text, kind, form, forms }) =>
    `${show(text)}: ${kind} no tiene ${form}; use uno de: ${forms.map((one) => `${one}=…`).join(', ')}`,
  reference_empty: ({ text }) => `${text} no tiene valor`,
  reference_without: ({ kind, text, property }) => `${kind} ${quoted(text)} no tiene ${property}`,
  referred_without: ({ reference, property }) => `el registro de ${reference} no tiene ${property}`,
  both_given: ({ one, other }) => `se dan ${one} y ${other} a la vez`,
  of_row: ({ problem }) => sentence(problem, 'es'),
  rows_differ: ({ values }) =>
    `difiere: ${values.map(({ value, place }) => `${value} en ${placeText(place, 'es')}`).join(', ')}`,
  line_without_item: () => 'necesita item.code, item.id o item.name',
  other_run: ({ run, repaired }) =>
    `es de la importación ${run}, pero las filas anteriores son de la importación ${repaired}; importe las filas de una sola importación a la vez`,
  no_row_number: ({ run }) =>
    `no es un número de fila de la importación ${run}; restaure el valor original`,
  unchanged: ({ problem }) =>
    `no ha cambiado desde que se rechazó (${sentence(problem, 'es')}); corrija sus celdas. Si están bien, vacíe la columna _raw`,

  same_as: ({ row }) => `igual que la fila ${row}`,
  same_key: ({ row }) => `tiene la misma clave que la fila ${row}`,
  sent_before: ({ by, outcome }) =>
    `ya enviada por ${sentByEs(by)}${outcome === 'created' ? '' : outcome === 'dropped' ? ' y abandonada' : ', donde está sin confirmar'}`,
  dropped_in: ({ by }) => `abandonada en ${sentByEs(by)}`,
  items_in_place: ({ problem }) => `${sentence(problem, 'es')} (--items-in-place)`,
  item_defined_again: ({ lines, code }) =>
    `${lines} líneas definen ${show(code)}, y cada una crearía su propio artículo`,
  items_with_code: ({ count, code, items }) =>
    `${count} artículos tienen el código ${show(code)}: ${some(
      items.map(({ id, name }) => `${id} (${name ?? 'sin nombre'})`),
      count,
    )}; use el itemId de uno de ellos`,
  item_is_another: ({ code, id, name, sent }) =>
    `${show(code)} es ${name === undefined ? 'un artículo sin nombre' : show(name)} (${id}) en el catálogo, no ${show(sent)}`,
  item_id_differs: ({ code, id, given }) =>
    `${show(code)} es el código de ${id}, pero itemId es ${given}`,

  stopped_while_sent: () => 'la importación se detuvo mientras se enviaba esta fila',
  no_response: () => 'sin respuesta',
  unproved: ({ problem }) =>
    `${problem === undefined ? '' : `${sentence(problem, 'es')}; `}la respuesta puede ser de otra fila`,
  other_response: ({ code }) => `el servicio devolvió la respuesta de otra fila, ${code}`,
  other_code: ({ code }) => `el servicio devolvió el código ${code}`,
  id_of_row: ({ id, row }) => `el servicio devolvió el id ${id} de la fila ${row}`,
  id_taken: ({ id, row }) =>
    `el servicio devolvió el id ${id}, que ya tiene ${row === undefined ? 'un registro anterior' : `la fila ${row}`}`,
  id_given_again: ({ id, row }) => `el servicio devolvió el id ${id} también para la fila ${row}`,
  id_listed_again: ({ id, row }) => `la lista tiene el id ${id} también para la fila ${row}`,
  not_looked_up: ({ said, because }) =>
    `${sentence(said, 'es')}; no se puede averiguar buscándola: ${sentence(because, 'es')}`,
  key_taken: ({ key, because }) =>
    `su ${fieldName(key, 'es')} ya existe (409), pero ${sentence(because, 'es')}`,
  never_created: ({ tries, said }) =>
    `se envió ${tries} veces y nunca se creó: ${sentence(said, 'es')}`,
  not_listed: () => 'el servicio no puede listar los registros creados',
  nothing_to_look_up: ({ key }) => `no hay ${fieldName(key, 'es')} que buscar`,
  unknown_before: () => 'proc no sabe qué registros existían antes de la importación',
  stored_otherwise: ({ key }) =>
    `el servicio guarda un valor de ${fieldName(key, 'es')} distinto del enviado`,
  list_incomplete: () => 'la lista puede estar incompleta',
  created_missing: ({ count, key, rows }) =>
    `${count === 1 ? '1 fila creada falta en la lista o tiene' : `${count} filas creadas faltan en la lista o tienen`} allí otro valor de ${fieldName(key, 'es')}: ${some(rows.map(named), count)}`,
  similar_key: ({ key, record }) =>
    `un registro tiene un valor parecido de ${fieldName(key, 'es')}: ${named(record)}`,
  no_record: ({ isAccepted, mayHaveOtherKey }) =>
    `ningún registro tiene su clave${isAccepted ? ', pero el servicio la aceptó (202)' : ''}${mayHaveOtherKey ? ', pero es posible que el servicio haya creado la fila con otra clave' : ''}`,
  key_of_others: ({ id }) => `${id}, creado por otros, tiene su clave`,
  records_with_key: ({ count, ids, sharing }) =>
    `${count === 1 ? '1 registro nuevo tiene' : `${count} registros nuevos tienen`} su clave (${ids.join(', ')})${sharing === 1 ? '' : `, y la comparten ${sharing} filas sin confirmar`}`,
  strangers: ({ count, ids }) =>
    count === 1
      ? `la lista tiene 1 registro nuevo de origen desconocido (${some(ids, count)}), que puede ser esta fila con otro código o nombre`
      : `la lista tiene ${count} registros nuevos de origen desconocido (${some(ids, count)}); uno de ellos puede ser esta fila con otro código o nombre`,
};

const UNKNOWN = {
  en: {
    order: 'no order has this code or id',
    item: 'no item has this code or id',
    sector: 'no sector has this id, key or name',
  },
  es: {
    order: 'ninguna orden tiene este código o id',
    item: 'ningún artículo tiene este código o id',
    sector: 'ningún rubro tiene este id, clave o nombre',
  },
} as const;

const NONE_ES = {
  order: 'ninguna orden',
  item: 'ningún artículo',
  sector: 'ningún rubro',
} as const;

const INVISIBLE_ES = {
  control: 'control',
  replacement: 'reemplazo',
  'zero-width': 'ancho cero',
} as const;

const EMPTY = 'está vacía';

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

function nearEs({ extent, count, compared, rows }: Near): string {
  const near = rows.join(', ');
  if (extent === 'searched') return `los más parecidos: ${near}`;
  if (count === 0) return `la lista ${extent === 'whole' ? 'está' : 'parece'} vacía`;
  const doubt = extent === 'part' ? ' (la lista puede estar incompleta)' : '';
  const read = extent === 'part' ? (count === 1 ? ' que se leyó' : ' que se leyeron') : '';
  if (count === 1)
    return `el único que ${read === '' ? 'hay' : 'se leyó'}${near === '' ? ' no se parece' : ''}${doubt}${near === '' ? '' : `: ${near}`}`;
  const which =
    compared === undefined ? `los ${count}${read}` : `los primeros ${compared} de ${count}`;
  return near === ''
    ? `ninguno de ${which} se parece${doubt}`
    : `los más parecidos de ${compared === undefined ? `${count}${read}` : which}${doubt}: ${near}`;
}

/** `run 20260301-093000-1a2b`, or the command in the history */
export function sentByText({ run, entry }: SentBy, lang: Lang = 'en'): string {
  if (lang === 'es') return sentByEs({ run, entry });
  return run === undefined ? `the command ${entry} in the history` : `run ${run}`;
}

function sentByEs({ run, entry }: SentBy): string {
  return run === undefined ? `el comando ${entry} del historial` : `la importación ${run}`;
}

function decimalHint(decimal: DecimalMark): string {
  return `if ${decimal === ',' ? 'commas' : 'points'} are decimals, add --decimal ${decimal}`;
}

function exampleWith(decimal: DecimalMark | undefined): string {
  if (decimal === undefined) return '1234.5';
  return decimal === ',' ? '1.234,5' : '1,234.5';
}

function shownEs(value: Shown): string {
  if (typeof value === 'string') return value;
  if (!('elements' in value)) return 'un objeto';
  return value.elements === 0 ? 'una lista vacía' : `una lista de ${value.elements}`;
}

/** The types of zod, as the schemas of the contract use them. */
const TYPES_ES: Readonly<Record<string, string>> = {
  int: 'un número entero',
  number: 'un número',
  string: 'texto',
  boolean: 'verdadero o falso',
  array: 'una lista',
  object: 'un objeto',
};

function typeEs(expected: string): string {
  return TYPES_ES[expected] ?? expected;
}

function quotedEs(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `«${text}»`;
}

const PLACES = {
  en: {
    row: 'row',
    line: 'line',
    column: 'column',
    inRecord: (character: number) => `character ${character} of the record`,
  },
  es: {
    row: 'fila',
    line: 'línea',
    column: 'columna',
    inRecord: (character: number) => `carácter ${character} del registro`,
  },
} as const;

/** `items.json, line 3, column 5`, `row 7, line 8`; empty if nothing of it is known. */
function placeText({ file, row, line, column }: ProblemPlace, lang: Lang = 'en'): string {
  const words = PLACES[lang];
  const parts = [
    file,
    ...Object.entries({ row, line, column }).map(([name, number]) =>
      number === undefined ? undefined : `${words[name as 'row']} ${number}`,
    ),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function innerPlaces({ inRecord, header, expression }: ProblemPlace, lang: Lang): string[] {
  const words = PLACES[lang];
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

const SENTENCES: Readonly<Record<Lang, Sentences>> = { en, es };

/** Whether a value that was read from a file is a problem, with all arguments that its sentence needs. */
export function isProblem(value: unknown): value is Problem {
  if (!isObject(value) || !Object.hasOwn(en, String(value.code))) return false;
  try {
    return isObject(value.args) && sentence(value as Problem) !== '';
  } catch {
    return false;
  }
}

/**
 * E.g. `items.csv, line 3: has 2 cells, but the header has 5`, or `code: column "SKU": is required, but empty`. Texts
 * of the service are quoted in Spanish, and never translated.
 */
export function sentence(problem: Problem, lang: Lang = 'en'): string {
  const { code, field, args, place = {}, also = [] } = problem;
  const { header, path, ...inner } = place;
  // The column of a row says more than the field that it fills.
  const isCell = header !== undefined && place.row !== undefined;
  const at = placeText(place, lang);
  const outer = isCell ? `${at}, ${PLACES[lang].column} ${quoted(header)}` : at;
  const text = (SENTENCES[lang][code] as (args: ProblemArgs[ProblemCode]) => string)(args);
  const isSaid =
    code === 'service_says' && lang === 'en' && (header ?? path ?? place.row) !== undefined;
  const own = [
    ...(outer === '' ? [] : [outer]),
    ...(path === undefined ? [] : [path]),
    ...(field === undefined || isCell || path !== undefined ? [] : [fieldName(field, lang)]),
    ...innerPlaces(isCell ? inner : place, lang),
    isSaid ? `the service says “${text}”` : text,
  ].join(': ');
  return [own, ...also.map((one) => sentence(one, lang))].join('; ');
}

/** The sentence of a problem of a row, which names the row. */
export function rowSentence({ row, line, reason }: RowWithReason, lang: Lang = 'en'): string {
  const text = sentence(reason, lang);
  return reason.place?.row === undefined && reason.place?.file === undefined
    ? `${placeText({ row, line: line ?? undefined }, lang)}: ${text}`
    : text;
}

/** The same in each language. */
export function rowPhrase(row: RowWithReason): Said {
  return inEach((lang) => rowSentence(row, lang));
}

interface RowWithReason {
  readonly row: number;
  readonly line?: number | null | undefined;
  readonly reason: Problem;
}

/** The sentence in each language. */
export function sentencePhrase(problem: Problem): Said {
  return inEach((lang) => sentence(problem, lang));
}

export function sentenceIn(stored: StoredProblem, lang?: Lang): string;
export function sentenceIn(stored: StoredProblem | null, lang?: Lang): string | null;
export function sentenceIn(stored: StoredProblem | null, lang?: Lang): string | null {
  return stored === null ? null : sentence(problemIn(stored), lang);
}
