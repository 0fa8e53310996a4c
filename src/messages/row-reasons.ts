import type { Lang } from '../core/text/phrase.ts';

type Rules = readonly (readonly [RegExp, string])[];

/** A number, or `…` if the rows of a group have different numbers. */
const N = '(\\d+|…)';

const VALUES: Rules = [
  [/is required, but empty$/, 'es obligatorio, pero está vacío'],
  [/is required \((.+)\)$/, 'es obligatorio ($1)'],
  [/is required: one of (.+)$/, 'es obligatorio: uno de $1'],
  [/must be one of (.+), got (.+)$/, 'debe ser uno de $1, no $2'],
  [/must be text, got (.+)$/, 'debe ser texto, no $1'],
  [/must be a JSON object, got (.+)$/, 'debe ser un objeto JSON, no $1'],
  [
    /must be a whole number of at most (\S+), got (.+)$/,
    'debe ser un número entero de $1 como máximo, no $2',
  ],
  [/must be a whole number like 12, got (.+)$/, 'debe ser un número entero como 12, no $1'],
  [
    /must be a number like (\S+), got (.+); if commas are decimals, add --decimal ,$/,
    'debe ser un número como $1, no $2; si las comas son decimales, añada --decimal ,',
  ],
  [
    /must be a number like (\S+), got (.+); if points are decimals, add --decimal \.$/,
    'debe ser un número como $1, no $2; si los puntos son decimales, añada --decimal .',
  ],
  [/must be a number like (\S+( \(.+\))?), got (.+)$/, 'debe ser un número como $1, no $3'],
  [/must be greater than (\S+), got (.+)$/, 'debe ser mayor que $1, no $2'],
  [/must be less than (\S+), got (.+)$/, 'debe ser menor que $1, no $2'],
  [/must be at least (\S+), got (.+)$/, 'debe ser $1 como mínimo, no $2'],
  [/must be at most (\S+), got (.+)$/, 'debe ser $1 como máximo, no $2'],
  [/must have at least 1 element, got (.+)$/, 'debe tener al menos 1 elemento, no $1'],
  [/must have at least (\S+) elements, got (.+)$/, 'debe tener al menos $1 elementos, no $2'],
  [/must be (an? [\w ]+), got (.+)$/, 'debe ser $1, no $2'],
  [
    /("[^"]+") may be (\S+) or (\S+); write one of them, or choose with --decimal , or --decimal \.$/,
    '$1 puede ser $2 o $3; escriba uno de los dos, o elija con --decimal , o --decimal .',
  ],
  [
    /("[^"]+") may be (\S+) or (\S+), and the column has both decimal separators \(--allow mixed-marks\)$/,
    '$1 puede ser $2 o $3, y la columna tiene los dos separadores decimales (--allow mixed-marks)',
  ],
  [
    /the number (\S+) would be rounded; write it as text if its digits matter$/,
    'el número $1 se redondearía; escríbalo como texto si sus dígitos importan',
  ],
  [/the number (\S+) would be rounded$/, 'el número $1 se redondearía'],
  [
    /(\S+) is a long number that a spreadsheet shortened: (?:some|its other) digits are lost$/,
    '$1 es un número largo que una hoja de cálculo acortó: se perdieron dígitos',
  ],
  [
    /the cell contains the spreadsheet error (.+) \(--allow error-values\)$/,
    'la celda contiene el error de hoja de cálculo $1 (--allow error-values)',
  ],
  [
    /("(?:[^"\\]|\\.)*") stands for a missing value \(--allow error-values\)$/,
    '$1 indica un valor que falta (--allow error-values)',
  ],
  [
    /contains the replacement character (\S+) \(--allow invisible\)$/,
    'contiene el carácter de reemplazo $1 (--allow invisible)',
  ],
  [
    /("(?:[^"\\]|\\.)*") is a formula or has a mark of a spreadsheet, not a code \(--allow formula-codes\)$/,
    '$1 es una fórmula o tiene una marca de una hoja de cálculo, no es un código (--allow formula-codes)',
  ],
  [/looks like a total: (.+) \(--allow non-data\)$/, 'parece un total: $1 (--allow non-data)'],
  [
    /looks like a footer: (.+) \(--allow non-data\)$/,
    'parece un pie de página: $1 (--allow non-data)',
  ],
  [
    /is the sum of the rows above, without a reference \(--allow non-data\)$/,
    'es la suma de las filas anteriores, sin referencia (--allow non-data)',
  ],
  [/repeats the header \(--allow non-data\)$/, 'repite el encabezado (--allow non-data)'],
  [/contains only lines \(--allow non-data\)$/, 'solo contiene líneas (--allow non-data)'],
  [
    /contains units or types instead of values \(--allow non-data\)$/,
    'contiene unidades o tipos en lugar de valores (--allow non-data)',
  ],
  [
    /is missing, and imputations cannot be deleted \(--allow missing\)$/,
    'falta, y las imputaciones no se pueden eliminar (--allow missing)',
  ],
  [
    /has neither order nor contract, and imputations cannot be deleted \(--allow missing\)$/,
    'no tiene orden ni contrato, y las imputaciones no se pueden eliminar (--allow missing)',
  ],
  [
    /is empty, and a row above it cannot be read$/,
    'está vacío, y una fila anterior no se puede leer',
  ],
  [
    /contains the control character (\S+) \(--allow invisible\)$/,
    'contiene el carácter de control $1 (--allow invisible)',
  ],
  [
    /contains the zero-width character (\S+) \(--allow invisible\)$/,
    'contiene el carácter de ancho cero $1 (--allow invisible)',
  ],
  [/\ban empty array$/, 'una lista vacía'],
  [/\ban array of (\d+)$/, 'una lista de $1'],
  [/\ban array\b/, 'una lista'],
  [/\ban object\b/, 'un objeto'],
  [/\ba string\b/, 'texto'],
  [/\ba boolean\b/, 'verdadero o falso'],
  [/\ba whole number\b/, 'un número entero'],
  [/\ba number\b/, 'un número'],
];

