import { isRawNumber } from '../../core/text/raw-number.ts';

const oneOf = (lines: string): string =>
  lines
    .trim()
    .split(/\s*\n\s*/)
    .join('|');

/**
 * Errors that a cell with a failed formula shows after `#`, in the languages of spreadsheets.
 * LibreOffice also shows numbers: `Err:502`.
 */
const ERRORS = oneOf(`
  N/A|NA|REF!|VALUE!|NAME\\?|DIV/0 ?!|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|BLOCKED!|CONNECT!|FIELD!|UNKNOWN!
  BUSY!|PYTHON!|EXTERNAL!|TIMEOUT!|OVERFLOW!
  N/D|VALOR!|NOMBRE\\?|NULO!|DESBORDAMIENTO!|BLOQUEADO!|CONECTAR!|CAMPO!|DESCONOCIDO!|OCUPADO!
  NV|BEZUG!|WERT!|ZAHL!|ÜBERLAUF!|UEBERLAUF!|KALK!|FELD!|UNBEKANNT!|BLOCKIERT!|VERBINDEN!|BESCHÄFTIGT!
  DATEN_ABRUFEN|EXTERN!
  VALEUR!|NOM\\?|NOMBRE!|NUL!|PROPAGATION!|CALCUL!|RIF!|VALORE!|NOME\\?|NULLO!|NÚM!|N[ÚU]M!|DISPERSIONE!|ESPARRAME!
  ARG!|ADR!|NAZWA\\?|LICZBA!|WAARDE!|VERW!|NAAM\\?|N/B|GETAL!|LEEG!|DEEL/0!
`);
/** A spreadsheet shows `#####` if a number does not fit its column. */
const ERROR = new RegExp(`^(?:#[¡¿]?(?:${ERRORS})|#{5,}|(?:Err|Fehler):\\d{3})$`, 'i');

/** Finds the error that a spreadsheet shows instead of a value. */
export function spreadsheetError(value: string): string | undefined {
  const text = value.trim();
  // Every error begins with one of these characters, so most cells need no regular expression.
  if (!/^[#EeFf]/.test(text)) return undefined;
  return ERROR.test(text) ? text : undefined;
}

/** What people and programs write into a cell that has no value. */
const PLACEHOLDERS = oneOf(`
  null|nil|none|nan|undefined|n[/\\\\]a|n\\.\\s?[adv]\\.?|n\\./a\\.|na|\\\\N|n/v|unknown|empty|x{3,}
  not available|not applicable|tbd|tba|tbc|\\[object object\\]|undefined undefined|#n/a #n/a
  n/d|s/d|s/n|s/c|s\\.\\s?n\\.|s\\.\\s?d\\.|nulo|ningun[oa]|desconocid[oa]|no aplica|no disponible|vac[íi]o
  sin (?:c[óo]digo|nombre|datos?|n[úu]mero|descripci[óo]n|especificar|asignar)|(?:a|por) (?:definir|confirmar)
  k\\.\\s?a\\.?|unbekannt|keine?r?s?|keine angabe|nicht (?:verfügbar|zutreffend|vorhanden)|leer|ohne
  ohne (?:code|nummer|name|bezeichnung)
  vide|aucune?|inconnue?|sans|sans (?:code|nom|numéro)|à définir|non (?:défini|disponible|applicable|disponibile)
  vuoto|nessuno|sconosciuto|senza (?:codice|nome)|da definire|vazio|nenhuma?|desconhecid[oa]|sem (?:código|nome)
  não (?:aplicável|disponível)
  [(<{\\[](?:blank|empty|null|none|leer|vac[íi][oa]|en blanco|nulo|sin datos|unknown|vide|vuoto|vazio)[)>}\\]]
`);
const PLACEHOLDER = new RegExp(`^(?:${PLACEHOLDERS})$`, 'iu');
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

/** Control characters other than tab and line ends. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/**
 * Checked first, because it is faster than `ZERO_WIDTH`. Most codes are ASCII, which has no zero-width
 * characters.
 */
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Zero-width spaces and joiners, soft hyphens, direction marks and others. */
const ZERO_WIDTH = /\p{Default_Ignorable_Code_Point}/gu;
/** In a name, these belong to the character before them: variants of emoji and of ideographs. */
const VARIANT = /^(?:\p{Variation_Selector}|[\u{e0020}-\u{e007f}])$/u;
/** Joiners: part of emoji, and of words in e.g. Persian or Hindi. */
const JOINER = /^[\u200c\u200d]$/;
const MARK = /^[\u200e\u200f\u061c]$/;
const LATIN_OR_SIGN = /[\u0000-\u024f\u1e00-\u1eff\u2000-\u206f]$/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** `character`: e.g. `U+200B` */
export interface Invisible {
  readonly kind: 'control' | 'replacement' | 'zero-width';
  readonly character: string;
}

/**
 * Finds a control character; in a code or name also the replacement character of damaged text, or a
 * character without width. Names may contain such characters where emoji and some scripts need them.
 *
 * @returns undefined if there is none
 */
export function invisibleIn(text: string, kind: 'code' | 'name' | 'text'): Invisible | undefined {
  if (CONTROL.test(text)) return { kind: 'control', character: nameOf(CONTROL.exec(text)![0]) };
  if (kind === 'text' || !BEYOND_ASCII.test(text)) return undefined;
  if (text.includes('\ufffd')) return { kind: 'replacement', character: 'U+FFFD' };
  for (const { 0: hidden, index } of text.matchAll(ZERO_WIDTH)) {
    if (kind === 'name' && isNeeded(hidden, text, index)) continue;
    return { kind: 'zero-width', character: nameOf(hidden) };
  }
  return undefined;
}

function isNeeded(hidden: string, text: string, at: number): boolean {
  if (VARIANT.test(hidden)) return at > 0;
  if (JOINER.test(hidden)) return at > 0 && !LATIN_OR_SIGN.test(text.slice(0, at));
  return MARK.test(hidden) && RIGHT_TO_LEFT.test(text);
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

export interface FoundText<T> {
  readonly field: string;
  readonly found: T;
}

/**
 * Finds the first text at any depth for which `check` returns a finding. Must be fast, because imports
 * call it for every row.
 */
export function findText<T>(
  value: object,
  check: (text: string, key: string) => T | undefined,
  path = '',
): FoundText<T> | undefined {
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'string') {
      const found = check(inner, key);
      if (found !== undefined) return { field: fieldOf(value, key, path), found };
    } else if (typeof inner === 'object' && inner !== null && !isRawNumber(inner)) {
      const found = findText(inner, check, fieldOf(value, key, path));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function fieldOf(value: object, key: string, path: string): string {
  if (Array.isArray(value)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
