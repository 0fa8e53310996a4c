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
 */
export function keyOf(noun: string, body: Fields, fields?: readonly string[]): string | null {
  const names = fields?.map((field) => [field]) ?? KEY_FIELDS[noun] ?? [];
  const values = names.map((alternatives) => {
    const name = alternatives.find((one) => textOf(body[one]) !== undefined);
    return name === undefined ? '' : foldCode(textOf(body[name])!);
  });
  const [first = ''] = values;
  if (first === '') return null;
  return values.length === 1 ? first : JSON.stringify(values);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : numberText(value);
  return text === undefined || text.trim() === '' ? undefined : text;
}
