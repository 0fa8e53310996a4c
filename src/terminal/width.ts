import stringWidth from 'string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** In terminal columns: two for wide characters, none for combining characters. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** The text, shortened with `…` if it is wider than `width` (at least 1). */
export function truncate(text: string, width: number): string {
  if (text.length <= width * 16 && widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, width * 16))) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Lines that break at spaces. A longer word, e.g. a URL, is not broken. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    // The spaces that indent a line belong to its first word.
    if (lines.length > 0 && lines.at(-1)!.trim() !== '' && widthOf(longer) > width)
      lines.push(word);
    else lines[Math.max(0, lines.length - 1)] = longer;
  }
  return lines.map((line) => line.trimEnd());
}
