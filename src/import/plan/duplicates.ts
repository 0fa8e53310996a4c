import type { Journal } from '../ledger/journal.ts';
import type { KeyColumn, KeyMember } from '../ledger/rows/planned-rows.ts';

export interface Difference {
  readonly code: string;
  readonly rows: readonly number[];
}

/**
 * Of several rows with the same key, it keeps one and marks the others as duplicates. It keeps the
 * first if all bodies are equal; otherwise `keep` decides.
 *
 * @param keep undefined: rows that differ are not marked; `all`: no row is marked, even
 * if bodies are equal
 * @param limit the most keys to return in `differing`
 * @returns the keys whose rows differ, if `keep` is undefined
 */
export function collapseDuplicates(
  journal: Journal,
  keep: 'first' | 'last' | 'all' | undefined,
  columns: readonly KeyColumn[] = ['code', 'name'],
  limit = 5,
): { readonly differing: readonly Difference[]; readonly count: number } {
  const differing: Difference[] = [];
  let count = 0;
  const collapse = (rows: readonly number[], kept: number, code: 'same_as' | 'same_key') => {
    const reason = { code, args: { row: kept } };
    for (const row of rows) {
      if (row !== kept) journal.rows.apply(row, 'collapse', 'duplicate', { reason });
    }
  };
  journal.commit(() => {
    for (const { key, rows, isEqual } of groups(journal, columns)) {
      if (keep === 'all') continue;
      if (isEqual) collapse(rows, rows[0]!, 'same_as');
      else if (keep === undefined) {
        count++;
        if (differing.length < limit) {
          differing.push({ code: key, rows: rows.slice(0, 100) });
        }
      } else {
        const kept = keep === 'first' ? rows[0]! : rows.at(-1)!;
        collapse(rows, kept, 'same_key');
      }
    }
  });
  return { differing, count };
}

/** Of rows that differ, keeps the one that a person chose. */
export function keepRow(journal: Journal, rows: readonly number[], kept: number): void {
  const reason = { code: 'same_key', args: { row: kept } } as const;
  journal.commit(() => {
    for (const row of rows) {
      if (row !== kept) journal.rows.apply(row, 'collapse', 'duplicate', { reason });
    }
  });
}

interface Group {
  readonly key: string;
  readonly rows: readonly number[];
  readonly isEqual: boolean;
}

/**
 * Parses only bodies whose texts differ: bodies may be long, and all rows may have the same key.
 */
function compared(
  key: string,
  members: Iterable<KeyMember>,
  bodyOf: (row: number) => string,
): Group {
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

function* groups({ rows: { planned } }: Journal, columns: readonly KeyColumn[]): Generator<Group> {
  for (const column of columns) {
    const members = planned.members(column);
    for (const key of planned.repeatedKeys(column)) {
      const group = compared(key, members(key), (row) => planned.bodyOf(row));
      if (group.rows.length > 1) yield group;
    }
  }
}

/** The same text for bodies that differ only in the order of fields or of list values. */
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
