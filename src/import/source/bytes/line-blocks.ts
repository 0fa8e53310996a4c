import type { ByteSource } from './byte-source.ts';
import { KEPT_BYTES, MAX_RECORD_BYTES } from './limits.ts';
import { Window } from './window.ts';

/** Whole lines, or a line that is too long to keep. */
export type LineBlock =
  | {
      readonly kind: 'lines';
      /** Ends after a line break, or at the end of the source. Valid until the next block. */
      readonly bytes: Buffer;
    }
  | {
      readonly kind: 'overlong';
      /** The beginning of the line. Valid until the next block. */
      readonly head: Buffer;
    }
  /** The source ended too early; an incomplete last line is dropped. */
  | { readonly kind: 'cut'; readonly problem: string };

/**
 * Reads a source in blocks of whole lines. `newline` is the byte that ends a line: 10, or 13 in old
 * Mac files.
 */
export async function* lineBlocks(
  source: ByteSource,
  newline: number,
): AsyncGenerator<LineBlock, void> {
  const window = new Window(source);
  let skipping = false;
  while (await window.fill()) {
    if (skipping) {
      const found = window.bytes.subarray(0, window.end).indexOf(newline);
      window.start = found < 0 ? window.end : found + 1;
      if (found < 0) continue;
      skipping = false;
    }
    const last = window.bytes.subarray(0, window.end).lastIndexOf(newline);
    if (last >= window.start) {
      yield { kind: 'lines', bytes: window.bytes.subarray(window.start, last + 1) };
      window.start = last + 1;
    } else if (window.end - window.start > MAX_RECORD_BYTES) {
      const { start } = window;
      yield { kind: 'overlong', head: window.bytes.subarray(start, start + KEPT_BYTES) };
      window.start = window.end;
      skipping = true;
    }
  }
  if (window.problem !== undefined) yield { kind: 'cut', problem: window.problem };
  else if (window.end > window.start) {
    yield { kind: 'lines', bytes: window.bytes.subarray(window.start, window.end) };
  }
}
