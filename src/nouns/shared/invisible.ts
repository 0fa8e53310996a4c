/** Control characters other than tab and line ends. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/**
 * Checked first, because it is faster than `ZERO_WIDTH`. Most codes are ASCII, which has no zero-width
 * characters.
 */
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Zero-width spaces and joiners, soft hyphens, direction marks and others. */
const ZERO_WIDTH = /\p{Default_Ignorable_Code_Point}/gu;
/** In a name, these belong to the character before them: variants of emoji and of ideographs. */
const VARIANT = /^(?:\p{Variation_Selector}|[\u{e0020}-\u{e007f}])$/u;
/** Joiners: part of emoji, and of words in e.g. Persian or Hindi. */
const JOINER = /^[\u200c\u200d]$/;
const MARK = /^[\u200e\u200f\u061c]$/;
const LATIN_OR_SIGN = /[\u0000-\u024f\u1e00-\u1eff\u2000-\u206f]$/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** `character`: e.g. `U+200B` */
export interface Invisible {
  readonly kind: 'control' | 'replacement' | 'zero-width';
  readonly character: string;
}

/**
 * Finds a control character; in a code or name also the replacement character of damaged text, or a
 * character without width. Names may contain such characters where emoji and some scripts need them.
 *
 * @returns undefined if there is none
 */
export function invisibleIn(text: string, kind: 'code' | 'name' | 'text'): Invisible | undefined {
  if (CONTROL.test(text)) return { kind: 'control', character: nameOf(CONTROL.exec(text)![0]) };
  if (kind === 'text' || !BEYOND_ASCII.test(text)) return undefined;
  if (text.includes('\ufffd')) return { kind: 'replacement', character: 'U+FFFD' };
  for (const { 0: hidden, index } of text.matchAll(ZERO_WIDTH)) {
    if (kind === 'name' && isNeeded(hidden, text, index)) continue;
    return { kind: 'zero-width', character: nameOf(hidden) };
  }
  return undefined;
}

function isNeeded(hidden: string, text: string, at: number): boolean {
  if (VARIANT.test(hidden)) return at > 0;
  if (JOINER.test(hidden)) return at > 0 && !LATIN_OR_SIGN.test(text.slice(0, at));
  return MARK.test(hidden) && RIGHT_TO_LEFT.test(text);
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
