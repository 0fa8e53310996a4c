/** `{Model} {Color}` split up: the text before each column, and the text after the last one. */
export interface Template {
  readonly parts: readonly { readonly before: string; readonly column: string }[];
  readonly after: string;
}

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
 * An empty column drops the text before it: `{Model} - {Color}` without a colour is only the model.
 * Undefined if all columns are empty.
 *
 * @param value returns the trimmed text of a column; undefined if it is empty
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
    // Text between columns is a separator, which the first value does not need.
    if (part !== undefined) {
      text = text === undefined ? (index === 0 ? before : '') + part : text + before + part;
    }
  }
  return text === undefined ? undefined : (text + (isLastThere ? after : '')).trim();
}
