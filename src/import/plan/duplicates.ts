import type { Journal } from '../ledger/journal.ts';

/** Rows of one file that share a key and would send different things. */
export interface Difference {
  readonly code: string;
  readonly rows: readonly number[];
}

interface Member {
  readonly row: number;
  /** 1 where its body is that of the first, letter by letter. */
  readonly isSame: 0 | 1;
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
  const dropAll = (rows: readonly number[], kept: number, why: string) => {
    for (const row of rows) if (row !== kept) drop.run(`${why} row ${kept}`, row);
  };
  journal.commit(() => {
    for (const { key, rows, isEqual } of groups(journal, columns)) {
      if (keep === 'all') continue;
      if (isEqual) dropAll(rows, rows[0]!, 'the same as');
      else if (keep === undefined) {
        count++;
        if (differing.length < limit) {
          differing.push({ code: key, rows: rows.slice(0, 100) });
        }
      } else {
        const kept = keep === 'first' ? rows[0]! : rows.at(-1)!;
        dropAll(rows, kept, 'its key is taken by');
      }
    }
  });
  return { differing, count };
}

/** Pending rows with one key, in order, and whether all of them would send the same. */
interface Group {
  readonly key: string;
  readonly rows: readonly number[];
  readonly isEqual: boolean;
}

/** A file may have one key throughout, and long bodies: those are read that are not the same text. */
function compared(key: string, members: Iterable<Member>, bodyOf: (row: number) => string): Group {
  const rows: number[] = [];
  let sample: string | undefined;
  let isEqual = true;
  for (const { row, isSame } of members) {
    rows.push(row);
    if (!isEqual || isSame === 1) continue;
    sample ??= canonical(bodyOf(rows[0]!));
    isEqual = canonical(bodyOf(row)) === sample;
  }
  return { key, rows, isEqual };
}

/** Keys that more than one pending row has, with their rows in order. */
function* groups(journal: Journal, columns: readonly Column[]): Generator<Group> {
  const { database } = journal;
  for (const column of columns) {
    // By the index alone; the state of a row stands elsewhere, and few keys come twice.
    const keys = database
      .prepare(
        `SELECT ${column} AS key FROM rows WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`,
      )
      .all();
    const pending = `FROM rows r WHERE r.${column} = ?1 AND r.state = 'pending'`;
    const members = database.prepare(
      `SELECT r.row, b.body IS (SELECT body FROM records WHERE row = (SELECT min(r.row) ${pending})) AS isSame FROM rows r JOIN records b USING (row) WHERE r.${column} = ?1 AND r.state = 'pending' ORDER BY r.row`,
    );
    const body = database.prepare('SELECT body FROM records WHERE row = ?');
    for (const { key } of keys) {
      const found = members.iterate(key!) as Iterable<unknown> as Iterable<Member>;
      const group = compared(key as string, found, (row) => body.get(row)!.body as string);
      if (group.rows.length > 1) yield group;
    }
  }
}

/** The same text for bodies that differ in nothing but the order of their fields, or of values in lists. */
function canonical(body: string): string {
  return JSON.stringify(sorted(JSON.parse(body)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((inner) => JSON.stringify(sorted(inner))).sort();
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
