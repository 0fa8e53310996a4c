import type { Problem } from '../../../core/problem/row-problem.ts';
import { firstInvalid, problemOf } from '../encoding/not-utf8.ts';
import type { SourceFormat } from '../record.ts';
import { fieldAt, type Place } from './json-record.ts';

/** Where in a JSON record the bytes are not UTF-8. Undefined if all bytes are. */
export function invalidText(
  bytes: Buffer,
  encoding: SourceFormat['encoding'],
  place: Place,
): Problem | undefined {
  const invalid = firstInvalid(bytes);
  if (invalid === undefined) return undefined;
  const lines = invalid.before.split('\n');
  return {
    field: fieldAt(invalid.before, bytes.toString('utf8')),
    ...problemOf(invalid, encoding),
    place: place(lines.length, lines.at(-1)!.length + 1),
  };
}
