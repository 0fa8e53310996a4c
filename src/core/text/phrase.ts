/** Languages of questions, reports and whatever else a dialogue shows. All other text is English. */
export const LANGS = ['en', 'es'] as const;
export type Lang = (typeof LANGS)[number];

/** A text in each language. */
export type Said = Readonly<Record<Lang, string>>;

export type Phrase = string | Said;

/** A phrase from one function that says it in each language. */
export function inEach(say: (lang: Lang) => string): Said {
  return { en: say('en'), es: say('es') };
}

export function inLang(phrase: Phrase, lang: Lang): string {
  return typeof phrase === 'string' ? phrase : phrase[lang];
}
