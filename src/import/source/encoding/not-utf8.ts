import { isUtf8 } from 'node:buffer';
import type { Problem } from '../../../core/problem/row-problem.ts';
import type { SourceFormat } from '../record.ts';

export interface InvalidByte {
  readonly offset: number;
  readonly before: string;
  /** E.g. `0xF1`. */
  readonly byte: string;
}

/** Returns undefined if all bytes are UTF-8. */
export function firstInvalid(bytes: Buffer): InvalidByte | undefined {
  if (isUtf8(bytes)) return undefined;
  // A binary search for the longest valid start, whose last character may be incomplete.
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (startsWell(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  let offset = good;
  while (offset > 0 && !isUtf8(bytes.subarray(0, offset))) offset--;
  return {
    offset,
    before: bytes.toString('utf8', 0, offset),
    byte: `0x${bytes[offset]!.toString(16).toUpperCase().padStart(2, '0')}`,
  };
}

function startsWell(bytes: Buffer): boolean {
  for (let cut = 0; cut <= 3 && cut <= bytes.length; cut++) {
    if (!isUtf8(bytes.subarray(0, bytes.length - cut))) continue;
    const rest = bytes.subarray(bytes.length - cut);
    return cut === 0 || (rest[0]! >= 0xc2 && rest[0]! <= 0xf4);
  }
  return false;
}

/** For UTF-16, the message names no byte: the source has already been converted to UTF-8. */
export function problemOf(
  { byte }: InvalidByte,
  encoding: SourceFormat['encoding'],
  character?: number,
): Problem<'not_utf8' | 'not_utf16'> {
  return encoding === 'utf-8'
    ? { code: 'not_utf8', args: { byte, character } }
    : { code: 'not_utf16', args: { character } };
}
