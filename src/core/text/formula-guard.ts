/** Numbers are none, nor is the end of a list in JSON (`[1,-2]`). */
const HARMLESS = /^[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?[\]}]*$/;
/** What a spreadsheet takes for a formula, full-width signs too; apostrophes before it may be guards. */
const FORMULA = /^'*[=+\-@\0＝＋－＠]/;
/** A cell that begins with one of these may be stripped of it, and then begin like a formula. */
const BLANK_START = /^'*[\t\r\n]/;
/**
 * Wherever a cell may begin: at a delimiter of any dialect, as the file may be opened with another one
 * than it was written with, and at a line's end inside quotes.
 */
const PIECE = /(?<=^|[;,|\t\r\n])[^;,|\t\r\n]+/g;
const SIGNS = /[=+\-@\0\t\r\n＝＋－＠]/;

/**
 * An apostrophe before what a spreadsheet would run. A text that has one already gets another, so that
 * {@link unguarded} returns exactly what was there.
 */
export function guarded(text: string): string {
  if (!SIGNS.test(text)) return text;
  const safe = text.replace(PIECE, (cell) =>
    FORMULA.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell,
  );
  return BLANK_START.test(text) ? `'${safe}` : safe;
}

export function unguarded(text: string): string {
  if (!text.includes("'")) return text;
  const whole = text.startsWith("'") && BLANK_START.test(text) ? text.slice(1) : text;
  return whole.replace(PIECE, (cell) =>
    cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell,
  );
}
