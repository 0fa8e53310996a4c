/** ASCII without spaces, as nearly all codes are. */
const PLAIN = /^[!-~]*$/;

/**
 * The same text for codes that differ only in case, spaces, dashes, Unicode form or invisible
 * characters.
 */
export function foldSpelling(code: string): string {
  if (PLAIN.test(code)) return code.toLowerCase();
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{Pd}\u2212\u02d7\u2043]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();
}
