import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { KEY } from '../support/raw-http.ts';
import { freshWorld } from '../support/run.ts';
import { behaving, startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

const DIALECTS = [
  '',
  'limit=pageSize,offset=skip,sort=orderBy,dir=direction',
  'limit=top,offset=$skip',
  'limit=size,page=page,pageBase=0',
  'limit=per_page,page=page',
  'limit=first,offset=start,sort=order,dir=sort',
  'page=p,pageBase=0,sort=sort_by,dir=sort_dir',
  'orders.limit=max,orders.page=pageNo,items.limit=count,items.sort=sortField',
  'paging=none',
];

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
  return { baseUrl, requests, world: await freshWorld() };
}

type Service = Awaited<ReturnType<typeof service>>;

const BEGINNINGS: Readonly<Record<string, (at: Service) => Promise<void>>> = {
  async 'profile add'({ baseUrl, world }) {
    const add = `profile add acme -e test --base-url ${baseUrl} --api-key-stdin`;
    const ran = await world.run(add.split(' '), { input: `${KEY}\n` });
    expect(ran.exitCode, ran.stderr).toBe(0);
  },
  async setup({ baseUrl, world }) {
    const session = startTerminal(world, ['setup'], { cols: 120 });
    for (const [shown, keys] of [
      ['Name of the profile', 'acme\r'],
      ['Which environment?', '\r'],
      ['Base URL of staging', `${baseUrl}\r`],
      ['API key for', `${KEY}\r`],
      ['Detecting the names of the list parameters', ''],
      ['Add another environment?', 'n\r'],
    ] as const) {
      await session.waitFor(shown);
      session.type(keys);
    }
    expect(await session.exited, session.text()).toBe(0);
  },
};

function runsOf({ world }: Service) {
  return async (line: string, exitCode = 0) => {
    const ran = await world.run(line.split(' '));
    expect(ran.exitCode, `${line}: ${ran.stderr}`).toBe(exitCode);
    return { ...ran, rows: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
  };
}

async function added(dialect: string, rows = { orders: 120, items: 30 }) {
  const at = await service(dialect, rows);
  await BEGINNINGS['profile add']!(at);
  return { ...at, run: runsOf(at) };
}

const SIZES = [
  { orders: 120, items: 30 },
  { orders: 120, items: 1 },
  { orders: 0, items: 130 },
  { orders: 0, items: 0 },
];
const CASES = DIALECTS.flatMap((dialect, at) => [
  ['profile add', dialect, 'ignore'] as const,
  ['profile add', dialect, 'refuse'] as const,
  ['setup', dialect, at % 2 === 0 ? 'ignore' : 'refuse'] as const,
]);

describe.each(CASES)(
  'after %s, with the dialect "%s" and unknown names: %s',
  (...[first, names, unknown]) => {
    it.each(SIZES)('lists work with $orders orders and $items items', async (rows) => {
      const dialect = [names, `unknown=${unknown}`].filter((part) => part !== '').join(',');
      const at = await service(dialect, rows);
      await BEGINNINGS[first]!(at);
      const run = runsOf(at);
      const limited = await run('orders list --limit 2');
      expect(limited.rows).toHaveLength(Math.min(2, rows.orders));
      expect((await run('orders list --all')).rows).toHaveLength(rows.orders);
      if (rows.orders > 0) {
        expect((await run('orders get PO-42')).rows).toMatchObject({ code: 'PO-42' });
      }
      // Without paging, only a list that is longer than a page provably has no pages.
      const isUnproved = names === 'paging=none' && rows.items > 0 && rows.items <= 100;
      const list = await run('items list --all', isUnproved ? 10 : 0);
      expect(list.rows).toHaveLength(rows.items);
      if (isUnproved) expect(list.stderr).toContain('set PROC_DIALECT=paging=none');
      const find = await run('items list bolt', isUnproved ? 10 : 0);
      expect(find.rows).toHaveLength(rows.items);
      if (rows.items > 0)
        expect((await run('items get HB-0')).rows).toMatchObject({ code: 'HB-0' });
      at.requests.length = 0;
      expect((await run('orders list --limit 2')).stderr).toBe('');
      // An empty list without names cannot show that it has none.
      const isShown = names !== 'paging=none' || rows.orders > 0;
      if (isShown) expect(at.requests.length).toBeLessThan(3);
    });
  },
);

describe.each(['refuse', 'ignore'])('if unknown names are the choice %s', (unknown) => {
  it.each(['orders get PO-42', 'items list bolt', 'items list --all', 'orders list --limit 2'])(
    'the first command may be %s',
    async (line) => {
      const { run } = await added(`limit=top,page=pageNo,sort=orderBy,unknown=${unknown}`);
      expect((await run(line)).stderr).toContain('stored for acme · test: limit=top,page=pageNo,');
    },
  );
});

it('rows come in the order asked for, although the names are learned on the way', async () => {
  const { run } = await added('offset=skip,sort=orderBy,unknown=ignore');
  const { rows } = await run('orders list --sort code --dir desc');
  const codes = rows.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(codes.toSorted().toReversed());
  expect(codes).toHaveLength(120);
});

it('without a profile, the names hold for the command, and it says how to keep them', async () => {
  const { baseUrl } = await startTestSandbox({ dialect: 'limit=top', habits: 'unknown=refuse' });
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const ran = await world.run('orders list --limit 2'.split(' '));
  expect(ran.exitCode, ran.stderr).toBe(0);
  const [, text] = /PROC_DIALECT='([^']+)'/.exec(ran.stderr)!;
  const env = { PROC_DIALECT: text };
  const next = await world.run('orders list --limit 2'.split(' '), { env });
  expect(next).toMatchObject({ exitCode: 0, stderr: '' });
});

it('a list that is refused without parameters too keeps its error', async () => {
  await using service = await startHostile(always(http(400, '{"message":"no"}')));
  const world = await freshWorld(targetOf(service));
  const ran = await world.run(['orders', 'list']);
  expect(ran.exitCode).toBe(6);
  expect(service.requests.length).toBeLessThan(8);
});
