/**
 * A number is not a formula, even with a sign. Brackets may follow it: `[1,-2]` is checked in two pieces,
 * and the second is `-2]`.
 */
const HARMLESS = /^[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?[\]}]*$/;
/** The start of a formula, also with full-width signs, and also behind apostrophes. */
const FORMULA = /^'*[=+\-@\0＝＋－＠]/;
/** A spreadsheet may strip these characters, and the rest may be a formula. */
const BLANK_START = /^'*[\t\r\n]/;
/**
 * A cell may begin after any usual delimiter and after a line break. A spreadsheet may split the file at
 * another delimiter than ours.
 */
const PIECE = /(?<=^|[;,|\t\r\n])[^;,|\t\r\n]+/g;
const SIGNS = /[=+\-@\0\t\r\n＝＋－＠]/;

/**
 * Puts an apostrophe before a formula. `'=1` gets a second apostrophe, so that {@link unguarded} restores
 * it.
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
