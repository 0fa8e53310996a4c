const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?$/;
/** What a spreadsheet takes for a formula; with apostrophes before it, it may have been guarded. */
const GUARDED = /^'*[=+\-@\t\r\0]/;

/**
 * An apostrophe before what a spreadsheet would run. A text that has one already gets another, so that
 * {@link unguarded} returns exactly what was there.
 */
export function guarded(text: string): string {
  return GUARDED.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

export function unguarded(text: string): string {
  return text.startsWith("'") && GUARDED.test(text) ? text.slice(1) : text;
}
