import { isAscii, isUtf8 } from 'node:buffer';
import type { Problem } from '../../../core/problem/row-problem.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import { lineBlocks } from '../bytes/line-blocks.ts';
import type { SourceFormat } from '../record.ts';
import { decode1252 } from './text-encodings.ts';

interface InvalidByte {
  readonly offset: number;
  readonly before: string;
  /** E.g. `0xF1`. */
  readonly byte: string;
}

/** Returns undefined if all bytes are UTF-8. */
export function firstInvalid(bytes: Buffer): InvalidByte | undefined {
  if (isUtf8(bytes)) return undefined;
  // In the text, a replacement character stands where the first invalid byte is.
  const again = Buffer.from(bytes.toString('utf8'));
  let offset = 0;
  while (bytes[offset] === again[offset]) offset++;
  while ((again[offset]! & 0xc0) === 0x80) offset--;
  return {
    offset,
    before: bytes.toString('utf8', 0, offset),
    byte: `0x${bytes[offset]!.toString(16).toUpperCase().padStart(2, '0')}`,
  };
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

/** A text that is not UTF-8 but makes sense as Windows-1252. */
export interface EncodingSuspect {
  /** The first line that is not UTF-8, read as Windows-1252. */
  readonly sample: string;
  /** The number of the line, from 1. */
  readonly line: number;
}

const SHOWN = 80;

/**
 * Signs of other encodings: bytes that Windows-1252 does not define, the rare `ÿ`, four letters
 * like `é` in a row.
 */
const ODD = /[\x81\x8d\x8f\x90\x9d\xff]|[\xc0-\xfe]{4}/;

/** A line may be valid UTF-8 by chance: ten lines of Windows-1252 outweigh it. */
const FOR_EACH_AGAINST = 10;

/**
 * Nearly all lines that are not ASCII must look like Windows-1252. A mix of UTF-8 and Windows-1252
 * counts as damaged UTF-8.
 */
export async function find1252(source: ByteSource): Promise<EncodingSuspect | undefined> {
  let first: EncodingSuspect | undefined;
  let line = 1;
  let count = 0;
  let against = 0;
  try {
    for await (const block of lineBlocks(source, { endsAtReturn: true })) {
      if (block.kind !== 'lines') {
        line++;
        continue;
      }
      const { bytes } = block;
      const lines = bytes.toString('latin1').split(/\r\n?|\n/);
      if (lines.at(-1) === '') lines.pop();
      for (const text of lines) {
        line++;
        const piece = Buffer.from(text, 'latin1');
        if (isAscii(piece)) continue;
        if (isUtf8(piece) || ODD.test(text)) {
          against++;
          continue;
        }
        count++;
        first ??= { sample: sampleOf(piece), line: line - 1 };
      }
    }
    return against * FOR_EACH_AGAINST <= count ? first : undefined;
  } finally {
    await source.close();
  }
}

function sampleOf(piece: Buffer): string {
  const text = decode1252(piece).trim();
  const at = Math.max(0, text.search(/[^\0-\x7f]/) - SHOWN / 2);
  const cut = text.slice(at, at + SHOWN);
  return `${at > 0 ? '…' : ''}${cut}${at + SHOWN < text.length ? '…' : ''}`;
}
