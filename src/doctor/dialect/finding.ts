import { type Query, queryText, type Seen, seenText } from './probe.ts';

/**
 * What a finding is about. `position` is the parameter for a row offset or a page number. A finding
 * about `paging` says that one response contains the whole list.
 */
export type Word = 'paging' | 'limit' | 'position' | 'sort' | 'dir';

export type Finding = {
  readonly word: Word;
  /** What proves the finding, or why there is no proof. */
  readonly why: string;
  /** Requests and their results, e.g. `?limit=2 → 2 rows`. */
  readonly evidence: readonly string[];
  /** For a page number. */
  readonly page?: PageStyle | undefined;
} & (
  | {
      readonly state: 'seen';
      readonly name: string;
      /** How many rows the list has; set if one response contains the whole list. */
      readonly rows?: number;
    }
  /** `name` is only a guess. `isTaken`: it has an effect in another list, and this list accepts it. */
  | { readonly state: 'unclear'; readonly name?: string | undefined; readonly isTaken?: boolean }
);

/** Whether lists should be read with this name. */
export function isUsable(finding: Finding): finding is Finding & { readonly name: string } {
  return finding.state === 'seen' || finding.isTaken === true;
}

/** Pages are numbered from `base`. */
interface PageStyle {
  readonly base: 0 | 1;
}

export function shown(query: Query, seen: Seen, remark?: string): string {
  const text = queryText(query) || '(no parameters)';
  return `${text} → ${seenText(seen)}${remark === undefined ? '' : `, ${remark}`}`;
}

const MOST_SHOWN = 5;

export function failures(failed: readonly string[]): readonly string[] {
  const more = failed.length - MOST_SHOWN;
  return more > 0 ? [...failed.slice(0, MOST_SHOWN), `and ${more} more failed requests`] : failed;
}

/**
 * @param failed the failed requests, as lines of evidence
 * @param why the effect that no name has, e.g. `moves through the list`
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
  const why = `not certain, because ${count} failed`;
  return { word, state: 'unclear', why, evidence: [...evidence, ...failures(failed)] };
}
