import { foldCode } from '../core/fold-code.ts';
import { idText, isObject, isSameValue, type ValueKind, valueText } from '../core/json.ts';
import { isRawNumber } from '../core/numbers.ts';

/** A field whose value in the answer differs from the value that was sent. */
export interface Difference {
  /** With its place: `groups[0].items[1].quantity`. */
  readonly field: string;
  readonly sent: unknown;
  readonly stored: unknown;
  /** The difference shows that the answer belongs to another request, or that another thing was done. */
  readonly contradicts: boolean;
}

/** Fields of which a difference is never harmless, except those of `isSameValue`; and names that end with `Id`. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  id: 'id',
  code: 'code',
  reference: 'code',
  key: 'code',
  account: 'code',
  amount: 'number',
  quantity: 'number',
  currency: 'word',
  deliveryMethod: 'word',
};

function kindOf(name: string): ValueKind {
  return KINDS[name] ?? (name.endsWith('Id') ? 'id' : 'other');
}

/**
 * Compares the answer to a write with the body that was sent. This is the only such comparison: single writes,
 * patches, raw calls and imports use it.
 *
 * A field that the answer lacks, or has as null, is no difference: the contract names few fields of an answer.
 */
export function differencesIn(sent: unknown, answer: unknown): Difference[] {
  const found: Difference[] = [];
  compare('', sent, answer, found);
  return found;
}

const IDENTIFYING = ['code', 'reference', 'amount'];

/**
 * The id of the record that was sent, if a refusal carries it as its body or as a direct member of it. The write may
 * then have been done.
 *
 * @param idName the name of the record's id
 */
export function ownRecordIn(sent: unknown, answer: unknown, idName: string): string | undefined {
  if (!isObject(sent) || !isObject(answer) || errorIn(answer) !== undefined) return undefined;
  for (const record of [answer, ...Object.values(answer)]) {
    if (isObject(record) && isOwn(sent, record)) {
      const id = idText(record[idName]);
      if (id !== undefined) return id;
    }
  }
  return undefined;
}

/** All that identifies the record is equal: its code, reference and amount, else all plain fields. */
function isOwn(
  sent: Readonly<Record<string, unknown>>,
  record: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(sent).filter((name) => isPlain(sent[name]) && !isMissing(sent[name]));
  const identifying = names.filter((name) => IDENTIFYING.includes(name));
  const compared = identifying.length > 0 ? identifying : names;
  return (
    compared.length > 0 &&
    compared.every((name) => isSameValue(sent[name], record[name], kindOf(name))) &&
    errorIn(record) === undefined &&
    differencesIn(sent, record).every(({ contradicts }) => !contradicts)
  );
}

function compare(place: string, sent: unknown, answer: unknown, found: Difference[]): void {
  if (isMissing(sent) || isMissing(answer)) return;
  if (isObject(sent) && isObject(answer)) {
    for (const name in sent) {
      if (!Object.hasOwn(answer, name) || sent[name] === answer[name]) continue;
      const at = place === '' ? name : `${place}.${name}`;
      if (isPlain(sent[name]))
        compareValue(name, { field: at, sent: sent[name], stored: answer[name] }, found);
      else compare(at, sent[name], answer[name], found);
    }
  } else if (Array.isArray(sent) && Array.isArray(answer)) {
    compareArrays(place, sent, answer, found);
  } else if (!isSameValue(sent, answer)) {
    found.push({ field: place, sent, stored: answer, contradicts: false });
  }
}

/** Services may return elements in another order, so each element is compared with all that no other explains. */
function compareArrays(
  place: string,
  sent: readonly unknown[],
  answer: readonly unknown[],
  found: Difference[],
): void {
  if (sent.length !== answer.length) {
    found.push({ field: place, sent, stored: answer, contradicts: false });
    return;
  }
  const differences = (index: number, other: unknown): Difference[] => {
    const own: Difference[] = [];
    compare(`${place}[${index}]`, sent[index], other, own);
    return own;
  };
  const rest = [...answer];
  const unexplained = [...sent.keys()].filter((index) => {
    const at = rest.findIndex((other) => differences(index, other).length === 0);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  for (const [at, index] of unexplained.entries()) found.push(...differences(index, rest[at]));
}

function compareValue(
  name: string,
  { field, sent, stored }: Omit<Difference, 'contradicts'>,
  found: Difference[],
): void {
  if (isMissing(sent) || isMissing(stored)) return;
  const kind = kindOf(name);
  if (isSameValue(sent, stored, kind)) return;
  const isSpelling = kind === 'code' && foldCode(valueText(sent)) === foldCode(valueText(stored));
  const contradicts = kind !== 'other' && isPlain(stored) && !isSpelling;
  found.push({ field, sent, stored, contradicts });
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || isRawNumber(value);
}

/** `amount was sent as 100, but is 999999; …` */
export function differencesText(differences: readonly Difference[]): string {
  return differences
    .slice(0, MOST_NAMED)
    .map(
      ({ field, sent, stored }) => `${field} was sent as ${shown(sent)}, but is ${shown(stored)}`,
    )
    .join('; ');
}

const MOST_NAMED = 5;
const LONGEST = 120;

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/**
 * What a successful answer says about an error: a member `error` or `errors` that is not empty, or `success: false`.
 *
 * @returns undefined if it says nothing
 */
export function errorIn(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  for (const name in answer) {
    const word = name.toLowerCase();
    if (word !== 'error' && word !== 'errors' && word !== 'success') continue;
    const text = valueText(answer[name]);
    const isError = word === 'success' ? text === 'false' : !NO_ERROR.has(text);
    if (isError) return `${name}: ${shown(answer[name])}`;
  }
  return undefined;
}

const NO_ERROR: ReadonlySet<string> = new Set(['', 'false', '0', '[]', '{}']);