const READING: Rules = [
  [/has (\S+) cells?, but the header has (\S+)$/, 'tiene $1 celdas, pero el encabezado tiene $2'],
  [/has (\S+) fields; the maximum is (\S+)$/, 'tiene $1 campos; el máximo es $2'],
  [/contains a NUL at character (\S+)$/, 'contiene un NUL en el carácter $1'],
  [/contains a NUL character (\(.+\))$/, 'contiene un carácter NUL $1'],
  [
    /contains half a character \(a lone (\S+) to (\S+) escape\)$/,
    'contiene medio carácter (un escape suelto de $1 a $2)',
  ],
  [/is not UTF-8 text \(byte (\S+)\)/, 'no es texto UTF-8 (byte $1)'],
  [/is not UTF-16 text \(half a character\)/, 'no es texto UTF-16 (medio carácter)'],
  [/ at character (\S+)$/, ' en el carácter $1'],
  [/its rows together are longer than (.+)$/, 'sus filas juntas superan $1'],
  [/is longer than (.+)$/, 'supera $1'],
  [/is nested deeper than (\S+) levels$/, 'tiene más de $1 niveles'],
  [/nested deeper than (\S+) levels$/, 'más de $1 niveles'],
  [/a quote is opened but never closed$/, 'se abre una comilla que no se cierra'],
  [
    /a quote is opened but not closed within (.+)$/,
    'se abre una comilla que no se cierra dentro de $1',
  ],
  [
    /text follows a closing quote in cell (\S+); a quote inside a cell must be doubled$/,
    'hay texto después de la comilla que cierra la celda $1; una comilla dentro de una celda debe ir doble',
  ],
  [/is missing: there is nothing between two commas$/, 'falta: no hay nada entre dos comas'],
  [/is not valid JSON$/, 'no es JSON válido'],
  [/cannot be read$/, 'no se puede leer'],
  [
    /trailing comma: expected another field before "}"$/,
    'coma final: se esperaba otro campo antes de "}"',
  ],
  [
    /trailing comma: expected another value before "]"$/,
    'coma final: se esperaba otro valor antes de "]"',
  ],
  [
    /expected a field name in double quotes$/,
    'se esperaba un nombre de campo entre comillas dobles',
  ],
  [/duplicate field (".*")$/, 'campo repetido $1'],
  [/expected ":" after the field name$/, 'se esperaba ":" después del nombre del campo'],
  [/expected "," or "([}\]])"$/, 'se esperaba "," o "$1"'],
  [/expected a value, found the end$/, 'se esperaba un valor y se encontró el final'],
  [/expected a value, found (.+)$/, 'se esperaba un valor y se encontró $1'],
  [/expected the end, found more text$/, 'se esperaba el final y hay más texto'],
  [/this text in quotes is not closed$/, 'este texto entre comillas no se cierra'],
  [
    /this quoted text contains a line break, a control character or an invalid escape$/,
    'este texto entre comillas contiene un salto de línea, un carácter de control o un escape no válido',
  ],
  [
    /the file ends before its array is closed/,
    'el archivo termina antes de que se cierre su lista',
  ],
  [/the file ends in the middle of row (\S+)/, 'el archivo termina en medio de la fila $1'],
  [/the file ends too early/, 'el archivo termina antes de tiempo'],
  [/ \(after the array, whose rows were read\)$/, ' (después de la lista, cuyas filas se leyeron)'],
  [
    /more text follows the end of the JSON document$/,
    'hay más texto después del final del documento JSON',
  ],
  [/the gzip data ends too early/, 'los datos gzip terminan antes de tiempo'],
  [/the gzip data is damaged from here/, 'los datos gzip están dañados desde aquí'],
  [new RegExp(`, line ${N}, column ${N}(?=[:,])`), ', línea $1, columna $2'],
  [new RegExp(`^line ${N}(?=[:,])`), 'línea $1'],
  [new RegExp(`\\bcharacter ${N} of the record`), 'carácter $1 del registro'],
];

