/** Control characters other than tab and line ends. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/**
 * Checked first, because it is faster than `ZERO_WIDTH`. Most codes are ASCII, which has no zero-width
 * characters.
 */
const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Zero-width spaces and joiners, soft hyphens, direction marks and others. */
const ZERO_WIDTH = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Finds a control character, or in a code a zero-width character. Other text may contain zero-width
 * characters: they join emoji and separate words of some languages.
 *
 * @returns a description of the character; undefined if there is none
 */
export function invisibleIn(text: string, isCode: boolean): string | undefined {
  if (CONTROL.test(text)) return `the control character ${nameOf(CONTROL.exec(text)![0])}`;
  if (!isCode || !BEYOND_ASCII.test(text)) return undefined;
  const hidden = ZERO_WIDTH.exec(text)?.[0];
  return hidden === undefined ? undefined : `the zero-width character ${nameOf(hidden)}`;
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
