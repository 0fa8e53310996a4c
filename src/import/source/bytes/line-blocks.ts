import type { Problem } from '../../../core/problem/row-problem.ts';
import { type ByteSource, Window } from './byte-source.ts';
import { MAX_RECORD_BYTES } from './limits.ts';

export type LineBlock =
  | {
      readonly kind: 'lines';
      /** Whole lines. Valid only until the next block is read. */
      readonly bytes: Buffer;
    }
  | { readonly kind: 'overlong' }
  /** The source ended too early; an incomplete last line is dropped. */
  | { readonly kind: 'cut'; readonly problem: Problem };

const FEED = 0x0a;
const RETURN = 0x0d;

interface LineOptions {
  /** Lines may end with a return alone, as in old Mac files. */
  readonly endsAtReturn?: boolean;
  readonly mostBytes?: number;
}

/** Reads a source in blocks of whole lines. */
export async function* lineBlocks(
  source: ByteSource,
  { endsAtReturn = false, mostBytes = MAX_RECORD_BYTES }: LineOptions = {},
): AsyncGenerator<LineBlock, void> {
  const window = new Window(source);
  let skipping = false;
  while (await window.fill()) {
    if (skipping) {
      const bytes = window.bytes.subarray(0, window.end);
      const found = firstBreak(bytes, endsAtReturn);
      window.start = found < 0 ? window.end : found + 1;
      if (found < 0) continue;
      skipping = false;
    }
    const rest = window.bytes.subarray(window.start, window.end);
    const last = window.start + lastBreak(rest, endsAtReturn);
    if (last >= window.start) {
      yield { kind: 'lines', bytes: window.bytes.subarray(window.start, last + 1) };
      window.start = last + 1;
    } else if (window.end - window.start > mostBytes) {
      yield { kind: 'overlong' };
      window.start = window.end;
      skipping = true;
    }
  }
  if (window.problem !== undefined) yield { kind: 'cut', problem: window.problem };
  else if (window.end > window.start) {
    yield { kind: 'lines', bytes: window.bytes.subarray(window.start, window.end) };
  }
}

function firstBreak(bytes: Buffer, endsAtReturn: boolean): number {
  const feed = bytes.indexOf(FEED);
  const before = endsAtReturn ? bytes.subarray(0, feed < 0 ? undefined : feed).indexOf(RETURN) : -1;
  return before < 0 ? feed : before;
}

function lastBreak(bytes: Buffer, endsAtReturn: boolean): number {
  const feed = bytes.lastIndexOf(FEED);
  return feed < 0 && endsAtReturn ? bytes.lastIndexOf(RETURN) : feed;
}
