import { ProcError } from '../core/errors.ts';
import { eitherNumber, readNumber, survivesDouble } from '../core/text/decimal.ts';
import { show } from '../core/validate.ts';

type ReadText = (file: string) => Promise<string>;

/** First the fields of `-f`, then those of `-F`. A repeated key is refused. */
export type Fields = ReadonlyMap<string, unknown>;

/**
 * `-f key=value` is text. `-F key=value` may also be a number, true, false, null or `@FILE`.
 *
 * @throws ProcError `invalid_usage`
 */
export async function readFields(
  plain: readonly string[],
  typed: readonly string[],
  readText: ReadText,
): Promise<Fields> {
  const fields = new Map<string, unknown>();
  for (const text of plain) put(fields, split(text, '--raw-field'), '--raw-field');
  for (const text of typed) {
    const [key, value] = split(text, '--field');
    put(fields, [key, await typedValue(key, value, readText)], '--field');
  }
  return fields;
}

function split(text: string, flag: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) {
    throw new ProcError('invalid_usage', `${flag} ${show(text)}: expected key=value`);
  }
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function put(fields: Map<string, unknown>, [key, value]: readonly [string, unknown], flag: string) {
  if (fields.has(key)) {
    throw new ProcError('invalid_usage', `${flag}: ${show(key)} is given twice`);
  }
  fields.set(key, value);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

async function typedValue(key: string, text: string, readText: ReadText): Promise<unknown> {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (text.startsWith('@')) return readText(text.slice(1));
  const reading = readNumber(text, undefined, key);
  if (reading.kind === 'ambiguous') {
    throw new ProcError('invalid_usage', `--field ${key}: ${text} ${eitherNumber(reading)}`, {
      hint: `Write ${reading.grouped} or ${reading.divided}, or send it as text: -f ${key}=${text}`,
    });
  }
  if (!NUMBER.test(text)) return text;
  if (!survivesDouble(text)) {
    throw new ProcError(
      'invalid_usage',
      `--field ${key}: JSON cannot represent the number ${text} exactly`,
      {
        hint: `Send it as text: -f ${key}=${text}`,
      },
    );
  }
  return Number(text);
}
