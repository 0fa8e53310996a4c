import type { Journal } from '../journal/journal.ts';

/** Rows of one file that share a key and would send different things. */
export interface Difference {
  readonly code: string;
  readonly rows: readonly number[];
}

interface Member {
  readonly row: number;
  readonly body: string;
}

/** Where the key of a row stands: its whole body, where nothing else tells rows apart. */
export type Column = 'code' | 'name' | 'fingerprint';

/**
 * Settles rows with one key: equal ones, as mapped, collapse into the first; of differing ones the
 * first or last stays, or all.
 *
 * @param keep undefined: differing rows are left alone and returned, at most `limit` of them.
 */
export function collapseDuplicates(
  journal: Journal,
  keep: 'first' | 'last' | 'all' | undefined,
  columns: readonly Column[] = ['code', 'name'],
  limit = 5,
): { readonly differing: readonly Difference[]; readonly count: number } {
  const differing: Difference[] = [];
  let count = 0;
  const { database } = journal;
  const drop = database.prepare("UPDATE rows SET state = 'duplicate', reason = ? WHERE row = ?");
  const dropAll = (rows: readonly Member[], kept: number, why: string) => {
    for (const { row } of rows) if (row !== kept) drop.run(`${why} row ${kept}`, row);
  };
  journal.commit(() => {
    for (const { key, members } of groups(journal, columns)) {
      if (keep === 'all') continue;
      const texts = new Set(members.map(({ body }) => body));
      const isEqual = texts.size === 1 || new Set([...texts].map(canonical)).size === 1;
      if (isEqual) dropAll(members, members[0]!.row, 'the same as');
      else if (keep === undefined) {
        count++;
        if (differing.length < limit) {
          differing.push({ code: key, rows: members.map(({ row }) => row) });
        }
      } else {
        const kept = keep === 'first' ? members[0]! : members.at(-1)!;
        dropAll(members, kept.row, 'its key is taken by');
      }
    }
  });
  return { differing, count };
}

/** Keys that more than one pending row has, with their rows in order. */
function* groups(
  journal: Journal,
  columns: readonly Column[],
): Generator<{ key: string; members: Member[] }> {
  const { database } = journal;
  for (const column of columns) {
    // By the index alone; the state of a row stands elsewhere, and few keys come twice.
    const keys = database
      .prepare(
        `SELECT ${column} AS key FROM rows WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
      )
      .all();
    const members = database.prepare(
      `SELECT r.row, b.body FROM rows r JOIN records b USING (row) WHERE r.${column} = ? AND r.state = 'pending' ORDER BY r.row`,
    );
    for (const { key } of keys) {
      const found = members.all(key!) as unknown as Member[];
      if (found.length > 1) yield { key: key as string, members: found };
    }
  }
}

/** The same text for bodies that differ in nothing but the order of their fields. */
function canonical(body: string): string {
  return JSON.stringify(sorted(JSON.parse(body)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
