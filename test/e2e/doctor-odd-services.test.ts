import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examine } from '../support/doctor.ts';
import { freshWorld } from '../support/run.ts';

interface Order {
  readonly id: string;
  readonly code: string;
  readonly size: number;
}

const ORDERS: readonly Order[] = Array.from({ length: 40 }, (_, index) => ({
  id: `po-${index}`,
  code: `C-${String((index * 17) % 40).padStart(2, '0')}`,
  size: index % 7,
}));

type ListResponder = (query: URLSearchParams, nth: number) => readonly Order[] | number;

/** A service that answers list requests with these rows, or with a status. */
async function service(respond: ListResponder) {
  let nth = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    const result = url.pathname.endsWith('/sectors/') ? [] : respond(url.searchParams, nth++);
    response.statusCode = typeof result === 'number' ? result : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(typeof result === 'number' ? { message: 'no' } : result));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return freshWorld({ PROC_BASE_URL: `http://127.0.0.1:${port}/api/v1`, PROC_API_KEY: 'k-1' });
}

const number = (query: URLSearchParams, name: string, otherwise: number): number =>
  Number(query.get(name) ?? otherwise);

describe('proc doctor makes no wrong claim about', () => {
  it('a service that ignores everything', async () => {
    const world = await service(() => ORDERS);
    expect((await examine(world.env)).claims).toEqual({});
  });

  it('a filter with the name of a limit', async () => {
    const world = await service((query) =>
      query.has('size') ? ORDERS.slice(0, number(query, 'size', 0) % 3) : ORDERS,
    );
    expect((await examine(world.env)).claims).toEqual({});
  });

  it('a list in another order each time', async () => {
    const world = await service((query, nth) => {
      const turned = [...ORDERS.slice(nth % 40), ...ORDERS.slice(0, nth % 40)];
      return turned.slice(0, number(query, 'limit', 20));
    });
    const { claims, at } = await examine(world.env);
    expect(claims).toEqual({ 'orders limit': 'limit', 'items limit': 'limit' });
    expect(at('orders offset or page').finding).toContain('changes between requests');
  });

  it('offsets that count from 1, which no dialect can express', async () => {
    const world = await service((query) => {
      const from = Math.max(0, number(query, 'startIndex', 1) - 1);
      return ORDERS.slice(from, from + number(query, 'count', 20));
    });
    const { claims, at } = await examine(world.env);
    expect(claims).toEqual({ 'orders limit': 'count', 'items limit': 'count' });
    expect(at('orders offset or page')).toMatchObject({
      status: 'unknown',
      finding: 'possibly startIndex: counts rows from 1, which proc does not support',
    });
  });

  it('a limit that is capped instead of refused', async () => {
    const world = await service((query) => {
      const from = number(query, 'offset', 0);
      return ORDERS.slice(from, from + Math.min(10, number(query, 'limit', 10)));
    });
    const { claims } = await examine(world.env);
    expect(claims['orders limit']).toBe('limit');
    expect(claims['orders offset or page']).toBe('offset');
  });

  it('sort parameters that have an effect, although no value is refused', async () => {
    const world = await service((query) => {
      const sorted = query.has('sortBy')
        ? [...ORDERS].sort((a, b) => (a.code < b.code ? -1 : 1))
        : [...ORDERS];
      if (query.get('sortOrder') === 'desc') sorted.reverse();
      return sorted.slice(0, number(query, 'limit', 20));
    });
    const { claims, at } = await examine(world.env);
    expect(claims['orders sort']).toBe('sortBy');
    expect(claims['orders direction']).toBe('sortOrder');
    expect(at('orders sort').finding).toContain('sorts the rows by code');
  });

  it('a service that fails on unexpected input', async () => {
    const world = await service((query) =>
      query.size === 0
        ? ORDERS.slice(0, 20)
        : query.has('limit') && query.size === 1
          ? ORDERS.slice(0, Number(query.get('limit')))
          : 500,
    );
    const { claims, exitCode } = await examine(world.env, '--retries', '0');
    expect(claims).not.toHaveProperty('orders offset or page');
    expect(claims).not.toHaveProperty('orders sort');
    expect(exitCode).toBe(0);
  });

  it('names the service whose requests failed', async () => {
    const known = new Set(['limit', 'offset']);
    const world = await service((query) =>
      [...query.keys()].every((name) => known.has(name))
        ? ORDERS.slice(number(query, 'offset', 0)).slice(0, number(query, 'limit', 20))
        : 500,
    );
    const { claims, checks, at } = await examine(world.env);
    expect(claims).toMatchObject({ 'orders limit': 'limit', 'orders offset or page': 'offset' });
    for (const check of ['orders sort', 'orders direction']) {
      expect(at(check)).toMatchObject({ status: 'unknown' });
      expect(at(check).evidence.join()).toContain('failed: the service returned 500');
    }
    expect(JSON.stringify(checks)).not.toContain('none of');
  });

  it.each([
    ['now and then', (nth: number) => nth % 3 === 0],
    ['once, where the limit is tried', (nth: number) => nth === 1],
    ['where the limit is tried', (_: number, limit: string | null) => limit === '2'],
    ['once, where the window is compared', (nth: number) => nth === 9],
  ])('a service that fails %s', async (_, fails) => {
    const world = await service((query, nth) => {
      if (fails(nth, query.get('limit'))) return 503;
      return query.has('limit') ? ORDERS.slice(0, number(query, 'limit', 20)) : ORDERS;
    });
    const { at } = await examine(world.env);
    for (const word of ['limit', 'offset or page', 'sort', 'direction']) {
      const { status, finding, evidence } = at(`orders ${word}`);
      if (status !== 'unknown') continue;
      expect(finding).not.toContain('changes between requests');
      const failed = evidence.some((line) => line.includes('failed'));
      expect([word, finding, failed && /none of/.test(finding)]).toEqual([word, finding, false]);
    }
    // The list of orders is tried again with the names that the list of items has.
    if (fails(1, '3')) expect(at('orders limit')).toMatchObject({ status: 'ok' });
    if (fails(0, '2') && !fails(0, '3')) {
      expect(at('orders limit')).toMatchObject({ status: 'unknown' });
      expect(at('orders limit').finding).toMatch(/^not certain, because \d+ requests? failed$/);
      expect(at('orders limit').evidence.join()).toContain('?limit=2 → failed');
    }
  });

  it('a service that rejects requests', async () => {
    const world = await service((_, nth) => (nth > 2 ? 429 : ORDERS.slice(0, 20)));
    const { claims, at } = await examine(world.env, '--retries', '1');
    expect(claims).toEqual({});
    expect(at('orders sort').finding).toContain('rejects requests');
  });
});

