import { ProcError } from '../../core/errors.ts';
import { JsonError, locate, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';

export interface Payload {
  readonly value: Readonly<Record<string, unknown>>;
  /** The line of a field such as `groups[0].items[2].quantity`, counted from 1. */
  lineOf(field: string): number | undefined;
}

/**
 * Parses a payload file, which must be one object. Removes `$schema`, which is for editors.
 *
 * @param ifMany the hint for a file with several objects
 * @throws ProcError `invalid_input`
 */
export function readPayload(text: string, place: string, ifMany?: string): Payload {
  const value = parsed(text, place);
  const lineOf = (field: string) => locate(text, field)?.line;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProcError('invalid_input', `${place}: expected a JSON object, got ${show(value)}`, {
      hint: Array.isArray(value)
        ? ['This command sends one record', ...(ifMany === undefined ? [] : [ifMany])].join('. ')
        : undefined,
    });
  }
  const { $schema, ...rest } = value as Record<string, unknown>;
  if ($schema !== undefined && typeof $schema !== 'string') {
    const line = lineOf('$schema');
    throw new ProcError(
      'invalid_input',
      `${place}${line === undefined ? '' : `, line ${line}`}: $schema must be text, got ${show($schema)}`,
      {
        hint: 'Correct $schema, or remove it: it only names the schema for editors. Nothing was sent.',
      },
    );
  }
  return { value: rest, lineOf };
}

function parsed(text: string, place: string): unknown {
  try {
    return readJson(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw new ProcError('invalid_input', `${place}, ${thrown.message}`, {
      hint: 'The file must be one JSON object.',
      details: { file: place, line: thrown.line, column: thrown.column },
    });
  }
}