const ROWS: Rules = [
  [/^the same as row (\d+)$/, 'igual que la fila $1'],
  [/^has the same key as row (\d+)$/, 'tiene la misma clave que la fila $1'],
  [/ \(organization not recorded\)/, ' (organización no registrada)'],
  [
    /^(already sent|dropped) (?:by|in) the command (\S+) in the history/,
    '$1: comando $2 del historial',
  ],
  [/^(already sent|dropped) (?:by|in) run (\S+)/, '$1: importación $2'],
  [/^already sent: comando/, 'ya enviada por el comando'],
  [/^already sent: importación/, 'ya enviada por la importación'],
  [/^dropped: comando/, 'abandonada en el comando'],
  [/^dropped: importación/, 'abandonada en la importación'],
  [/, where it is unconfirmed$/, ', donde está sin confirmar'],
  [/ and dropped$/, ' y abandonada'],
  [/column ("(?:[^"\\]|\\.)*") is empty$/, 'la columna $1 está vacía'],
  [/\bcolumn ("(?:[^"\\]|\\.)*"):? /, 'columna $1: '],
  [/^all mapped columns are empty$/, 'todas las columnas asignadas están vacías'],
  [/^this row cannot be sent$/, 'esta fila no se puede enviar'],
  [
    /has no (\S+), so a second import could not recogni[sz]e it \(--allow missing, --no-code name\)$/,
    'no tiene $1, así que otra importación no podría reconocerla (--allow missing, --no-code name)',
  ],
  [
    /is empty; proc does not send items without a name, because items cannot be deleted \(--allow missing\)$/,
    'está vacío; proc no envía artículos sin nombre, porque no se pueden eliminar (--allow missing)',
  ],
  [
    /is empty, and an? \w+ cannot be deleted \(--allow missing\)$/,
    'está vacío, y un artículo no se puede eliminar (--allow missing)',
  ],
  [/has neither (\S+) nor (\S+)$/, 'no tiene ni $1 ni $2'],
  [
    /is not a row number of run (\S+); restore the original value$/,
    'no es un número de fila de la importación $1; restaure el valor original',
  ],
  [
    /is not a row number of that run; restore the original value$/,
    'no es un número de fila de esa importación; restaure el valor original',
  ],
  [
    /belongs to run (\S+), but the rows before it belong to run (\S+); import the rows of one run at a time$/,
    'es de la importación $1, pero las filas anteriores son de la importación $2; importe las filas de una sola importación a la vez',
  ],
  [/needs (\S+), (\S+) or (\S+)$/, 'necesita $1, $2 o $3'],
  [/^(\S+) differs: (.+) in (row .+), (.+) in (row .+)$/, '$1 difiere: $2 en $3, $4 en $5'],
  [new RegExp(`\\brow ${N}, line ${N}`, 'g'), 'fila $1, línea $2'],
  [new RegExp(`(^|, | en )row ${N}`, 'g'), '$1fila $2'],
  [new RegExp(`, line ${N}(?=[:,])`), ', línea $1'],
];

