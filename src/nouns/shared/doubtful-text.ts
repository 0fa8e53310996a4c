/**
 * Errors that a cell with a failed formula shows after `#`, in English, Spanish and German.
 * LibreOffice also shows numbers: `Err:502`.
 */
const ERRORS = [
  ...['N/A', 'N/D', 'NA', 'REF!', 'VALUE!', 'VALOR!', 'NAME?', 'NOMBRE?', 'DIV/0!', 'NUM!'],
  ...['NULL!', 'NULO!', 'SPILL!', 'DESBORDAMIENTO!', 'CALC!', 'GETTING_DATA', 'BLOCKED!'],
  ...['BLOQUEADO!', 'CONNECT!', 'CONECTAR!', 'FIELD!', 'CAMPO!', 'UNKNOWN!', 'DESCONOCIDO!'],
  ...['BUSY!', 'OCUPADO!', 'PYTHON!', 'EXTERNAL!', 'TIMEOUT!'],
  ...['NV', 'BEZUG!', 'WERT!', 'ZAHL!', 'ÜBERLAUF!', 'UEBERLAUF!', 'KALK!', 'FELD!', 'UNBEKANNT!'],
  ...['BLOCKIERT!', 'VERBINDEN!', 'BESCHÄFTIGT!', 'DATEN_ABRUFEN', 'EXTERN!'],
].map((name) => name.replace('?', '\\?'));
/** A spreadsheet shows `#####` if a number does not fit its column. */
const ERROR = new RegExp(`^(?:#[¡¿]?(?:${ERRORS.join('|')})|#{5,}|(?:Err|Fehler):\\d{3})$`, 'i');

/** Finds the error that a spreadsheet shows instead of a value. */
export function spreadsheetError(value: string): string | undefined {
  const text = value.trim();
  // Every error begins with one of these characters, so most cells need no regular expression.
  if (!/^[#EeFf]/.test(text)) return undefined;
  return ERROR.test(text) ? text : undefined;
}

/** What people and programs write into a cell that has no value, in English, Spanish and German. */
const PLACEHOLDERS = [
  ...[
    'null',
    'nil',
    'none',
    'nan',
    'undefined',
    'n/a',
    'n\\.\\s?a\\.?',
    'n\\./a\\.',
    'na',
    '\\\\N',
  ],
  ...['unknown', 'not available', 'not applicable', 'tbd', 'tba', 'tbc'],
  ...['n/d', 's/d', 's/n', 's/c', 's\\.\\s?n\\.', 's\\.\\s?d\\.', 'nulo', 'ninguno', 'ninguna'],
  ...[
    'desconocido',
    'desconocida',
    'no aplica',
    'no disponible',
    'sin (?:c[óo]digo|nombre|dato|datos)',
  ],
  ...['sin (?:n[úu]mero|descripci[óo]n|especificar|asignar)', 'a (?:definir|confirmar)'],
  ...['k\\.\\s?a\\.', 'n\\.\\s?v\\.', 'unbekannt', 'keine?r?s?', 'keine angabe', 'nicht verfügbar'],
  ...['nicht zutreffend', 'ohne (?:code|nummer|name|bezeichnung)'],
  '[(<\\[](?:blank|empty|null|none|leer|vac[íi]o|vac[íi]a|en blanco|nulo|sin datos|unknown)[)>\\]]',
];
const PLACEHOLDER = new RegExp(`^(?:${PLACEHOLDERS.join('|')})$`, 'iu');
/** Nothing but punctuation, e.g. `-`, `?` or `***`. */
const NO_LETTER = /^[^\p{L}\p{N}]+$/u;

/** Finds a word or sign that stands for a missing code or name. */
export function placeholder(value: string): string | undefined {
  const text = value.trim();
  if (text === '' || text.length > 24) return undefined;
  return NO_LETTER.test(text) || PLACEHOLDER.test(text) ? text : undefined;
}

/** UTF-8 that was read as Windows-1252: `Ã©` for `é`, `â€œ` for a quote; also U+FFFD. */
const MOJIBAKE =
  /\u00c3[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac|\u00ef\u00bb\u00bf|\ufffd/;

export function mojibake(text: string): string | undefined {
  return MOJIBAKE.test(text) ? text : undefined;
}

const ENTITY =
  /&(?:[a-z]{1,2}(?:acute|grave|circ|tilde|uml|cedil|ring|slash)|amp|lt|gt|quot|apos|nbsp|szlig|deg|reg|copy|trade|euro|hellip|[lr]dquo|[lr]squo|[mn]dash|micro|frac\d\d|sup\d|#\d{2,6}|#x[\da-f]{2,6});/i;

export function htmlEntity(text: string): string | undefined {
  return text.includes('&') && ENTITY.test(text) ? text : undefined;
}
