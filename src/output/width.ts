import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;
const MARK = '…';

/** In terminal columns: two for wide characters, none for combining characters. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

function graphemes(text: string): Iterable<string> {
  if (ASCII.test(text)) return text;
  const segments = new Intl.Segmenter().segment(text);
  return Array.from(segments, ({ segment }) => segment);
}

/** The text, shortened with `…` if it is wider than `width` (at least 1). */
export function truncate(text: string, width: number): string {
  if (ASCII.test(text)) return text.length <= width ? text : text.slice(0, width - 1) + MARK;
  // The rest is far beyond the line and need not be measured.
  const near = text.length > width * 16 ? text.slice(0, width * 16) : text;
  if (near === text && widthOf(text) <= width) return text;
  return (wrap(near, width - 1)[0] ?? '') + MARK;
}

/** Breaks text into lines of at most `width` columns, never inside a character. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const wide = widthOf(grapheme);
    // A character wider than the line is left out.
    const shown = wide > width ? '' : grapheme;
    if (used + wide > width && shown !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += shown;
    used += shown === '' ? 0 : wide;
  }
  return [...lines, line];
}

/** Breaks text into lines of at most `width` columns, at spaces if possible. */
export function wrapAtSpaces(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== undefined) lines.push(line);
    const parts = wrap(word, width);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1);
  }
  return [...lines, line ?? ''];
}