const NOUNS: Readonly<Record<string, string>> = {
  order: 'ninguna orden',
  item: 'ningún artículo',
  sector: 'ningún rubro',
  address: 'ninguna dirección',
};

const REFERENCES: Rules = [
  [/; nearest of all (\d+) \w+: (.+)$/, '; los más parecidos de $1: $2'],
  [/; nearest of the only row of \w+: (.+)$/, '; el único que hay: $1'],
  [
    /; nearest of the first (\d+) of (\d+) \w+: (.+)$/,
    '; los más parecidos de los primeros $1 de $2: $3',
  ],
  [/; nearest \w+: (.+)$/, '; los más parecidos: $1'],
  [/; none of all (\d+) \w+ is similar$/, '; ninguno de los $1 se parece'],
  [/; none of the only row of \w+ is similar$/, '; el único que hay no se parece'],
  [
    /; none of the first (\d+) of (\d+) \w+ is similar$/,
    '; ninguno de los primeros $1 de $2 se parece',
  ],
  [/; the list of \w+ is empty$/, '; la lista está vacía'],
  [/no order has this code or id(?=; |$)/, 'ninguna orden tiene este código o id'],
  [/no item has this code or id(?=; |$)/, 'ningún artículo tiene este código o id'],
  [/no sector has this id, key or name(?=; |$)/, 'ningún rubro tiene este id, clave o nombre'],
  [
    /no address has this alias on this machine \(proc addresses alias\)$/,
    'ninguna dirección tiene este alias en este equipo (proc addresses alias)',
  ],
  ...Object.entries(NOUNS).map(
    ([noun, spanish]) =>
      [new RegExp(`no ${noun} has the (\\S+) (".*?")(?=; |$)`), `${spanish} tiene $1 $2`] as const,
  ),
  [
    / matches (\S+) entries: (.+); use one of: (.+)$/,
    ' coincide con $1 registros: $2; use uno de: $3',
  ],
  [/(\buse uno de: .+) or (.+)$/, '$1 o $2'],
  [/both (\S+) and (\S+) are given$/, 'se dan $1 y $2 a la vez'],
  [/the (\S+) has no (\S+)$/, 'el registro de $1 no tiene $2'],
  [/^(\S+: )?(order|item|sector|address) (".*") has no (\S+)$/, '$1$2 $3 no tiene $4'],
  [/: an? (\S+) has no (\S+); Use one of: (.+)$/, ': $1 no tiene $2; use uno de: $3'],
  [/ has no value$/, ' no tiene valor'],
  [/ \(and 1 more problem\)/, ' (y 1 problema más)'],
  [/ \(and (\d+) more problems\)/, ' (y $1 problemas más)'],
  [
    /(\d+) lines define (".*"), and each would create its own item/,
    '$1 líneas definen $2, y cada una crearía su propio artículo',
  ],
  [
    /(\d+) items have the code (".*"): (.+); use the itemId of one of them/,
    '$1 artículos tienen el código $2: $3; use el itemId de uno de ellos',
  ],
  [
    / is an item without a name (\(.+\)) in the catalogue, not /,
    ' es un artículo sin nombre $1 en el catálogo, no ',
  ],
  [/ is (".*") (\(.+\)) in the catalogue, not /, ' es $1 $2 en el catálogo, no '],
  [/ is the code of (\S+), but itemId is (\S+)/, ' es el código de $1, pero itemId es $2'],
];

