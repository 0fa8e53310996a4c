/** Languages of questions and reports. Errors are always in English. */
export type Lang = 'en' | 'es';

export type Phrase = string | Readonly<Record<Lang, string>>;

export function inLang(phrase: Phrase, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}
