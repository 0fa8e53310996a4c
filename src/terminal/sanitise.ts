/**
 * Characters that a terminal obeys or hides instead of showing: DEL, C1, soft hyphen, bidi controls,
 * line and paragraph separators, zero-width characters, fillers that look like a space or like nothing,
 * variation selectors, tags, lone surrogates.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\ud800-\\udfff';
/** Joiners (U+200C/D) stay where scripts and emoji need them, the emoji selector behind an emoji. */
const MISPLACED = [
  '(?<![\\p{Extended_Pictographic}])\\ufe0f',
  '(?<![\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]',
  '(?<=\\p{Script=Latin})[\\u200c\\u200d]',
  '[\\u200c\\u200d](?![\\p{L}\\p{Extended_Pictographic}])',
].join('|');
const ANY_CONTROL = new RegExp(`[\\u0000-\\u001f${HIDDEN}]|${MISPLACED}`, 'u');
const ALL = new RegExp(`[\\u0000-\\u001f${HIDDEN}]|${MISPLACED}`, 'gu');
const ALL_BUT_LINES = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${HIDDEN}]|${MISPLACED}`, 'gu');
const ALL_BUT_C0 = new RegExp(`[${HIDDEN}]|${MISPLACED}`, 'gu');

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
