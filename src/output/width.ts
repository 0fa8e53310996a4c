import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** In terminal columns: two for wide characters, none for combining characters. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** The text, shortened with `…` if it is wider than `width` (at least 1). */
export function truncate(text: string, width: number): string {
  if (text.length <= width * 16 && widthOf(text) <= width) return text;
  return `${wrap(text.slice(0, width * 16), width - 1)[0]!}…`;
}

/** Breaks text into lines of at most `width` columns, never inside a character. */
function wrap(text: string, width: number): string[] {
  const lines = [''];
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = widthOf(segment);
    // A character wider than the line is left out.
    if (wide > width) continue;
    if (used + wide > width) {
      lines.push('');
      used = 0;
    }
    lines.push(`${lines.pop()}${segment}`);
    used += wide;
  }
  return lines;
}

/** Breaks text into lines of at most `width` columns, at spaces if possible. */
export function wrapAtSpaces(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(...wrap(word, width));
  }
  return lines;
}
