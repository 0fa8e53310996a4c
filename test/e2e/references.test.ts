import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { sqlIn } from '../support/service.ts';

interface Place {
  readonly world: World;
  readonly lines: string[];
  sql(query: string): Record<string, unknown>[];
}

async function place(): Promise<Place> {
  const lines: string[] = [];
  const { baseUrl, dbPath } = await startTestSandbox({
    onRequest: ({ method, path }) => lines.push(`${method} ${path}`),
  });
  return {
    world: await freshWorld({ PROC_BASE_URL: baseUrl }),
    lines,
    sql: (query) => sqlIn(dbPath, query),
  };
}

async function ok(world: World, ...args: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await world.run(args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout);
}

describe('names instead of ids', () => {
  it('a change takes one read before it: of the list for a name, of the record for id=', async () => {
    const { world, lines } = await place();
    for (const [ref, before] of [
      ['road-bikes', 'GET /api/v1/sectors/'],
      ['id=sec-2', 'GET /api/v1/sectors/sec-2'],
    ] as const) {
      lines.length = 0;
      await ok(world, 'sectors', 'patch', ref, '--description', `Fast ${ref}`);
      const [id] = lines.at(-1)!.split('/').slice(-1);
      expect(lines).toEqual([before, `PATCH /api/v1/sectors/${id}`]);
    }
    const shown = (await ok(world, 'history', 'show', 'last')) as { before: unknown };
    expect(shown.before).toMatchObject({ id: 'sec-2', description: expect.any(String) });
  });

  it('reads the list of sectors once, for any number of names', async () => {
    const { world, lines } = await place();
    const lists = () => lines.splice(0).filter((line) => line === 'GET /api/v1/sectors/').length;
    const names = ['road-bikes', 'Brakes', 'chains', 'nope'];
    const got = await world.run(['sectors', 'get', ...names]);
    expect(JSON.parse(got.stdout)).toMatchObject([
      { key: 'road-bikes' },
      { key: 'brakes' },
      { key: 'chains' },
    ]);
    expect(lists()).toBe(1);
    await world.run(['sectors', 'delete', ...names, '--yes']);
    expect(lists()).toBe(1);
  });
});

describe('requisitions from flags', () => {
  it('warns of a sector that the list does not have, and refuses an empty one', async () => {
    const { world } = await place();
    const create = ['requisition', 'create', '--title', 'T', '--item', 'id=itm-1,quantity=1'];
    const group = ['--group', 'delivery=pickup', '--dry-run', '-o', 'json'];
    const typed = await world.run([...create, ...group, '--sector', 'Braks']);
    expect(JSON.parse(typed.stdout)).toMatchObject({ body: { sector: 'Braks' } });
    expect(typed.stderr).toContain('so it is used as typed');
    const empty = await world.run([...create, ...group, '--sector', '']);
    expect(errorOf(empty)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  });

  it('contains groups, existing and new items', async () => {
    const { world, sql } = await place();
    await ok(world, 'items', 'create', '--name', 'Adjustable Race', '--code', 'AR-5381');
    await ok(
      world,
      'requisition',
      'create',
      ...['--title', 'Spare', '--sector', 'Brakes'],
      ...['--group', 'name=Plant,delivery=delivery,address=adr-1'],
      ...['--group', 'name=Counter,delivery=pickup'],
      ...['--item', 'code=AR-5381,quantity=4,group=Plant'],
      ...['--new-item', 'name="Bolt, hex",code=B-8,quantity=2,group=Counter'],
    );
    expect(sql('select title, sector from requisitions')).toMatchObject([
      { title: 'Spare', sector: 'brakes' },
    ]);
    expect(
      sql(
        'select groups.name as g, lines.quantity as q, items.name as i from lines join groups on groups.id = lines.groupId join items on items.id = lines.itemId order by q desc',
      ),
    ).toMatchObject([
      { g: 'Plant', q: 4, i: 'Adjustable Race' },
      { g: 'Counter', q: 2, i: 'Bolt, hex' },
    ]);
  });

  it.each([
    ['--group delivery=pickup --item code=NOPE,quantity=1', 'no item has the code "NOPE"'],
    ['--group delivery=pickup --item quantity=1', 'expected exactly one of code=, id=, name='],
    ['--group delivery=pickup --item id=a,quantity=0', 'is not a whole number from 1'],
    ['--group delivery=pickup --item id=a', 'quantity= is missing'],
    ['--item id=a,quantity=1', 'the requisition has no group'],
    ['--group delivery=drone --item id=a,quantity=1', 'must be one of pickup, delivery'],
    [
      '--group name=A,delivery=pickup --group name=B,delivery=pickup --item id=a,quantity=1',
      'group= is missing, and there are 2 groups',
    ],
    ['--group name=A,delivery=pickup --item id=a,quantity=1,group=C', 'no group is named "C"'],
    ['--group delivery=pickup --new-item code=X,quantity=1', 'name= is missing'],
    ['--group delivrey=pickup', 'unknown key "delivrey"'],
  ])('refuses %s and sends nothing', async (flags, problem) => {
    const { world, lines } = await place();
    const refused = await world.run(['requisition', 'create', '--title', 'T', ...flags.split(' ')]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(refused).message).toContain(problem);
    expect(lines.filter((line) => !line.startsWith('GET'))).toEqual([]);
  });
});

describe('orders summary', () => {
  it('adds up what SQL adds up, by any dimension and never across currencies', async () => {
    const { world, sql } = await place();
    const rows = (await ok(world, 'orders', 'summary', '--by', 'status')) as Record<
      string,
      unknown
    >[];
    const expected = sql(
      "select status, currency, count(*) as orders, cast(round(sum(amount * 100)) as integer) as cents from orders where organizationId = (select organizationId from orders where id = 'po-1') group by 1, 2 order by 1, 2",
    );
    expect(
      rows.map(({ status, currency, orders, amount }) => ({
        status,
        currency,
        orders,
        cents: Math.round(Number(amount) * 100),
      })),
    ).toEqual(expected.map((row) => ({ ...row })));
    const months = (await ok(world, 'orders', 'summary', '--by', 'month,currency')) as {
      month: string;
    }[];
    expect(months.every(({ month }) => /^\d{4}-\d\d$/.test(month))).toBe(true);
  });

  it('refuses an unknown dimension', async () => {
    const { world } = await place();
    const refused = await world.run(['orders', 'summary', '--by', 'stauts']);
    expect(errorOf(refused)).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Did you mean status?'),
    });
    expect(jsonLines(refused.stderr)).toHaveLength(1);
  });
});

