import { hash } from 'node:crypto';
import { foldCode } from '../core/text/fold-code.ts';
import { isRawNumber, textOf } from '../core/text/raw-number.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that identify a record of a noun. Of several names in one place, the first that is given counts. */
const KEY_FIELDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  items: [['code']],
  requisitions: [['code']],
  imputations: [['reference'], ['account'], ['orderId', 'contractId']],
};

/**
 * What identifies a record besides its values. Without its first field there is no key.
 *
 * @param fields of `--key`; empty: none
 */
export function keyOf(noun: string, body: Fields, fields?: readonly string[]): string | null {
  const names = fields?.map((field) => [field]) ?? KEY_FIELDS[noun] ?? [];
  const values = names.map((alternatives) => {
    const name = alternatives.find((one) => filled(body[one]) !== undefined);
    return name === undefined ? '' : foldCode(filled(body[name])!);
  });
  const [first = ''] = values;
  if (first === '') return null;
  return values.length === 1 ? first : JSON.stringify(values);
}

function filled(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/**
 * What rows and single writes with the same content have in common, in hexadecimal. The order of fields and of values in
 * lists makes no difference: a requisition with the same lines in another order requests the same goods.
 *
 * @param path relative to the base URL, as sent
 */
export function digestOf(method: string, path: string, payload: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(payload)}`, 'hex');
}

/** The same text for values that differ only in the order of fields, or of values in lists. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return JSON.stringify(value) ?? '';
  const pairs = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${pairs.join(',')}}`;
}
