/** Languages of questions; errors and data stay English. */
export type Lang = 'en' | 'es';

/** Text of a question: plain English, or one text per language. */
export type Phrase = string | Readonly<Record<Lang, string>>;

export function inLang(phrase: Phrase, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}
