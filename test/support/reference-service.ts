import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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

interface Wire {
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string;
}

/** A service with records of the same names. It stores the bytes of every write. */
export async function startReferenceService() {
  const state = { lists: 'whole' as Lists, addresses: [...ROWS.addresses!] };
  const writes: Wire[] = [];
  let created = 0;
  /** Deleted, but not read since: the next read of each finds nothing. */
  const gone = new Set<string>();
  const reads: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://local');
    const [noun = '', id = ''] = url.pathname.replace('/api/v1/', '').split('/');
    const rows = noun === 'addresses' ? state.addresses : (ROWS[noun] ?? []);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { method = '' } = request;
      if (method !== 'GET') {
        const type = request.headers['content-type'];
        writes.push({ method, path: request.url ?? '', type, body });
        if (method === 'DELETE') gone.add(url.pathname);
        if (method === 'PATCH')
          return send(200, { id: decodeURIComponent(id), ...JSON.parse(body) });
        const own = `new-${++created}`;
        return send(method === 'POST' ? 201 : 200, { id: own, requisitionId: own });
      }
      reads.push(request.url ?? '');
      if (id !== '') {
        const isGone = gone.delete(url.pathname);
        const found = rows.find((row) => !isGone && row.id === decodeURIComponent(id));
        return found === undefined ? send(404, { message: 'none' }) : send(200, found);
      }
      if (state.lists === 'failing') return send(404, { message: 'no such list' });
      if (noun === 'sectors') return send(200, rows);
      if (state.lists === 'unverified') return send(200, rows.slice(0, 60));
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const limit = Number(url.searchParams.get('limit') ?? 100);
      const sorted = rows.toSorted((a, b) => (a.code! < b.code! ? -1 : 1));
      return send(200, sorted.slice(offset, offset + limit));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    state,
    writes,
    reads,
    gone,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
