import { escapeJson } from '../../terminal/sanitise.ts';

const PIECE = 256 * 1024;

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}

/**
 * JSON with an indentation of two spaces. The text of a long array may exceed the maximum length of
 * a string, so it comes in pieces.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!Array.isArray(value)) yield `${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`;
  else {
    const array = new JsonArray();
    yield* array.more(value);
    yield array.end();
  }
}

/** The text of an array that comes in batches. Without `end`, no program reads it as a whole array. */
export class JsonArray {
  #isEmpty = true;

  *more(elements: readonly unknown[]): Generator<string> {
    let piece = '';
    for (const element of elements) {
      // JSON escapes line breaks in strings, so every line break here is between tokens.
      const text = escapeJson(JSON.stringify(element, null, 2) ?? 'null');
      piece += `${this.#isEmpty ? '[' : ','}\n  ${text.replaceAll('\n', '\n  ')}`;
      this.#isEmpty = false;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    yield piece;
  }

  end(): string {
    return this.#isEmpty ? '[]\n' : '\n]\n';
  }

  /** The array stays open: a reader must not take its beginning for all of it. */
  cut(): string {
    return this.#isEmpty ? '[\n' : '\n';
  }
}
