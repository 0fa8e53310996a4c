import { escapeJson } from '../../terminal/sanitise.ts';

const PIECE = 256 * 1024;

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

/**
 * JSON with an indentation of two spaces. The text of a long array may exceed the maximum length of
 * a string, so a long array comes in pieces.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!Array.isArray(value) || value.length === 0) {
    yield `${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`;
    return;
  }
  let piece = '[';
  for (const [index, element] of value.entries()) {
    piece += elementOf(element, index === 0);
    if (piece.length > PIECE) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}\n]\n`;
}

/** The text of {@link jsonPieces}, for an array that may not fit in memory. */
export async function* jsonBatches(
  batches: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const batch of batches) {
    let piece = isEmpty && batch.length > 0 ? '[' : '';
    for (const element of batch) {
      piece += elementOf(element, isEmpty);
      isEmpty = false;
    }
    yield piece;
  }
  yield isEmpty ? '[]\n' : '\n]\n';
}

function elementOf(element: unknown, isFirst: boolean): string {
  // JSON escapes line breaks in strings, so every line break here is between tokens.
  const text = escapeJson(JSON.stringify(element, null, 2) ?? 'null').replaceAll('\n', '\n  ');
  return `${isFirst ? '' : ','}\n  ${text}`;
}
