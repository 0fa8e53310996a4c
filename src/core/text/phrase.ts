/** Languages of questions and reports. Errors are always in English. */
export const LANGS = ['en', 'es'] as const;
export type Lang = (typeof LANGS)[number];

export type Phrase = string | Readonly<Record<Lang, string>>;

export function inLang(phrase: Phrase, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}
