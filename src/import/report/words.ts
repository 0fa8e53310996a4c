import type { StoredProblem } from '../../core/problem/row-problem.ts';
import { type Counted, countedWord } from '../../messages/import-nouns.ts';
import { sentenceIn } from '../../messages/problems.ts';

/** `1 row`, `2 rows`; or another noun with its plural. */
export function rowsIn(count: number, one = 'row', many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Several rows may make one requisition, which the run sends, rejects and counts as a whole. */
export function countedIn({ groupBy }: { readonly groupBy: string | undefined }): Counted {
  return groupBy === undefined ? 'rows' : 'requisitions';
}

/** What the run counts, e.g. `2 requisitions`; with a kind, `1 pending row`. */
export function countIn(
  header: { readonly groupBy: string | undefined },
  count: number,
  kind = '',
): string {
  return rowsIn(count, `${kind}${countedWord(1, countedIn(header))}`);
}

export function placeOf(row: number, line: number | null | undefined): string {
  const [rowWord, lineWord] = ['row', 'line'];
  const at = `${rowWord} ${row}`;
  return line === null || line === undefined ? at : `${at}, ${lineWord} ${line}`;
}

/** Once the rows of a run are in the ledger, an earlier command may have sent some of them. */
export function nothingSent({ isSent }: { readonly isSent: boolean }): string {
  return isSent ? 'nothing more was sent' : 'nothing was sent';
}

/** A row for a file or for JSON: its reason as a sentence. */
export function withReason<R extends { readonly reason: StoredProblem | null }>(
  row: R,
): Omit<R, 'reason'> & { readonly reason: string | null } {
  return { ...row, reason: sentenceIn(row.reason) };
}
