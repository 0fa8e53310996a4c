/**
 * A number is not a formula, although it may begin with a sign. Brackets may follow the number, because the
 * text is checked in pieces between commas: the second piece of `[1,-2]` is `-2]`.
 */
const HARMLESS = /^[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?[\]}]*$/;
/**
 * Beginnings that a spreadsheet reads as a formula. They include full-width signs, and may follow
 * apostrophes.
 */
const FORMULA = /^'*[=+\-@\0＝＋－＠]/;
/** Spreadsheets may strip these characters from the start of a cell, which can expose a formula. */
const BLANK_START = /^'*[\t\r\n]/;
/**
 * Every place where a cell may begin: after a delimiter, and after a line break inside quotes. All usual
 * delimiters count, because a spreadsheet may open the file with another delimiter than it was written with.
 */
const PIECE = /(?<=^|[;,|\t\r\n])[^;,|\t\r\n]+/g;
const SIGNS = /[=+\-@\0\t\r\n＝＋－＠]/;

/**
 * Puts an apostrophe before text that a spreadsheet would run. If the text already has an apostrophe, it gets
 * another, so that {@link unguarded} restores the original.
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