const OWN: Rules = [...ROWS, ...READING, ...REFERENCES, ...VALUES];

const REQUESTS: Rules = [
  [/^the service returned (\d+): (.+)$/s, 'el servicio respondió $1: «$2»'],
  [/^the service returned (\d+)$/, 'el servicio respondió $1'],
  [/^the service redirects \((\d+)\)$/, 'el servicio redirige ($1)'],
  [/^the response has no (\S+): it is empty$/, 'la respuesta no tiene $1: está vacía'],
  [/^the response has no (\S+): (.+)$/s, 'la respuesta no tiene $1: «$2»'],
  [/^the response is not a JSON object: (.+)$/s, 'la respuesta no es un objeto JSON: «$1»'],
  [
    /^the response (?:is encoded \((.+)\), although proc did not ask for that|has the encoding (.+), which proc did not request)$/,
    'la respuesta tiene la codificación $1$2, que proc no pidió',
  ],
  [
    /^the service (?:returned|gave) the response to another row, (.+)$/,
    'el servicio devolvió la respuesta de otra fila, $1',
  ],
  [/^the service (?:returned|gave) the code (.+)$/, 'el servicio devolvió el código $1'],
  [
    /^the service (?:returned|gave) the id of another row, (.+)$/,
    'el servicio devolvió el id de otra fila, $1',
  ],
  [
    /^the connection broke( \(\S+\))? before the response was complete$/,
    'la conexión se cortó$1 antes de que la respuesta estuviera completa',
  ],
  [/^connecting to the service timed out$/, 'se agotó el tiempo para conectar con el servicio'],
  [/^the service cannot be reached \((.+)\)$/, 'no se puede conectar con el servicio ($1)'],
  [/^no complete response within (\S+) s$/, 'sin respuesta completa en $1 s'],
  [/^no response$/, 'sin respuesta'],
  [/^the response may belong to another row$/, 'la respuesta puede ser de otra fila'],
  [
    /^the run was stopped while this row was being sent$/,
    'la importación se detuvo mientras se enviaba esta fila',
  ],
  [
    /^the service cannot list created records$/,
    'el servicio no puede listar los registros creados',
  ],
  [/^it has no (\S+) to look up$/, 'no tiene $1 con que buscarla'],
  [
    /^proc does not know which records existed before the run$/,
    'proc no sabe qué registros existían antes de la importación',
  ],
  [
    /^the service (?:changes every (\S+)|stores a (\S+) that differs from the one sent)$/,
    'el servicio guarda un valor de $1$2 distinto del enviado',
  ],
  [/^the list may be incomplete$/, 'la lista puede estar incompleta'],
  [
    /^1 created row is missing from the list, or has another (\S+) there: (.+)$/s,
    '1 fila creada falta en la lista o tiene allí otro valor de $1: $2',
  ],
  [
    /^(\d+) created rows are missing from the list, or have another (\S+) there: (.+)$/s,
    '$1 filas creadas faltan en la lista o tienen allí otro valor de $2: $3',
  ],
  [
    /^the list does not show 1 created row under the (\S+) that was sent: (.+)$/s,
    'la lista no muestra 1 fila creada con el valor de $1 que se envió: $2',
  ],
  [
    /^the list does not show (\d+) created rows under the (\S+) that was sent: (.+)$/s,
    'la lista no muestra $1 filas creadas con el valor de $2 que se envió: $3',
  ],
  [/^a record has a similar (\S+): (.+)$/s, 'un registro tiene un valor parecido de $1: $2'],
  [/^no record has its key$/, 'ningún registro tiene su clave'],
  [
    /^no record has its key, but the service may have created it under another key$/,
    'ningún registro tiene su clave, pero es posible que el servicio haya creado la fila con otra clave',
  ],
  [/^(\S+), which others created, has its key$/, '$1, creado por otros, tiene su clave'],
  [/^1 new record has its key (\(.+\))/, '1 registro nuevo tiene su clave $1'],
  [/^(\d+) new records have its key (\(.+\))/, '$1 registros nuevos tienen su clave $2'],
  [/, and (\d+) unconfirmed rows share it$/, ', y la comparten $1 filas sin confirmar'],
  [
    /^the list has 1 new record of unknown origin \((.+)\), which may be this row with a changed code or name$/,
    'la lista tiene 1 registro nuevo de origen desconocido ($1), que puede ser esta fila con otro código o nombre',
  ],
  [
    /^the list has (\d+) new records of unknown origin \((.+)\), one of which may be this row with a changed code or name$/,
    'la lista tiene $1 registros nuevos de origen desconocido ($2); uno de ellos puede ser esta fila con otro código o nombre',
  ],
];