describe('a requisition that was sent from here', () => {
  it('is named by its id, its code, its history entry, and last, in every verb', async () => {
    const { world, lines } = await place();
    const create = async (...flags: string[]) => {
      const words = [
        'requisition',
        'create',
        '--pickup',
        '--new-item',
        'name=Pin,quantity=1',
        ...flags,
      ];
      return (await ok(world, ...words)) as { requisitionId: string };
    };
    const { requisitionId: first } = await create('--title', 'First', '--code', 'R-1');
    await world.file(
      'more.json',
      '[{"title":"Second","code":"R-2","groups":[{"deliveryMethod":"pickup","items":[{"quantity":1,"item":{"name":"Pin"}}]}]}]',
    );
    await ok(world, 'requisition', 'import', 'more.json', '--yes', '--first-run');
    const [newest, oldest] = (await ok(world, 'requisition', 'list')) as {
      id: string;
      from: string;
    }[];
    expect(oldest!.id).toBe(first);
    for (const [ref, id] of [
      ['last', newest!.id],
      ['R-2', newest!.id],
      [`id=${first}`, first],
      ['code=R-1', first],
      [oldest!.from, first],
    ] as const) {
      lines.splice(0);
      const words = ['requisition', 'group', 'add', ref, '--name', `of ${ref}`];
      const group = (await ok(world, ...words, '--yes')) as { id: string };
      expect(await ok(world, 'requisition', 'item', 'list', ref, group.id)).toEqual([]);
      const base = `/api/v1/requisitions/${id}/groups`;
      expect(lines).toEqual([`POST ${base}`, `GET ${base}/${group.id}/items`]);
    }
  });

  it('last is not the one before, if the outcome of the last one is unknown', async () => {
    await using service = await startHostile((socket, _, nth) => {
      if (nth === 1) socket.end(http(201, '{"requisitionId":"req-1"}'));
      else socket.destroy();
    });
    const world = await freshWorld(targetOf(service));
    for (const [title, exitCode] of [
      ['a', 0],
      ['b', 9],
    ] as const) {
      const words = ['requisition', 'create', '--pickup', '--new-item', 'name=Pin,quantity=1'];
      expect((await world.run([...words, '--title', title])).exitCode).toBe(exitCode);
    }
    const ran = await world.run(['requisition', 'group', 'add', 'last', '--name', 'Plant']);
    expect(errorOf(ran)).toMatchObject({ code: 'reference_not_found' });
    expect(service.requests).toHaveLength(2);
  });
});
