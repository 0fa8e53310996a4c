import { http, startHostile, targetOf } from './hostile-service.ts';

export interface Item {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/**
 * How the list of items behaves where the contract leaves it open. `limit`, `offset`, `sort` and `dir` are
 * names of parameters.
 */
export interface ForeignHabits {
  readonly limit?: string;
  readonly offset?: string;
  /** The parameter for page numbers, from 1. */
  readonly page?: string;
  readonly sort?: string;
  readonly dir?: string;
  /** Rows of a page if the request has no limit (default 20). */
  readonly size?: number;
  readonly cap?: number;
  /** The list ends after this many rows. */
  readonly mostRows?: number;
  /** Returns all rows, whatever is requested. */
  readonly isWhole?: boolean;
}

/** A service of items whose behaviour proc does not know beforehand. For `await using`. */
export async function foreignService(habits: ForeignHabits) {
  const items: Item[] = [];
  const requests: string[] = [];
  let creates = 0;
  const hostile = await startHostile((socket, { method, line, body }) => {
    const url = new URL(line.split(' ')[1]!, 'http://x');
    requests.push(`${method} ${url.search}`);
    const respond = (status: number, value: unknown) => {
      socket.write(http(status, JSON.stringify(value)));
    };
    if (method === 'GET') {
      const rows = listed(items, url.searchParams, habits);
      return typeof rows === 'number' ? respond(rows, { message: 'no' }) : respond(200, rows);
    }
    creates++;
    const { code, name } = JSON.parse(body) as Item;
    const item = { id: `f-${items.length + 1}`, code, name };
    items.push(item);
    respond(201, item);
  });
  return { ...hostile, items, requests, creates: () => creates, target: targetOf(hostile) };
}

function listed(
  items: readonly Item[],
  query: URLSearchParams,
  habits: ForeignHabits,
): readonly Item[] | number {
  const { limit, offset, page, sort, dir, size = 20, cap = 100 } = habits;
  const value = (name: string | undefined) => (name === undefined ? null : query.get(name));
  const rows = [...items];
  const by = value(sort) as 'code' | 'name' | null;
  if (by !== null) rows.sort((a, b) => (a[by] < b[by] ? -1 : 1));
  if (value(dir) === 'desc') rows.reverse();
  if (habits.mostRows !== undefined) rows.length = Math.min(rows.length, habits.mostRows);
  if (habits.isWhole) return rows;
  if (Number(value(limit) ?? 0) > 100) return 400;
  const most = Math.min(cap, Number(value(limit) ?? size));
  const number = value(page);
  if (number !== null && Number(number) < 1) return 400;
  const from = number === null ? Number(value(offset) ?? 0) : (Number(number) - 1) * most;
  return rows.slice(from, from + most);
}
