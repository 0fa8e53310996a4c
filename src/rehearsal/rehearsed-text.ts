import { type CodeChange, changeText } from '../core/service/code-change.ts';
import type { Lang, Said } from '../core/text/phrase.ts';

/** What a rehearsal has found out, as far as a plan says it. */
export interface RehearsedFacts {
  readonly environment: string;
  /** ISO time. */
  readonly at: string;
  /** Undefined for nouns without codes. */
  readonly codes?:
    | {
        readonly change: CodeChange | undefined;
        readonly isKnown: boolean;
        readonly cutTo?: number | undefined;
      }
    | undefined;
  readonly second: SecondResult;
  /** Undefined for nouns without a list; null if a list did not show new records. */
  readonly lagMs?: number | null | undefined;
}

type SecondResult = 'created' | 'refused' | 'same id' | 'unknown';

const en = {
  rehearsed: (where: string, when: string, list: string) =>
    `rehearsed on ${where} ${when}: ${list}`,
  when: (days: number) => (days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`),
  asSent: 'codes are stored as sent',
  changed: (how: string) => `codes are stored ${how}`,
  cut: (length: number) => `longer codes are cut to ${length} characters`,
  unclear: 'codes are changed in a way that proc cannot tell',
  sameCode: {
    created: 'a second create with the same code creates another record',
    refused: 'a second create with the same code is refused',
    'same id': 'a second create with the same code returns the first record',
  },
  equal: {
    created: 'a second, equal create creates another record',
    refused: 'a second, equal create is refused',
    'same id': 'a second, equal create returns the first record',
  },
  lag: (time: string) => `lists lag ${time}`,
  noLag: 'lists show new records at once',
  hidden: 'lists do not show new records',
};

const es: typeof en = {
  rehearsed: (where, when, list) => `ensayado en ${where} ${when}: ${list}`,
  when: (days) => (days === 0 ? 'hoy' : days === 1 ? 'ayer' : `hace ${days} días`),
  asSent: 'los códigos se guardan como se envían',
  changed: (how) => `los códigos se guardan ${how}`,
  cut: (length) => `los códigos más largos se cortan a ${length} caracteres`,
  unclear: 'los códigos cambian de un modo que proc no reconoce',
  sameCode: {
    created: 'una segunda creación con el mismo código crea otro registro',
    refused: 'una segunda creación con el mismo código se rechaza',
    'same id': 'una segunda creación con el mismo código devuelve el primer registro',
  },
  equal: {
    created: 'una segunda creación igual crea otro registro',
    refused: 'una segunda creación igual se rechaza',
    'same id': 'una segunda creación igual devuelve el primer registro',
  },
  lag: (time) => `las listas tardan ${time}`,
  noLag: 'las listas muestran enseguida los registros nuevos',
  hidden: 'las listas no muestran los registros nuevos',
};

const WORDS = { en, es };

const IN_SPANISH: Readonly<Record<string, string>> = {
  'upper case': 'en mayúsculas',
  'lower case': 'en minúsculas',
  'without outer spaces': 'sin espacios exteriores',
  'without spaces': 'sin espacios',
  'without leading zeros': 'sin ceros iniciales',
  'as a number': 'como número',
  'without zeros before digits': 'sin ceros ante cifras',
  'with plain dashes': 'con guiones simples',
  'without dashes': 'sin guiones',
  'without signs': 'sin signos',
};

const DAY_MS = 86_400_000;

/** `rehearsed on staging 3 days ago: codes are stored in upper case; …` */
export function rehearsedText(facts: RehearsedFacts, now: number, lang: Lang): string {
  const words = WORDS[lang];
  const { environment, at, codes, second, lagMs } = facts;
  const days = Math.max(0, Math.floor((now - Date.parse(at)) / DAY_MS));
  const parts: string[] = [];
  if (codes !== undefined) {
    parts.push(storedText(codes, lang));
    if (codes.cutTo !== undefined) parts.push(words.cut(codes.cutTo));
  }
  if (second !== 'unknown')
    parts.push((codes === undefined ? words.equal : words.sameCode)[second]);
  if (lagMs === null) parts.push(words.hidden);
  else if (lagMs === 0) parts.push(words.noLag);
  else if (lagMs !== undefined) parts.push(words.lag(lagText(lagMs)));
  return words.rehearsed(environment, words.when(days), parts.join('; '));
}

/** `codes are stored in upper case` */
export function storedText(
  { change, isKnown }: NonNullable<RehearsedFacts['codes']>,
  lang: Lang,
): string {
  const words = WORDS[lang];
  if (!isKnown) return words.unclear;
  return change === undefined ? words.asSent : words.changed(howText(change)[lang]);
}

/** How codes are stored: `in upper case`. */
export function howText(change: CodeChange): Said {
  const es =
    change.name === 'prefix'
      ? `con el prefijo ${change.prefix}`
      : change.name
          .split(', ')
          .map((part) => IN_SPANISH[part] ?? `en ${part}`)
          .join(', ');
  return { en: changeText(change), es };
}

/** `2.1 s` */
export function lagText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 100) / 10} s`;
}
