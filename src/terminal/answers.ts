import type { Lang } from '../core/text/phrase.ts';

/** Removes accents, because not every keyboard has them. */
function bare(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim();
}

/** True for yes, false for no, undefined for any other answer. `y` and `n` work in every language. */
export function yesOrNo(answer: string, lang: Lang): boolean | undefined {
  const typed = bare(answer).toLowerCase();
  if (typed === '') return undefined;
  if ('yes'.startsWith(typed) || (lang === 'es' && 'si'.startsWith(typed))) return true;
  return 'no'.startsWith(typed) ? false : undefined;
}

/** Case counts; accents are optional. */
export function isTyped(answer: string, expected: string): boolean {
  return bare(answer) === bare(expected);
}
