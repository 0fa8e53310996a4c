/**
 * Characters that a terminal obeys or hides instead of showing: C0, DEL, C1, bidi controls, line
 * and paragraph separators, zero-width and tag characters, lone surrogates. Joiners (U+200C/D)
 * stay: scripts and emoji need them.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\ud800-\\udfff';
const ANY_CONTROL = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, 'u');
const ALL = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, 'gu');
const ALL_BUT_LINES = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${HIDDEN}]`, 'gu');
const ALL_BUT_C0 = new RegExp(`[${HIDDEN}]`, 'gu');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Every UTF-16 unit as `\uXXXX`, which is also how JSON writes it. */
function escaped(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** True where the text holds anything that must not reach a terminal raw, line ends included. */
export function hasControls(text: string): boolean {
  return ANY_CONTROL.test(text);
}

/** One line of text, safe for a terminal: controls become visible (`\n`, `\u001b`). */
export function visible(text: string): string {
  return hasControls(text) ? text.replace(ALL, (found) => SHORT[found] ?? escaped(found)) : text;
}

/** Text of several lines, safe for a terminal: line feeds and tabs stay, all else becomes visible. */
export function visibleLines(text: string): string {
  return hasControls(text) ? text.replaceAll('\r\n', '\n').replace(ALL_BUT_LINES, escaped) : text;
}

/**
 * Makes JSON text safe to look at: what JSON lets through raw (DEL, C1, bidi, zero-width) becomes
 * `\uXXXX`. The value stays the same. C0 can only be the line ends between tokens.
 */
export function escapeJson(json: string): string {
  return json.replace(ALL_BUT_C0, escaped);
}
