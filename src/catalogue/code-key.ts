import { foldSpelling } from '../import/plan/spelling-index.ts';

/**
 * Equal for codes that differ only in spelling or separators: `HB-12`, `hb 12` and `HB12`. A separator between
 * digits stays, because 1-12 and 11-2 are different codes.
 */
export function codeKeyOf(code: string): string {
  return foldSpelling(code)
    .replace(/[\s_./·-]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/(?<!\p{N})-|-(?!\p{N})/gu, '');
}
