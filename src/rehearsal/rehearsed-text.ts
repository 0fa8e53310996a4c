import { type CodeChange, changeText } from '../core/service/code-change.ts';

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

const WORDS = {
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

const DAY_MS = 86_400_000;

/** `rehearsed on staging 3 days ago: codes are stored in upper case; …` */
export function rehearsedText(facts: RehearsedFacts, now: number): string {
  const words = WORDS;
  const { environment, at, codes, second, lagMs } = facts;
  const days = Math.max(0, Math.floor((now - Date.parse(at)) / DAY_MS));
  const parts: string[] = [];
  if (codes !== undefined) {
    parts.push(storedText(codes));
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
export function storedText({ change, isKnown }: NonNullable<RehearsedFacts['codes']>): string {
  const words = WORDS;
  if (!isKnown) return words.unclear;
  return change === undefined ? words.asSent : words.changed(howText(change));
}

/** How codes are stored: `in upper case`. */
export function howText(change: CodeChange): string {
  return changeText(change);
}

/** `2.1 s` */
export function lagText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.ceil(ms / 100) / 10} s`;
}
