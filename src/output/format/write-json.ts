import { escapeJson } from '../../terminal/sanitise.ts';

/** Pieces of about this many characters go to the stream together. */
const PIECE = 256 * 1024;

/** One value on one line, safe to look at. */
export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

/**
 * A value as JSON, two spaces deep. A long array comes in pieces, as its text may be larger than
 * the longest string.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!Array.isArray(value) || value.length === 0) {
    yield `${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`;
    return;
  }
  let piece = '[';
  for (const [index, element] of value.entries()) {
    // Line ends stand only between tokens: inside text JSON escapes them.
    const text = escapeJson(JSON.stringify(element, null, 2) ?? 'null').replaceAll('\n', '\n  ');
    piece += `${index === 0 ? '' : ','}\n  ${text}`;
    if (piece.length > PIECE) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}\n]\n`;
}
