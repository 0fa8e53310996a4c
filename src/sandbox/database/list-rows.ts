import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { ListQuery } from './list-query.ts';
import type { Store, StoredRow } from './sandbox-store.ts';
import type { Table } from './tables.ts';

/**
 * Lists the rows of one organization, or of one group if `scope` is `groupId`. Rows with the same
 * value in the sort field are sorted by creation, so that pages do not overlap.
 */
export function lister(
  store: Store,
  table: Table,
  fields: readonly string[],
  scope = 'organizationId',
): (value: string, query: ListQuery) => readonly StoredRow[] {
  // Sort fields and directions are few, so each statement is prepared once.
  const statements = new Map<string, StatementSync>();
  const pages = scope === 'groupId' ? undefined : followingPages(store.database, table, fields);
  return (value, query) => {
    const next = pages?.next(value, query);
    if (next !== undefined) return next;
    const direction = query.dir === 'desc' ? 'DESC' : 'ASC';
    const key = `${query.sort} ${direction}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const order = query.sort === undefined ? '' : `${query.sort} ${direction}, `;
      // An unsorted list is read in table order. The plus stops SQLite from using an index and then
      // sorting all rows for each page.
      const where = query.sort === undefined && scope === 'organizationId' ? `+${scope}` : scope;
      statement = store.database.prepare(
        `SELECT ${fields.join(', ')} FROM ${table} WHERE ${where} = ? ORDER BY ${order}seq ${direction} LIMIT ? OFFSET ?`,
      );
      statements.set(key, statement);
    }
    const rows = statement.all(value, query.limit ?? -1, query.offset);
    pages?.note(value, query, rows);
    return rows;
  };
}

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
