import { createServer } from 'node:http';

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
  /** The parameter for page numbers. The number of the first page is `base`. */
  readonly page?: string;
  readonly base?: number;
  readonly sort?: string;
  readonly dir?: string;
  /** Rows of a page if the request has no limit (default 20). */
  readonly size?: number;
  readonly cap?: number;
  /** The list ends after this many rows. */
  readonly mostRows?: number;
  /** Returns all rows, whatever is requested. */
  readonly isWhole?: boolean;
  /** Requests without a sort parameter get the rows in a new order each time. */
  readonly isUnstable?: boolean;
  /** Answers 400 to parameters that it does not know. */
  readonly refuses?: boolean;
  /** A request past the end gets the last page. */
  readonly clamps?: boolean;
  /** A request past the end gets this status instead of an empty page. */
  readonly past?: number;
  /**
   * Selects the fields of an item that the list shows. If it returns undefined, the list leaves the item out.
   */
  readonly shows?: (item: Item) => Partial<Item> | undefined;
  /** Called for each create, before the response. */
  readonly onCreate?: (items: Item[], created: Item) => void;
  /** Resets the connection instead of answering the create of this code. */
  readonly loses?: (code: string) => boolean;
  /** Answers 401 to the nth create (from 1). */
  readonly refusesCreate?: (nth: number) => boolean;
}

/** A service of items whose behaviour proc does not know beforehand. For `await using`. */
export async function foreignService(habits: ForeignHabits) {
  const items: Item[] = [];
  const requests: string[] = [];
  let creates = 0;
  let turn = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    requests.push(`${request.method} ${url.search}`);
    const respond = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method === 'GET') {
      const { shows } = habits;
      const shown = items.flatMap((item) => (shows === undefined ? item : (shows(item) ?? [])));
      const rows = listed(shown as Item[], url.searchParams, habits, turn++);
      return typeof rows === 'number' ? respond(rows, { message: 'no' }) : respond(200, rows);
    }
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (habits.refusesCreate?.(creates + 1) === true) return respond(401, { message: 'no' });
      creates++;
      const { code, name } = JSON.parse(body) as Item;
      const item = { id: `f-${items.length + 1}`, code, name };
      items.push(item);
      habits.onCreate?.(items, item);
      if (habits.loses?.(code) === true) response.destroy();
      else respond(201, item);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    items,
    requests,
    creates: () => creates,
    target: { PROC_BASE_URL: `http://127.0.0.1:${port}/api/v1`, PROC_API_KEY: 'k-1' },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listed(
  items: readonly Item[],
  query: URLSearchParams,
  habits: ForeignHabits,
  turn: number,
): readonly Item[] | number {
  const { limit, offset, page, base = 1, sort, dir, size = 20, cap = 100 } = habits;
  const known = [limit, offset, page, sort, dir];
  if (habits.refuses && [...query.keys()].some((name) => !known.includes(name))) return 400;
  const value = (name: string | undefined) => (name === undefined ? null : query.get(name));
  const rows = [...items];
  const by = value(sort) as 'code' | 'name' | null;
  if (by !== null) rows.sort((a, b) => (a[by] < b[by] ? -1 : 1));
  else if (habits.isUnstable) rows.sort((a, b) => mixed(a.id, turn) - mixed(b.id, turn));
  if (value(dir) === 'desc') rows.reverse();
  if (habits.mostRows !== undefined) rows.length = Math.min(rows.length, habits.mostRows);
  if (habits.isWhole) return rows;
  if (Number(value(limit) ?? 0) > 100) return 400;
  const most = Math.min(cap, Number(value(limit) ?? size));
  const number = value(page);
  if (number !== null && Number(number) < base) return 400;
  let from = number === null ? Number(value(offset) ?? 0) : (Number(number) - base) * most;
  if (from >= rows.length && from > 0) {
    if (habits.past !== undefined) return habits.past;
    if (habits.clamps) from = Math.max(0, Math.floor((rows.length - 1) / most) * most);
  }
  return rows.slice(from, from + most);
}

function mixed(id: string, turn: number): number {
  let hash = turn + 1;
  for (const letter of `${id} ${turn}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x85ebca6b);
  return hash;
}
