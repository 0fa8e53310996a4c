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
