import type { Lang } from '../core/text/phrase.ts';

/**
 * Spanish for the sentences with which proc rejects or skips a row, or waits. Runs, JSON and files keep
 * the English text. A sentence of the service, or of a file format, stays as it is.
 */
const SPANISH: readonly (readonly [RegExp, string])[] = [
  [/^the same as row (\d+)$/, 'igual que la fila $1'],
  [/^has the same key as row (\d+)$/, 'tiene la misma clave que la fila $1'],
  [/ \(organization not recorded\)/, ' (organización no registrada)'],
  [/^already sent by run (\S+)/, 'ya enviada por la importación $1'],
  [
    /^already sent by the command (\S+) in the history/,
    'ya enviada por el comando $1 del historial',
  ],
  [/, where it is unconfirmed$/, ', donde está sin confirmar'],
  [/ and dropped$/, ' y abandonada'],
  [/column ("(?:[^"\\]|\\.)*") is empty$/, 'la columna $1 está vacía'],
  [/\bcolumn ("(?:[^"\\]|\\.)*"):? /, 'columna $1: '],
  [
    /has no (\S+), so a second import could not recogni[sz]e it \(--no-code\)$/,
    'no tiene $1, así que otra importación no podría reconocerla (--no-code)',
  ],
  [
    /is empty; proc does not send items without a name, because items cannot be deleted \(--allow-nameless\)$/,
    'está vacío; proc no envía artículos sin nombre, porque no se pueden eliminar (--allow-nameless)',
  ],
  [
    /is empty, and an item cannot be deleted \(--allow-nameless\)$/,
    'está vacío, y un artículo no se puede eliminar (--allow-nameless)',
  ],
  [
    /the cell contains the spreadsheet error (.+) \(--allow-error-values\)$/,
    'la celda contiene el error de hoja de cálculo $1 (--allow-error-values)',
  ],
  [
    /contains the control character (\S+) \(--allow-invisible\)$/,
    'contiene el carácter de control $1 (--allow-invisible)',
  ],
  [
    /contains the zero-width character (\S+) \(--allow-invisible\)$/,
    'contiene el carácter de ancho cero $1 (--allow-invisible)',
  ],
  [/has neither (\S+) nor (\S+)$/, 'no tiene ni $1 ni $2'],
  [
    /is empty, and an? (\w+) cannot be deleted \(--allow-nameless\)$/,
    'está vacío, y un registro no se puede eliminar (--allow-nameless)',
  ],
  [/is required, but empty$/, 'es obligatorio, pero está vacío'],
  [/^all mapped columns are empty$/, 'todas las columnas asignadas están vacías'],
  [/is required \(a whole number\)$/, 'es obligatorio (un número entero)'],
  [/is required \(an? (\w+)\)$/, 'es obligatorio ($1)'],
  [/is required: one of (.+)$/, 'es obligatorio: uno de $1'],
  [/must be one of (.+), got (.+)$/, 'debe ser uno de $1, no $2'],
  [/must be text, got (.+)$/, 'debe ser texto, no $1'],
  [
    /must be a whole number of at most (\d+), got (.+)$/,
    'debe ser un número entero de $1 como máximo, no $2',
  ],
  [/must be a whole number like 12, got (.+)$/, 'debe ser un número entero como 12, no $1'],
  [/must be a whole number, got (.+)$/, 'debe ser un número entero, no $1'],
  [
    /must be a number like (\S+), got (.+); if commas are decimals, add --decimal ,$/,
    'debe ser un número como $1, no $2; si las comas son decimales, añada --decimal ,',
  ],
  [/must be a number like (\S+( \(.+\))?), got (.+)$/, 'debe ser un número como $1, no $3'],
  [/must be a number, got (.+)$/, 'debe ser un número, no $1'],
  [/must be greater than (\S+), got (.+)$/, 'debe ser mayor que $1, no $2'],
  [/must be at least (\S+), got (.+)$/, 'debe ser $1 como mínimo, no $2'],
  [/must be at most (\S+), got (.+)$/, 'debe ser $1 como máximo, no $2'],
  [
    /("[^"]+") may mean (\S+) or (\S+); choose with --decimal , or --decimal \.$/,
    '$1 puede ser $2 o $3; elija con --decimal , o --decimal .',
  ],
  [/the number (\S+) would be rounded$/, 'el número $1 se redondearía'],
  [/has (\d+) cells?, but the header has (\d+)$/, 'tiene $1 celdas, pero el encabezado tiene $2'],
  [/no order has this code or id$/, 'ninguna orden tiene este código o id'],
  [/no item has this code or id$/, 'ningún artículo tiene este código o id'],
  [/no sector has this id, key or name$/, 'ningún rubro tiene este id, clave o nombre'],
  [
    /no address has this alias on this machine \(proc addresses alias\)$/,
    'ninguna dirección tiene este alias en este equipo (proc addresses alias)',
  ],
  [/, line (\d+)(?=[:,])/, ', línea $1'],
  [/^the service answered (\d+)/, 'el servicio respondió $1'],
  [/^connecting to the service timed out$/, 'se agotó el tiempo para conectar con el servicio'],
  [/^the service cannot be reached \(/, 'no se puede conectar con el servicio ('],
  [/^no complete response within (\S+) s/, 'sin respuesta completa en $1 s'],
];

/** The reason of a row, or of a wait, as people read it. */
export function reasonIn(lang: Lang, reason: string): string {
  if (lang === 'en') return reason;
  return SPANISH.reduce((text, [english, spanish]) => text.replace(english, spanish), reason);
}
