import { http, startHostile } from '../support/hostile-service.ts';

interface Item {
  readonly id: string;
  readonly code: string;
  readonly name: string;
}

/** What the service does with one create. `stored` says whether the item exists afterwards. */
export interface Fate {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stored?: boolean;
  /** Resets the connection instead of a response. */
  readonly reset?: boolean;
  /** Sends the previous response again instead of a new one. */
  readonly repeats?: boolean;
}

let started = 0;

/**
 * A service of items with a sorted list. The test decides how it answers creates.
 *
 * @param fate what happens to the nth create (from 1) with this code
 * @param shows an item as the list shows it; undefined: the list leaves it out
 * @param stores the code that the service stores
 */
export async function itemService(
  fate: (code: string, nth: number) => Fate | undefined,
  shows: (item: Item) => object | undefined = (item) => item,
  stores: (code: string) => string = (code) => code,
) {
  const items: Item[] = [];
  let creates = 0;
  let most: number | undefined;
  let response: ReturnType<typeof http>;
  const service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const offset = Number(query.get('offset') ?? 0);
      const limit = Number(query.get('limit') ?? 20);
      const shown = items.flatMap((item) => (shows(item) as Item | undefined) ?? []);
      const rows = query.has('sort') ? shown.sort((a, b) => (a.code < b.code ? -1 : 1)) : shown;
      const page = most === undefined ? rows.slice(offset, offset + limit) : rows.slice(0, most);
      socket.write(http(200, JSON.stringify(page)));
      return;
    }
    const { code, name } = JSON.parse(body) as Item;
    const { status = 201, stored = status < 300, ...rest } = fate(code, ++creates) ?? {};
    const item = { id: `i-${items.length + 1}`, code: stores(code), name };
    if (stored) items.push(item);
    if (rest.reset === true) socket.resetAndDestroy();
    else {
      if (rest.repeats !== true) {
        const body = rest.body ?? (status < 400 ? item : { message: 'no' });
        response = http(status, JSON.stringify(body), rest.headers);
      }
      socket.write(response);
    }
  });
  return {
    ...service,
    items,
    creates: () => creates,
    /** From now on, a list has its first rows, whatever is asked for. */
    cutLists(count: number): void {
      most = count;
    },
    codes: () => items.map(({ code }) => code).sort(),
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' },
    /** For one state folder per service. A port does not do: the next service may get the same one. */
    name: `service-${++started}`,
  };
}

export type ItemService = Awaited<ReturnType<typeof itemService>>;

export function rowsOf(codes: readonly string[]): string {
  return ['code,name', ...codes.map((code) => `${code},Row ${code}`), ''].join('\n');
}

export function codes(count: number): string[] {
  return [...Array(count).keys()].map((n) => `X-${String(n).padStart(4, '0')}`);
}
