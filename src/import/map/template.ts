/** `{Model} {Color}` in pieces: the text before each column, and what follows the last one. */
export interface Template {
  readonly parts: readonly { readonly before: string; readonly column: string }[];
  readonly after: string;
}

/** Reads a template; undefined where the text names no column in braces. */
export function parseTemplate(text: string): Template | undefined {
  const parts: { before: string; column: string }[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{([^{}]+)\}/g)) {
    parts.push({ before: text.slice(end, match.index), column: match[1]!.trim() });
    end = match.index + match[0].length;
  }
  return parts.length === 0 ? undefined : { parts, after: text.slice(end) };
}

/**
 * Fills a template. An empty column takes the text before it along, so that no separator is left
 * over (`{Model} - {Color}` without a colour is the model), and text after the last column stands only
 * with that column. All empty: undefined.
 *
 * @param value the trimmed text of a column; undefined where it is empty.
 */
export function fillTemplate(
  { parts, after }: Template,
  value: (column: string) => string | undefined,
): string | undefined {
  let text: string | undefined;
  let isLastThere = false;
  for (const [index, { before, column }] of parts.entries()) {
    const part = value(column);
    isLastThere = part !== undefined;
    // Between columns, text is a separator: before the first one that is there, it separates nothing.
    if (part !== undefined) {
      text = text === undefined ? (index === 0 ? before : '') + part : text + before + part;
    }
  }
  return text === undefined ? undefined : (text + (isLastThere ? after : '')).trim();
}
