import { compareDecimals, isDecimal } from '../text/decimal.ts';
import { numberText } from '../text/raw-number.ts';

/**
 * What a field holds. It decides which differences are harmless.
 *
 * - `id`: a reference to a record
 * - `code`: identifies a record for people
 * - `number`: amounts and quantities
 * - `word`: one of a few words, e.g. a currency
 * - `name`: what a created record is called
 * - `other`: anything else
 */
export type ValueKind = 'id' | 'code' | 'number' | 'word' | 'name' | 'other';

interface Harmless {
  readonly of: readonly ValueKind[];
  readonly why: string;
  isSame(sent: string, stored: string): boolean;
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** All differences that proc accepts silently. */
const HARMLESS: readonly Harmless[] = [
  {
    of: ['number', 'other'],
    why: '100, 100.00, 1e2 and "100" are one number: neither JSON nor databases keep trailing zeros',
    isSame: (sent, stored) =>
      isDecimal(sent) && isDecimal(stored) && compareDecimals(sent, stored) === 0,
  },
  {
    of: ['other'],
    why: 'one moment has many spellings: other zones, with or without milliseconds',
    isSame: (sent, stored) =>
      TIME.test(sent) && TIME.test(stored) && Date.parse(sent) === Date.parse(stored),
  },
  {
    of: ['word', 'id'],
    why: 'currencies, enumerations and hexadecimal ids are spelled in any case: usd and USD',
    isSame: (sent, stored) => sent.toLowerCase() === stored.toLowerCase(),
  },
];

/** Whether two JSON values mean the same. Null, an empty text and a missing value are the same. */
export function isSameValue(sent: unknown, stored: unknown, kind: ValueKind = 'other'): boolean {
  const [left, right] = [valueText(sent), valueText(stored)];
  if (left === right) return true;
  // Two texts in a free field, e.g. `007` and `7`, are no numbers.
  const areTexts = numberText(sent) === undefined && numberText(stored) === undefined;
  return HARMLESS.some(
    (one) =>
      one.of.includes(kind) &&
      one.isSame(left, right) &&
      !(kind === 'other' && areTexts && isDecimal(left)),
  );
}

/** A value as text, with all digits of a number; empty if it is missing or null. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/** An id of the service: any text or number, with all its digits. Undefined for anything else. */
export function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? (id === '' ? undefined : id) : numberText(id);
}

/** Says what a value is that should be an id: `null`, `empty`, `an object`. */
export function strangeId(id: unknown): string {
  if (id === undefined) return 'missing';
  if (id === null) return 'null';
  if (id === '') return 'empty';
  if (Array.isArray(id)) return 'an array';
  return typeof id === 'object' ? 'an object' : `a ${typeof id}`;
}

/**
 * What services do to codes:
 *
 * - `trim`: forms trim fields, and join spaces
 * - `case`: databases that ignore case store one case
 * - `unicode`: NFC, NFD and full-width letters look alike
 * - `dashes`: separators are dropped, or replaced by others
 * - `zeros`: leading zeros of a run of digits are dropped or added
 * - `number`: the code is stored in a column for numbers
 * - `prefix`: the service puts its own mark before each code
 * - `several`: more than one of these
 */
export type CodeChange =
  | 'trim'
  | 'case'
  | 'unicode'
  | 'dashes'
  | 'zeros'
  | 'number'
  | 'prefix'
  | 'several';

/** Two texts differ by one of these changes if both have the same form. */
const FORMS: readonly (readonly [CodeChange, (text: string) => string])[] = [
  ['trim', (text) => text.trim().replace(/\s+/g, ' ')],
  ['unicode', (text) => text.normalize('NFKC')],
  ['case', (text) => text.toLowerCase()],
  ['dashes', (text) => text.replace(/[\s\p{P}\p{S}]/gu, '')],
  ['zeros', (text) => text.replace(/(^|\D)0+(?=\d)/g, '$1')],
];

/**
 * How the service changed a code. Undefined if the texts are equal, or if no change explains the
 * difference.
 */
export function codeChange(sent: string, stored: string): CodeChange | undefined {
  if (sent === stored || sent === '' || stored === '') return undefined;
  for (const [change, form] of FORMS) {
    const changed = form(sent);
    if (changed !== '' && changed === form(stored)) return change;
  }
  if (isDecimal(sent) && isDecimal(stored) && compareDecimals(sent, stored) === 0) return 'number';
  if (stored.endsWith(sent) && isPrefix(stored.slice(0, -sent.length), sent)) return 'prefix';
  const [left, right] = [sent, stored].map((text) =>
    FORMS.reduce((made, [, form]) => form(made), text),
  );
  return left !== '' && left === right ? 'several' : undefined;
}

/** A prefix ends visibly: `ORG-` or letters before digits. `15` is no `5` with a prefix. */
function isPrefix(before: string, code: string): boolean {
  return /[\s\p{P}\p{S}]$/u.test(before) || (/\p{L}$/u.test(before) && /^\d/.test(code));
}
