import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteSource } from './byte-source.ts';
import { lineBlocks } from './line-blocks.ts';
import { decode1252 } from './windows-1252.ts';

/** A text that is no UTF-8 but reads well as Windows-1252. */
export interface Suspect {
  /** The first such line, read so. */
  readonly sample: string;
  /** From 1. */
  readonly line: number;
}

/** Of the line, what is shown. */
const SHOWN = 80;

/** Bytes that are letters in Windows-1252, or signs that stand in prose: `ñ`, `º`, `–`, `€`. */
const LIKELY = /[\xc0-\xd6\xd8-\xf6\xf8-\xfe\xaa\xba\xb0\xb2\xb3\xbf\xa1\x80\x85\x91-\x97\x99]/;
const UNLIKELY = /[\x81\x8d\x8f\x90\x9d\xff]/;

/**
 * Reads all of a file to find whether its characters beyond ASCII are Windows-1252: no line of it is
 * UTF-8, and each such line looks like text. A file that mixes both is damaged UTF-8, row by row.
 */
export async function find1252(source: ByteSource): Promise<Suspect | undefined> {
  let first: Suspect | undefined;
  let line = 1;
  try {
    for await (const block of lineBlocks(source, 10)) {
      if (block.kind !== 'lines') {
        line++;
        continue;
      }
      const { bytes } = block;
      if (isAscii(bytes)) {
        line += countLines(bytes);
        continue;
      }
      for (let at = 0; at < bytes.length; line++) {
        const feed = bytes.indexOf(10, at);
        const end = feed < 0 ? bytes.length : feed;
        const piece = bytes.subarray(at, end);
        at = end + 1;
        if (isAscii(piece)) continue;
        if (isUtf8(piece)) return undefined;
        const text = piece.toString('latin1');
        if (UNLIKELY.test(text) || !isProse(text)) return undefined;
        first ??= { sample: sampleOf(piece), line };
      }
    }
    return first;
  } finally {
    await source.close();
  }
}

/** Each byte beyond ASCII is likely, and stands by an ASCII letter, digit or space. */
function isProse(text: string): boolean {
  for (const { 0: run, index } of text.matchAll(/[\x80-\xff]+/g)) {
    const around = `${text[index - 1] ?? ''}${text[index + run.length] ?? ''}`;
    if (run.length > 3 || ![...run].every((char) => LIKELY.test(char))) return false;
    if (!/[A-Za-z0-9 ]/.test(around)) return false;
  }
  return true;
}

function sampleOf(piece: Buffer): string {
  const text = decode1252(piece).trim();
  const at = Math.max(0, text.search(/[^\0-\x7f]/) - SHOWN / 2);
  const cut = text.slice(at, at + SHOWN);
  return `${at > 0 ? '…' : ''}${cut}${at + SHOWN < text.length ? '…' : ''}`;
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