describe('proc doctor detects the sort parameter', () => {
  /** Sorted by code. The first 28 rows are sorted by createdAt too. */
  const SORTED = Array.from({ length: 130 }, (_, index) => ({
    id: `po-${index}`,
    code: `C-${String(index).padStart(3, '0')}`,
    createdAt: `2026-01-${String((index % 28) + 1).padStart(2, '0')}`,
    size: index,
  }));

  const page = (rows: readonly Order[], query: URLSearchParams) => {
    const from = number(query, 'offset', 0);
    return rows.slice(from, from + number(query, 'limit', 20));
  };

  it('of a list whose first page has the order of every documented field', async () => {
    const world = await service((query) => {
      const field = query.get('sort') as 'code' | 'createdAt' | null;
      const of = (order: (typeof SORTED)[number]) => (field === null ? '' : (order[field] ?? ''));
      const sorted = SORTED.toSorted((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0));
      return page(query.get('dir') === 'desc' ? sorted.toReversed() : sorted, query);
    });
    const { claims, at } = await examine(world.env);
    expect(claims).toMatchObject({ 'orders sort': 'sort', 'orders direction': 'dir' });
    expect(at('orders sort')).toMatchObject({
      finding: 'sort: sorts the rows by createdAt',
      evidence: ['?limit=20&sort=createdAt → 20 rows', '?limit=20 → 20 rows'],
    });
  });

  it('but not if no parameter sorts', async () => {
    const world = await service((query) => page(SORTED, query));
    expect((await examine(world.env)).claims).not.toHaveProperty('orders sort');
  });
});
