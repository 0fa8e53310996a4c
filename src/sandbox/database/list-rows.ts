import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Collation, Habits } from '../faults/behaviour.ts';
import type { ListQuery } from './list-query.ts';
import type { Store, StoredRow } from './sandbox-store.ts';
import type { Table } from './tables.ts';

/**
 * Lists the rows of one organization, or of one group if `scope` is `groupId`. Rows with the same
 * value in the sort field are sorted by creation, so that pages do not overlap.
 */
export function lister(
  store: Store,
  habits: Habits,
  table: Table,
  fields: readonly string[],
  scope = 'organizationId',
): (value: string, query: ListQuery) => readonly StoredRow[] {
  // Sort fields and directions are few, so each statement is prepared once.
  const statements = new Map<string, StatementSync>();
  if (habits.collation === 'unaccented') defineFold(store);
  const since = store.now();
  return (value, query) => {
    const direction = query.dir === 'desc' ? 'DESC' : 'ASC';
    const key = `${query.sort} ${direction}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const order =
        query.sort === undefined ? '' : `${collated(query.sort, habits.collation)} ${direction}, `;
      // An unsorted list is read in table order. The plus stops SQLite from using an index and then
      // sorting all rows for each page.
      const where = query.sort === undefined && scope === 'organizationId' ? `+${scope}` : scope;
      const shown = habits.lagMs === 0 ? '' : 'AND createdAt <= ?';
      const isReversed = query.sort === undefined && habits.isNewestFirst && scope !== 'groupId';
      statement = store.database.prepare(
        `SELECT ${fields.join(', ')} FROM ${table} WHERE ${where} = ? ${shown} ORDER BY ${order}seq ${isReversed ? 'DESC' : direction} LIMIT ? OFFSET ?`,
      );
      statements.set(key, statement);
    }
    const bounds: SQLInputValue[] = [query.limit ?? -1, query.offset];
    if (habits.lagMs === 0) return statement.all(value, ...bounds);
    // What was there when the sandbox started is shown at once.
    const until = store.now(-habits.lagMs);
    return statement.all(value, until > since ? until : since, ...bounds);
  };
}

/** A value in SQL, as it is compared. */
export function collated(field: string, collation: Collation): string {
  if (collation === 'nocase') return `${field} COLLATE NOCASE`;
  return collation === 'unaccented' ? `fold(${field})` : field;
}

/** Ignores case and accents, as many databases do. */
export function defineFold(store: Store): void {
  // Cached, because each sorted request folds the sort field of all rows.
  const folded = new Map<string, string>();
  store.database.function('fold', { deterministic: true }, (value) => {
    if (typeof value !== 'string') return value;
    let text = folded.get(value);
    if (text === undefined) {
      text = value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
      folded.set(value, text);
    }
    return text;
  });
}
