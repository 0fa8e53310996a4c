import { escapeJson } from '../terminal/sanitise.ts';

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

/** Every element on a line. */
export async function* ndjson(
  batches: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(jsonLine).join('');
}

/** JSON with an indentation of two spaces. */
export function jsonText(value: unknown): string {
  return `${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`;
}

/**
 * An array of elements that come in batches. Without its end, e.g. after a failed request, no program
 * reads it as a whole array.
 */
export async function* jsonArray(
  batches: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let before = '[\n  ';
  try {
    for await (const batch of batches) {
      let piece = '';
      for (const element of batch) {
        // JSON escapes line breaks in strings, so every line break here is between tokens.
        const text = escapeJson(JSON.stringify(element, null, 2) ?? 'null');
        piece += `${before}${text.replaceAll('\n', '\n  ')}`;
        before = ',\n  ';
      }
      yield piece;
    }
  } catch (thrown) {
    if (before.startsWith(',')) yield '\n';
    throw thrown;
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n';
}