const LOOK_UP = '; a look-up cannot tell: ';
const UNPROVED = '; the response may belong to another row';
const TAKEN = /^its (\S+) is taken \(409\), but (.+)$/s;
const UNCHANGED =
  /^is unchanged(?: since it was rejected)? \((.+)\); correct its cells(?:\. If they are right, empty the column _raw|, or empty the column _raw if they are right|; if they are right, empty the column _raw)$/s;
const NEVER_CREATED = /^sent (\d+) times and never created: (.+)$/s;

/**
 * Translates the reason of a row or of a wait. Runs, JSON and files keep the English text. Texts of
 * the service are quoted, not translated.
 *
 * @param status the HTTP status, if `reason` may be a text of the service
 */
export function reasonIn(lang: Lang, reason: string, status: number | null = null): string {
  return lang === 'en' ? reason : inSpanish(reason, status);
}

function inSpanish(reason: string, status: number | null): string {
  const [own = '', ...why] = reason.split(LOOK_UP);
  if (why.length > 0) {
    return `${inSpanish(own, status)}; no se puede averiguar buscándola: ${inSpanish(why.join(LOOK_UP), null)}`;
  }
  if (reason.endsWith(UNPROVED)) {
    const rest = reason.slice(0, -UNPROVED.length);
    return `${inSpanish(rest, status)}; la respuesta puede ser de otra fila`;
  }
  const [, field, because] = TAKEN.exec(reason) ?? [];
  if (because !== undefined) return `su ${field} ya existe (409), pero ${inSpanish(because, null)}`;
  const [, before] = UNCHANGED.exec(reason) ?? [];
  if (before !== undefined) {
    return `no ha cambiado desde que se rechazó (${inSpanish(before, null)}); corrija sus celdas. Si están bien, vacíe la columna _raw`;
  }
  const [, times, last] = NEVER_CREATED.exec(reason) ?? [];
  if (last !== undefined)
    return `se envió ${times} veces y nunca se creó: ${inSpanish(last, null)}`;
  const said = replaced(reason, REQUESTS);
  if (said !== reason) return said;
  return status === null ? replaced(reason, OWN) : `el servicio dice: «${reason}»`;
}

function replaced(text: string, rules: Rules): string {
  return rules.reduce((so, [english, spanish]) => so.replace(english, spanish), text);
}
