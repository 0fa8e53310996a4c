import type { Context } from '../../context.ts';
import { ProcError } from '../../core/errors.ts';
import { isObject, JsonError, readJson } from '../../core/json.ts';
import { show } from '../../core/validate.ts';
import { placeOf, readText } from './read-text.ts';

export interface Payload {
  /** For messages: the name of the file, or `standard input`. */
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The one object of a payload file, without `$schema`, which is for editors. */
export async function payloadIn(
  ctx: Context,
  file: string,
  ifMany: string | undefined,
): Promise<Payload> {
  const place = placeOf(file);
  const text = await readText(ctx, file, ifMany);
  if (text === '')
    throw new ProcError('invalid_input', `${place} is empty, expected a JSON object`);
  let value: unknown;
  try {
    value = readJson(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw new ProcError('invalid_input', `${place}, ${thrown.message}`, {
      hint: 'The file must be one JSON object.',
      details: { file: place, line: thrown.line, column: thrown.column },
    });
  }
  if (!isObject(value)) {
    const one = ['This command sends one record', ifMany ?? []].flat().join('. ');
    throw new ProcError('invalid_input', `${place}: expected a JSON object, got ${show(value)}`, {
      hint: Array.isArray(value) ? one : undefined,
    });
  }
  const { $schema: _, ...rest } = value;
  return { place, value: rest };
}
