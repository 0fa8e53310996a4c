import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examine } from '../support/doctor.ts';
import { KEY } from '../support/raw-http.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { behaving, startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

const orders = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    code: `PO-${(at * 7) % count}`,
    title: `Order ${at}`,
  }));
const items = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    code: `HB-${(at * 7) % count}`,
    name: `Bolt ${at}`,
  }));

async function service(dialect: string, rows: { orders: number; items: number }) {
  const requests: string[] = [];
  const { baseUrl } = await startTestSandbox({
    ...behaving(dialect),
    seed: { orders: orders(rows.orders), items: items(rows.items) },
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  return { baseUrl, requests };
}

async function withProfile(baseUrl: string): Promise<World> {
  const world = await freshWorld();
  const add = `profile add acme -e test --base-url ${baseUrl} --api-key-stdin`;
  const ran = await world.run(add.split(' '), { input: `${KEY}\n` });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return world;
}

const configOf = ({ configDir }: World) => {
  const path = join(configDir, 'config.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

describe('a read sends its pages and nothing else, and stores nothing', () => {
  it.each([
    ['orders list --limit 20', '', ['?limit=20']],
    ['orders list', '', ['?limit=100', '?limit=100&offset=99', '?limit=100&offset=199']],
    // The service takes 20 rows if it does not know the name of the limit.
    ['orders list --limit 20', 'limit=pageSize,sort=by', ['?limit=20']],
    ['orders list', 'limit=top,offset=skip,unknown=ignore', ['?limit=100', '?limit=100&offset=19']],
    ['orders list --limit 20', 'limit=top,unknown=refuse', ['?limit=20']],
    ['items list', '', ['?limit=100', '?limit=100&offset=29']],
  ])('%s at a service with the names "%s"', async (line, dialect, pages) => {
    const { baseUrl, requests } = await service(dialect, { orders: 250, items: 30 });
    const world = await withProfile(baseUrl);
    const before = configOf(world);
    const ran = await world.run(line.split(' '), { env: { PROC_READ_ONLY: '1' } });
    const sent = requests.map((one) => one.replace(/^GET \/api\/v1\/\w+\//, ''));
    expect(sent.map((one) => one.replace(/&?sort=\w+&dir=(asc|desc)/, ''))).toEqual(pages);
    expect(configOf(world)).toBe(before);
    if (ran.exitCode !== 0) expect(errorOf(ran).hint ?? errorOf(ran).message).toContain('doctor');
  });
});

const DIALECTS = [
  '',
  'limit=top,offset=$skip,unknown=refuse',
  'page=p,pageBase=0,sort=sort_by,dir=sort_dir,unknown=ignore',
  'orders.limit=max,orders.page=pageNo,items.limit=count,items.sort=sortField',
];

/** Lists are whole with the names that were stored or printed. */
async function listsWork(world: World, env: Readonly<Record<string, string>> = {}) {
  for (const [line, count] of [
    ['orders list', 120],
    ['items list', 110],
    ['orders list --limit 2', 2],
    ['orders list --sort code --dir desc --limit 1', 1],
  ] as const) {
    const ran = await world.run(line.split(' '), { env });
    expect(ran.exitCode, `${line}: ${ran.stderr}`).toBe(0);
    expect(JSON.parse(ran.stdout)).toHaveLength(count);
  }
}

const SIZES = { orders: 120, items: 110 };

it.each(DIALECTS)(
  'doctor stores the names "%s" and prints the variable; a second one finds nothing new',
  async (dialect) => {
    const { baseUrl } = await service(dialect, SIZES);
    const world = await withProfile(baseUrl);
    const { at, checks } = await examine(world.env);
    if (dialect !== '') {
      const [, text = ''] = /PROC_LIST_NAMES='(.*)'$/.exec(at('list names').hint ?? '')!;
      const { profiles } = JSON.parse(configOf(world));
      expect(profiles.acme.environments.test.listNames).toBe(text);
      const there = await freshWorld({ PROC_BASE_URL: baseUrl });
      await listsWork(there, { PROC_LIST_NAMES: text });
    }
    expect(checks.filter(({ status }) => status === 'warning')).toEqual([]);
    await listsWork(world);
    const again = await examine(world.env);
    expect(again.checks.map(({ check }) => check)).not.toContain('list names');
  },
);

it('setup stores them', async () => {
  const { baseUrl } = await service('limit=top,offset=skip,unknown=refuse', SIZES);
  const world = await freshWorld();
  const session = startTerminal(world, ['setup'], { cols: 120 });
  for (const [shown, keys] of [
    ['Name of the profile', 'acme\r'],
    ['Which environment?', '\r'],
    ['Base URL of staging', `${baseUrl}\r`],
    ['API key for', `${KEY}\r`],
    ['PROC_LIST_NAMES=', ''],
  ] as const) {
    await session.waitFor(shown);
    session.type(keys);
  }
  expect(await session.exited, session.text()).toBe(0);
  await listsWork(world);
});

it.each([0, 1, 2])('of %i items, the names are unknown, and those of orders', async (count) => {
  const { baseUrl } = await service('limit=top,offset=skip', { orders: 120, items: count });
  const world = await withProfile(baseUrl);
  const { claims, at } = await examine(world.env);
  expect(claims).not.toHaveProperty('items limit');
  expect(at('items limit')).toMatchObject({ status: 'unknown' });
  expect(at('list names').finding).toContain(': limit=top,offset=skip');
  expect((await world.run(['items', 'list'])).exitCode).toBe(0);
});

interface Order {
  readonly id: string;
  readonly code: string;
}

const ORDERS: readonly Order[] = Array.from({ length: 40 }, (_, index) => ({
  id: `po-${index}`,
  code: `C-${String((index * 17) % 40).padStart(2, '0')}`,
}));

/** A service that answers list requests with these rows, or with a status. */
async function oddService(
  respond: (query: URLSearchParams, nth: number) => readonly Order[] | number,
) {
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
const page = (rows: readonly Order[], query: URLSearchParams) => {
  const from = number(query, 'offset', 0);
  return rows.slice(from, from + number(query, 'limit', 20));
};

const byCode = ORDERS.toSorted((a, b) => (a.code < b.code ? -1 : 1));
const limits = (name: string) => ({ 'orders limit': name, 'items limit': name });

it.each<[string, Parameters<typeof oddService>[0], object]>([
  ['that ignores everything', () => ORDERS, {}],
  [
    'with a filter that is named as a limit',
    (query) => (query.has('size') ? ORDERS.slice(0, number(query, 'size', 0) % 3) : ORDERS),
    {},
  ],
  ['that rejects requests', (_, nth) => (nth > 2 ? 403 : ORDERS.slice(0, 20)), {}],
  [
    'with another order each time',
    (query, nth) =>
      [...ORDERS.slice(nth % 40), ...ORDERS.slice(0, nth % 40)].slice(
        0,
        number(query, 'limit', 20),
      ),
    limits('limit'),
  ],
  [
    'whose offsets count from 1, which no setting can express',
    (query) => {
      const from = Math.max(0, number(query, 'startIndex', 1) - 1);
      return ORDERS.slice(from, from + number(query, 'count', 20));
    },
    limits('count'),
  ],
  [
    'that is always sorted',
    (query) => page(byCode, query),
    expect.not.objectContaining({ 'orders sort': expect.anything() }),
  ],
  [
    'with a limit that is capped, and sort parameters that refuse nothing',
    (query) => {
      const sorted = query.has('sortBy') ? [...byCode] : [...ORDERS];
      if (query.get('sortOrder') === 'desc') sorted.reverse();
      const from = number(query, 'offset', 0);
      return sorted.slice(from, from + Math.min(10, number(query, 'limit', 10)));
    },
    expect.objectContaining({
      ...{ 'orders limit': 'limit', 'orders offset or page': 'offset' },
      ...{ 'orders sort': 'sortBy', 'orders direction': 'sortOrder' },
    }),
  ],
])('doctor makes no wrong claim about a service %s', async (_, respond, expected) => {
  const { claims, exitCode } = await examine((await oddService(respond)).env);
  expect(claims).toEqual(expected);
  expect(exitCode).toBe(0);
});
