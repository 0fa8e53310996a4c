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

/** A mark of another program: Excel hides the apostrophe of `'00123`, and shows `="00123"` as 00123. */
const QUOTED = /^="((?:[^"]|"")*)"$/;
const TEXT_NUMBER = /^'\d\S*$/;

/**
 * Puts an apostrophe before a formula. `'=1` gets a second apostrophe, as any text that begins with one, so
 * that {@link unguarded} restores it.
 */
export function guarded(text: string): string {
  const safe = SIGNS.test(text) ? withGuards(text) : text;
  return isMarked(text) ? `'${safe}` : safe;
}

/** Begins with an apostrophe that guards no formula. */
function isMarked(text: string): boolean {
  return text.startsWith("'") && !FORMULA.test(text) && !BLANK_START.test(text);
}

function withGuards(text: string): string {
  const safe = text.replace(PIECE, (cell) =>
    FORMULA.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell,
  );
  return BLANK_START.test(text) ? `'${safe}` : safe;
}

/** The text of a cell that an export of proc has written. */
export function unguarded(text: string): string {
  if (!text.includes("'")) return text;
  const hasMark = text.startsWith("''") && isMarked(text);
  const whole = hasMark || (text.startsWith("'") && BLANK_START.test(text)) ? text.slice(1) : text;
  return whole.replace(PIECE, (cell) =>
    cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell,
  );
}

/**
 * The text of a cell of any program: like {@link unguarded}, and without the marks with which other
 * programs keep leading zeros.
 */
export function unmarked(text: string): string {
  const [, quoted] = QUOTED.exec(text) ?? [];
  if (quoted !== undefined) return quoted.replaceAll('""', '"');
  return TEXT_NUMBER.test(text) ? text.slice(1) : unguarded(text);
}
