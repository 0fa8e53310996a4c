/** ASCII without spaces, as nearly all codes are. */
const PLAIN = /^[!-~]*$/;

/**
 * The one form by which codes are compared, in files, lists, the ledger and answers: case, spaces at the ends, Unicode
 * form, kind of dash and number of spaces make no difference. Nothing is removed.
 */
export function foldCode(code: string): string {
  if (PLAIN.test(code)) return code.toLowerCase();
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Pd}\u2212\u02d7\u2043]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim();
}
