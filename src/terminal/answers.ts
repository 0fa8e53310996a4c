import type { Lang } from '../core/text/phrase.ts';

/** Without accents, which not every keyboard has. */
function bare(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').trim();
}

/** What an answer to a y/N question means; undefined where it is neither. `y` and `n` always count. */
export function yesOrNo(answer: string, lang: Lang): boolean | undefined {
  const typed = bare(answer).toLowerCase();
  if (typed === '') return undefined;
  if ('yes'.startsWith(typed) || (lang === 'es' && 'si'.startsWith(typed))) return true;
  return 'no'.startsWith(typed) ? false : undefined;
}

/** Whether the expected word was typed, in its own case; accents may be missing. */
export function isTyped(answer: string, expected: string): boolean {
  return bare(answer) === bare(expected);
}
