import { foldCode } from '../core/text/fold-code.ts';
import { numberText } from '../core/text/raw-number.ts';

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
 * @param isExact `--exact-codes`
 */
export function keyOf(
  noun: string,
  body: Fields,
  { fields, isExact = false }: { fields?: readonly string[] | undefined; isExact?: boolean } = {},
): string | null {
  const names = fields?.map((field) => [field]) ?? KEY_FIELDS[noun] ?? [];
  const values = names.map((alternatives) => {
    const name = alternatives.find((one) => textOf(body[one]) !== undefined);
    const text = name === undefined ? '' : textOf(body[name])!;
    return isExact ? text : foldCode(text);
  });
  const [first = ''] = values;
  if (first === '') return null;
  return values.length === 1 ? first : JSON.stringify(values);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : numberText(value);
  return text === undefined || text.trim() === '' ? undefined : text;
}
