/**
 * Characters that a terminal interprets or hides, e.g. C1 controls, bidi controls, zero-width
 * characters, tags and lone surrogates.
 */
const HIDDEN =
  '\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}\\ud800-\\udfff';
/**
 * Joiners (U+200C, U+200D) that no script or emoji needs, and an emoji selector (U+FE0F) without an emoji before it.
 */
const MISPLACED = [
  '(?<![\\p{Extended_Pictographic}])\\ufe0f',
  '(?<![\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]',
  '(?<=\\p{Script=Latin})[\\u200c\\u200d]',
  '[\\u200c\\u200d](?![\\p{L}\\p{Extended_Pictographic}])',
].join('|');

/**
 * Nearly all text matches this pattern. So the slow patterns, which take milliseconds to build, are hardly ever built.
 */
const PLAIN = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u034e]*$/;
const PLAIN_LINES = /^[\t\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u034e]*$/;

const made = new Map<string, RegExp>();

/** Matches the given C0 controls and all other hidden characters. Built on first use. */
function hidden(c0: string, flags: string): RegExp {
  const key = `${flags} ${c0}`;
  const pattern = made.get(key) ?? new RegExp(`[${c0}${HIDDEN}]|${MISPLACED}`, flags);
  made.set(key, pattern);
  return pattern;
}

const ALL_C0 = '\\u0000-\\u001f';
const ALL_BUT_LINES = '\\u0000-\\u0008\\u000b-\\u001f';

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Each UTF-16 unit as `\uXXXX`, as in JSON. */
function escaped(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index++) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** True if the text contains anything that must not reach a terminal raw, line breaks included. */
function hasControls(text: string): boolean {
  return !PLAIN.test(text) && hidden(ALL_C0, 'u').test(text);
}

/** One line of text, safe for a terminal: controls become visible (`\n`, `\u001b`). */
export function visible(text: string): string {
  return hasControls(text)
    ? text.replace(hidden(ALL_C0, 'gu'), (found) => SHORT[found] ?? escaped(found))
    : text;
}

/** Multi-line text, safe for a terminal: line feeds and tabs stay, other controls become visible. */
export function visibleLines(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(hidden(ALL_BUT_LINES, 'gu'), escaped);
}

/** Makes JSON text safe to display: hidden characters become `\uXXXX`, which means the same in JSON. */
export function escapeJson(json: string): string {
  return PLAIN_LINES.test(json) ? json : json.replace(hidden('', 'gu'), escaped);
}
