import { http, startHostile } from './hostile-service.ts';

/**
 * How the service answers requests for a list. `unverified`: always with the first rows. `failing`: with 404.
 */
export type Lists = 'whole' | 'unverified' | 'failing';

type Row = Readonly<Record<string, string>>;

const filler = (one: string, count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${one}-fill-${n}`,
    code: `Z-${n}`,
    name: `Filler ${n}`,
  }));

/** `X` is the id of one record, and the code, key or name of another. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  orders: [
    { id: 'po-1', code: 'PO-1', title: 'One' },
    { id: 'X', code: 'PO-2', title: 'Two' },
    { id: 'po-3', code: 'X', title: 'Three' },
    ...filler('po', 120),
  ],
  items: [
    { id: 'itm-1', code: 'AR-1', name: 'Race' },
    { id: 'X', code: 'AR-2', name: 'Bolt' },
    { id: 'itm-3', code: 'X', name: 'Nut' },
    { id: 'itm-4', code: 'AR-4', name: 'Twin' },
    { id: 'itm-5', code: 'AR-5', name: 'Twin' },
    ...filler('itm', 120),
  ],
  sectors: [
    { id: 'sec-1', key: 'road', name: 'Road' },
    { id: 'X', key: 'two', name: 'Two' },
    { id: 'sec-3', key: 'X', name: 'Three' },
  ],
  addresses: [
    { id: 'adr-1', city: 'A' },
    { id: 'adr-2', city: 'B' },
  ],
};

/** A service with records of the same names. It stores the bytes of every write. */
export async function startReferenceService() {
  const state = { lists: 'whole' as Lists };
  const writes: { readonly path: string; readonly body: string }[] = [];
  let created = 0;
  /** Deleted, but not read since: the next read of each finds nothing. */
  const gone = new Set<string>();
  const reads: string[] = [];
  const respond = (method: string, path: string, body: string): readonly [number, unknown] => {
    const url = new URL(path, 'http://local');
    const [noun = '', id = ''] = url.pathname.replace('/api/v1/', '').split('/');
    const rows = ROWS[noun] ?? [];
    if (method !== 'GET') {
      writes.push({ path, body });
      if (method === 'DELETE') gone.add(url.pathname);
      if (method === 'PATCH') return [200, { id: decodeURIComponent(id), ...JSON.parse(body) }];
      const own = `new-${++created}`;
      return [method === 'POST' ? 201 : 200, { id: own, requisitionId: own }];
    }
    reads.push(path);
    if (id !== '') {
      const isGone = gone.delete(url.pathname);
      const found = rows.find((row) => !isGone && row.id === decodeURIComponent(id));
      return found === undefined ? [404, { message: 'none' }] : [200, found];
    }
    if (state.lists === 'failing') return [404, { message: 'no such list' }];
    if (noun === 'sectors') return [200, rows];
    if (state.lists === 'unverified') return [200, rows.slice(0, 60)];
    const offset = Number(url.searchParams.get('offset') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 100);
    const sorted = rows.toSorted((a, b) => (a.code! < b.code! ? -1 : 1));
    return [200, sorted.slice(offset, offset + limit)];
  };
  const hostile = await startHostile((socket, { method, line, body }) => {
    const [status, value] = respond(method, line.split(' ')[1]!, body);
    socket.write(http(status, JSON.stringify(value)));
  });
  return { ...hostile, state, writes, reads, gone };
}
