import { ProcError } from '../../core/errors.ts';
import { JsonError, locate, readJson } from '../../core/text/strict-json.ts';
import { show } from '../../core/validate.ts';

export interface Payload {
  readonly value: Readonly<Record<string, unknown>>;
  /** The line of a field such as `groups[0].items[2].quantity`, counted from 1. */
  lineOf(field: string): number | undefined;
}

/** @throws JsonError */
export type PayloadReader = (text: string) => {
  readonly value: unknown;
  lineOf(field: string): number | undefined;
};

export const readJsonPayload: PayloadReader = (text) => ({
  value: readJson(text),
  lineOf: (field) => locate(text, field)?.line,
});

/**
 * Parses a payload file, which must be one object. Removes `$schema`, which is for editors.
 *
 * @param ifMany the hint for a file with several objects
 * @throws ProcError `invalid_input`
 */
export function readPayload(
  text: string,
  place: string,
  read: PayloadReader,
  ifMany?: string,
): Payload {
  const kind = read === readJsonPayload ? 'JSON' : 'YAML';
  const { value, lineOf } = parsed(text, place, read, kind);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProcError(
      'invalid_input',
      `${place}: expected ${kind === 'JSON' ? 'a JSON object' : 'fields'}, got ${show(value)}`,
      {
        hint: Array.isArray(value)
          ? ['This command sends one record', ...(ifMany === undefined ? [] : [ifMany])].join('. ')
          : value === null && kind === 'YAML'
            ? 'Uncomment the fields and fill them in. Nothing was sent.'
            : undefined,
      },
    );
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

function parsed(text: string, place: string, read: PayloadReader, kind: string) {
  try {
    return read(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw new ProcError('invalid_input', `${place}, ${thrown.message}`, {
      hint: kind === 'JSON' ? 'The file must be one JSON object.' : 'The file must be YAML 1.2.',
      details: { file: place, line: thrown.line, column: thrown.column },
    });
  }
}
