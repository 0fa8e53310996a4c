import { type Query, queryText, type Seen, seenText } from './probe.ts';

/** A parameter of a list whose name is looked for. `position` is a row offset or a page number. */
export type Word = 'limit' | 'position' | 'sort' | 'dir';

/** What is known of one parameter. Only `seen` is a claim. */
export type Finding = {
  readonly word: Word;
  /** In words: why this is known, or why it cannot be. */
  readonly why: string;
  /** Requests and what they showed: `?limit=2 → 2 rows`. */
  readonly evidence: readonly string[];
} & (
  | { readonly state: 'seen'; readonly name: string; readonly page?: PageStyle | undefined }
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

/** None of the names that were tried does anything. */
export function notFound(
  word: Word,
  tried: number,
  why: string,
  evidence: readonly string[] = [],
): Finding {
  return { word, state: 'unclear', why: `none of ${tried} names ${why}`, evidence };
}
