/** Languages of questions and reports. Errors and data are always English. */
export type Lang = 'en' | 'es';

export type Phrase = string | Readonly<Record<Lang, string>>;

export function inLang(phrase: Phrase, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}
