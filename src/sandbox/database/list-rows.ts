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
/**
 * Finds a page of an ascending list by the last row of the page before it, if nothing was written in between. With
 * OFFSET alone, a list of a million rows takes minutes, because each page skips all rows before it.
 */
function followingPages(database: DatabaseSync, table: Table, fields: readonly string[]) {
  const writes = database.prepare(
    'SELECT total_changes() AS own, data_version AS others FROM pragma_data_version',
  );
  const written = () => JSON.stringify(writes.get());
  const seqOf = database.prepare(`SELECT seq FROM ${table} WHERE id = ?`);
  const statements = new Map<string | undefined, StatementSync>();
  let ended:
    | { readonly page: string; readonly from: SQLInputValue[]; readonly at: string }
    | undefined;
  const pageAt = (value: string, { sort, dir }: ListQuery, offset: number) =>
    JSON.stringify([value, sort, dir, offset]);

  const note = (value: string, query: ListQuery, rows: readonly StoredRow[]): void => {
    const row = rows.at(-1);
    const sorted = query.sort === undefined ? '' : row?.[query.sort];
    ended = undefined;
    // Rows without a value come first.
    if (query.dir === 'desc' || typeof row?.id !== 'string' || typeof sorted !== 'string') return;
    const { seq } = seqOf.get(row.id)!;
    const from = query.sort === undefined ? [seq!] : [sorted, seq!];
    ended = { page: pageAt(value, query, query.offset + rows.length), from, at: written() };
  };

  const next = (value: string, query: ListQuery): readonly StoredRow[] | undefined => {
    if (ended?.page !== pageAt(value, query, query.offset) || ended.at !== written()) {
      return undefined;
    }
    const { sort } = query;
    let statement = statements.get(sort);
    if (statement === undefined) {
      const after =
        sort === undefined
          ? '+organizationId = ? AND seq > ? ORDER BY seq'
          : `organizationId = ? AND (${sort}, seq) > (?, ?) ORDER BY ${sort}, seq`;
      statement = database.prepare(
        `SELECT ${fields.join(', ')} FROM ${table} WHERE ${after} LIMIT ?`,
      );
      statements.set(sort, statement);
    }
    const rows = statement.all(value, ...ended.from, query.limit ?? -1);
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
