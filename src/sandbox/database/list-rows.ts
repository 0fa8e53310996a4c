import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Collation, Habits } from '../faults/behaviour.ts';
import type { ListQuery } from './list-query.ts';
import type { Store, StoredRow } from './sandbox-store.ts';
import type { Table } from './tables.ts';

/**
 * Lists the rows of one organization, or of one group if `scope` is `groupId`. Rows with the same
 * value in the sort field are sorted by creation, so that pages do not overlap.
 */
export function lister(
  { store, habits }: { readonly store: Store; readonly habits: Habits },
  table: Table,
  fields: readonly string[],
  scope = 'organizationId',
): (value: string, query: ListQuery) => readonly StoredRow[] {
  // Sort fields and directions are few, so each statement is prepared once.
  const statements = new Map<string, StatementSync>();
  if (habits.collation === 'unaccented') defineFold(store);
  const since = store.now();
  const isPlain =
    habits.lagMs === 0 &&
    habits.collation === 'binary' &&
    !habits.isNewestFirst &&
    scope !== 'groupId';
  const pages = isPlain ? followingPages(store.database, table, fields) : undefined;
  return (value, query) => {
    const next = pages?.next(value, query);
    if (next !== undefined) return next;
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
    if (habits.lagMs === 0) {
      const rows = statement.all(value, ...bounds);
      pages?.note(value, query, rows);
      return rows;
    }
    // What was there when the sandbox started is shown at once.
    const until = store.now(-habits.lagMs);
    return statement.all(value, until > since ? until : since, ...bounds);
  };
}

/** A value in SQL, as it is compared. */
const MOST_PAGES = 64;

/**
 * Finds a page of an ascending list from the last row of an earlier page, if nothing was written in between. With
 * OFFSET alone, a list of a million rows takes minutes, because each page skips all rows before it.
 */
function followingPages(database: DatabaseSync, table: Table, fields: readonly string[]) {
  const writes = database.prepare(
    'SELECT total_changes() AS own, data_version AS others FROM pragma_data_version',
  );
  const seqOf = database.prepare(`SELECT seq FROM ${table} WHERE id = ?`);
  const statements = new Map<string | undefined, StatementSync>();
  /** By the number of rows up to and with it: the values that find the rows after it. */
  const ends = new Map<number, readonly SQLInputValue[]>();
  let known = '';

  /** Forgets the pages of another list, or of the list as it was before a write. */
  const turnTo = (value: string, { sort, dir }: ListQuery): void => {
    const now = JSON.stringify([value, sort, dir, writes.get()]);
    if (known !== now) ends.clear();
    known = now;
  };

  const note = (value: string, query: ListQuery, rows: readonly StoredRow[]): void => {
    const row = rows.at(-1);
    const sorted = query.sort === undefined ? '' : row?.[query.sort];
    // Rows without a value come first.
    if (query.dir === 'desc' || typeof row?.id !== 'string' || typeof sorted !== 'string') return;
    turnTo(value, query);
    const { seq } = seqOf.get(row.id)!;
    ends.set(query.offset + rows.length, query.sort === undefined ? [seq!] : [sorted, seq!]);
    if (ends.size > MOST_PAGES) ends.delete(ends.keys().next().value!);
  };

  const next = (value: string, query: ListQuery): readonly StoredRow[] | undefined => {
    turnTo(value, query);
    const from = Math.max(...[...ends.keys()].filter((end) => end <= query.offset));
    const end = ends.get(from);
    if (end === undefined) return undefined;
    const { sort } = query;
    let statement = statements.get(sort);
    if (statement === undefined) {
      const after =
        sort === undefined
          ? '+organizationId = ? AND seq > ? ORDER BY seq'
          : `organizationId = ? AND (${sort}, seq) > (?, ?) ORDER BY ${sort}, seq`;
      statement = database.prepare(
        `SELECT ${fields.join(', ')} FROM ${table} WHERE ${after} LIMIT ? OFFSET ?`,
      );
      statements.set(sort, statement);
    }
    const rows = statement.all(value, ...end, query.limit ?? -1, query.offset - from);
    note(value, query, rows);
    return rows;
  };
  return { next, note };
}

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
