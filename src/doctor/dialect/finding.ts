import { type Query, queryText, type Seen, seenText } from './probe.ts';

/**
 * A parameter of a list whose name is looked for. `position` is a row offset or a page number; `paging`
 * is about a list that has neither.
 */
export type Word = 'paging' | 'limit' | 'position' | 'sort' | 'dir';

/** What is known of one parameter. Only `seen` is a claim. */
export type Finding = {
  readonly word: Word;
  /** In words: why this is known, or why it cannot be. */
  readonly why: string;
  /** Requests and what they showed: `?limit=2 → 2 rows`. */
  readonly evidence: readonly string[];
} & (
  | {
      readonly state: 'seen';
      readonly name: string;
      readonly page?: PageStyle | undefined;
      /** Of a list that comes whole: how many there were. */
      readonly rows?: number;
    }
  /** `name` is what it probably is; nothing proves it. */
  | { readonly state: 'unclear'; readonly name?: string | undefined }
);

/** The position counts pages, the first of which has this number. */
interface PageStyle {
  readonly base: 0 | 1;
}

/** A line of evidence. */
export function shown(query: Query, seen: Seen, remark?: string): string {
  const text = queryText(query) || '(no parameters)';
  return `${text} → ${seenText(seen)}${remark === undefined ? '' : `, ${remark}`}`;
}

/** As many failures as evidence shows; the others are counted. */
const MOST_SHOWN = 5;

/** What failed of the look, for its evidence. */
export function failures(failed: readonly string[]): readonly string[] {
  const more = failed.length - MOST_SHOWN;
  return more > 0
    ? [...failed.slice(0, MOST_SHOWN), `and ${more} further failed requests`]
    : failed;
}

/**
 * None of the names that were tried does anything: a claim only where each request was answered.
 *
 * @param failed of all that were asked for this finding.
 */
export function notFound(
  word: Word,
  failed: readonly string[],
  tried: number,
  why: string,
  evidence: readonly string[] = [],
): Finding {
  if (failed.length > 0) return cannotTell(word, failed, evidence);
  return { word, state: 'unclear', why: `none of ${tried} names ${why}`, evidence };
}

export function cannotTell(
  word: Word,
  failed: readonly string[],
  evidence: readonly string[] = [],
): Finding {
  const count = failed.length === 1 ? '1 request' : `${failed.length} requests`;
  const why = `${count} failed, so it cannot be told`;
  return { word, state: 'unclear', why, evidence: [...evidence, ...failures(failed)] };
}
