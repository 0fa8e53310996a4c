import { describe, expect, it } from 'vitest';
import { errorOf, type World } from '../support/run.ts';
import { lastPayload, sharedShop } from '../support/shop.ts';

const shop = sharedShop();

const GROUP = ['--group', 'name=Plant,delivery=pickup'];

interface Body {
  readonly body: {
    readonly title?: string;
    readonly code?: string;
    readonly groups: {
      readonly addressId?: string;
      readonly items: { quantity: number; itemId?: string; item?: object }[];
    }[];
  };
}

async function idOf(world: World, code: string): Promise<string> {
  const { stdout } = await world.run(['items', 'list', code]);
  return JSON.parse(stdout).find((item: { code: string }) => item.code === code).id;
}

describe('--lines', () => {
  it('orders a list by exact codes, from a file and from standard input', async () => {
    const world = await shop.world();
    const list = '# July\nQty;Item\n12;HL-U509-R\n\n3;LO-C100\n';
    const file = await world.file('list.txt', list);
    const args = [
      'requisition',
      'create',
      '--yes',
      '--title',
      'Helmets',
      ...GROUP,
      '-o',
      'id',
      '--lines',
    ];
    const ran = await world.run([...args, file]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^req-\d+\n$/) });
    const expected = [
      { quantity: 12, itemId: await idOf(world, 'HL-U509-R') },
      { quantity: 3, itemId: await idOf(world, 'LO-C100') },
    ];
    expect((await lastPayload(world)).groups[0]!.items).toEqual(expected);
    const piped = await world.run([...args, '-', '--again'], { input: list });
    expect(piped.exitCode).toBe(0);
    expect((await lastPayload(world)).groups[0]!.items).toEqual(expected);
  });

  it.each([
    ['HL-U509-R\t12\t34', /line 2: .*: the quantity may be 12 or 34/],
    ['PU-0452;1.000', /line 2: .*: the quantity is not a whole number above 0; nearest: PU-0452 /],
    [
      '12 x HL-U509-X',
      /line 2: "12 x HL-U509-X": no item has this code; nearest of all \d+ items: HL-U509-[BR] /,
    ],
    [
      '12 Cable Lock',
      /line 2: "12 Cable Lock": no item has this code; nearest of all \d+ items: LO-C100 \(Cable Lock\)/,
    ],
    ['LO-C100', /line 2: "LO-C100": no quantity was found/],
    [
      '2 x lo-c100',
      /line 2: "2 x lo-c100": no item has this code; nearest of all \d+ items: LO-C100/,
    ],
  ])('sends nothing for %j', async (line, message) => {
    const world = await shop.world();
    const before = shop.sandbox.writes().length;
    const ran = await world.run(
      ['requisition', 'create', '--yes', '--title', 'T', ...GROUP, '--lines', '-'],
      { input: `3 x LO-C100\n${line}\n1 x nothing-like-it-at-all\n` },
    );
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toBe('');
    const error = errorOf(ran);
    expect(error.message).toMatch(message);
    expect(error.message).toContain('(and 1 more problem)');
    expect(error.details).toMatchObject({ issues: [{ line: 2, text: line }, { line: 3 }] });
    expect(shop.sandbox.writes().length).toBe(before);
  });

  it('shows unresolved codes in a dry run that may not read, and asks nothing', async () => {
    const world = await shop.world();
    const before = shop.sandbox.requests.length;
    const ran = await world.run(
      [
        'requisition',
        'create',
        '--yes',
        '--title',
        'T',
        ...GROUP,
        '--lines',
        '-',
        '--dry-run',
        '--offline',
      ],
      { input: '3 x LO-C100' },
    );
    expect(ran.exitCode).toBe(0);
    expect((JSON.parse(ran.stdout) as Body).body.groups[0]!.items).toEqual([
      { quantity: 3, itemId: '<item LO-C100>' },
    ]);
    expect(shop.sandbox.requests.length).toBe(before);
  });

  it('reports every unreadable line in a dry run, up to a limit', async () => {
    const world = await shop.world();
    const bad = Array.from({ length: 25 }, (_, n) => `nothing-${n + 1}`);
    const args = [
      'requisition',
      'create',
      '--yes',
      '--title',
      'T',
      ...GROUP,
      '--lines',
      '-',
      '--dry-run',
    ];
    const input = `3 x LO-C100\nPU-0452\t12\t34\nPU-0452 12 34\n0 x LO-C100\n${bad.join('\n')}\n`;
    const ran = await world.run([...args, '-o', 'table'], { input });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('line 2: "PU-0452  12  34": the quantity may be 12 or 34');
    expect(ran.stderr).toContain('line 3: "PU-0452 12 34": the quantity may be 12 or 34');
    expect(ran.stderr).toContain('line 4: "0 x LO-C100": the quantity is not a whole number');
    expect(ran.stderr).toContain('line 5: "nothing-1": no quantity was found');
    expect(ran.stderr).toMatch(/and \d+ more\n/);
    expect(ran.stderr).not.toContain('nothing-25');
    const whole = errorOf(await world.run(args, { input }));
    expect((whole.details as { issues: unknown[] }).issues).toHaveLength(28);
  });

  it('says how it reads a line of two numbers, either of which may be the code', async () => {
    const world = await shop.world();
    const ran = await world.run(
      [
        'requisition',
        'create',
        '--yes',
        '--title',
        'T',
        ...GROUP,
        '--lines',
        '-',
        '--dry-run',
        '--offline',
      ],
      { input: '4711;12\n' },
    );
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(
      'is shown as quantity 12 of item 4711, but may mean quantity 4711 of item 12',
    );
    expect((JSON.parse(ran.stdout) as Body).body.groups[0]!.items).toEqual([
      { quantity: 12, itemId: '<item 4711>' },
    ]);
  });

  it('needs a single group', async () => {
    const world = await shop.world();
    for (const groups of [[], [...GROUP, ...GROUP]]) {
      const ran = await world.run(
        ['requisition', 'create', '--yes', '--title', 'T', ...groups, '--lines', '-'],
        { input: '3 x LO-C100' },
      );
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran).hint).toContain('--group name=Plant,delivery=pickup');
    }
  });
});

describe('--from', () => {
  async function ordered(): Promise<World> {
    const world = await shop.world();
    const address = shop.sandbox.samples.address!;
    const code = `WR-${Math.random().toString(36).slice(2, 8)}`;
    const ran = await world.run([
      ...['requisition', 'create', '--yes', '--title', 'First', '--code', 'PO-1'],
      ...['--group', `name=Plant,delivery=delivery,address=${address}`],
      ...['--item', 'code=LO-C100,quantity=3', '--item', 'code=HL-U509,quantity=1'],
      ...['--new-item', `name="Wrench, 8 mm",code=${code},quantity=2`],
    ]);
    expect(ran.exitCode).toBe(0);
    await world.file('code', code);
    return world;
  }

  it('orders the last requisition again, with references to its items and no new definitions', async () => {
    const world = await ordered();
    const first = await lastPayload(world);
    const defined = (first.groups[0]!.items[2]!.item as { code: string }).code;
    const ran = await world.run([
      ...['requisition', 'create', '--yes', '--from', 'last', '--title', 'Second'],
      ...['--quantity', 'LO-C100=20', '--quantity', 'HL-U509=0'],
    ]);
    expect(ran.exitCode).toBe(0);
    const second = await lastPayload(world);
    expect(second).toEqual({
      title: 'Second',
      groups: [
        {
          name: 'Plant',
          deliveryMethod: 'delivery',
          addressId: shop.sandbox.samples.address,
          items: [
            { quantity: 20, itemId: await idOf(world, 'LO-C100') },
            { quantity: 2, itemId: await idOf(world, defined) },
          ],
        },
      ],
    });
    expect(JSON.parse((await world.run(['items', 'list', defined])).stdout)).toHaveLength(1);
  });

  it('accepts the id of a requisition, an entry in history, and a file', async () => {
    const world = await ordered();
    const [entry] = JSON.parse((await world.run(['history', 'list'])).stdout);
    const file = await world.file('p.json', JSON.stringify(await lastPayload(world)));
    for (const [n, from] of [entry.created, entry.id, file].entries()) {
      const title = `Again ${n}`;
      const args = [
        'requisition',
        'create',
        '--yes',
        '--from',
        from,
        '--title',
        title,
        '--code',
        `PO-${n}`,
      ];
      expect((await world.run(args)).exitCode, from).toBe(0);
      expect(await lastPayload(world)).toMatchObject({ title, code: `PO-${n}` });
    }
  });

  it('refuses to order the same again by mistake', async () => {
    const world = await shop.world();
    const args = ['requisition', 'create', '--yes', '--title', 'Once', ...GROUP];
    expect((await world.run([...args, '--item', 'code=LO-C100,quantity=1'])).exitCode).toBe(0);
    const again = await world.run(['requisition', 'create', '--yes', '--from', 'last']);
    expect(again.exitCode).toBe(2);
    expect(errorOf(again)).toMatchObject({ code: 'repeated_write' });
    expect(
      (await world.run(['requisition', 'create', '--yes', '--from', 'last', '--again'])).exitCode,
    ).toBe(0);
  });

  it.each([
    [['--from', 'last'], 'reference_not_found', 'history has no requisition'],
    [['--from', 'req-none'], 'reference_not_found', 'neither a requisition in history nor a file'],
    [['--title', 'T', '--quantity', 'A=1'], 'invalid_usage', '--quantity needs --from'],
    [['--from', 'last', '--file', 'x.json'], 'invalid_usage', 'both set the payload'],
    [['--from', 'last', '--quantity', 'A=1.5'], 'invalid_usage', 'expected CODE=NUMBER'],
    [
      ['--from', 'last', '--quantity', 'A=1', '--quantity', 'A=2'],
      'invalid_usage',
      'is given twice',
    ],
  ])('%j: %s', async (flags, code, message) => {
    const world = await shop.world();
    const ran = await world.run(['requisition', 'create', '--yes', ...flags]);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('names a code that it does not order, and an address that no longer exists', async () => {
    const world = await ordered();
    const unknown = await world.run([
      'requisition',
      'create',
      '--yes',
      '--from',
      'last',
      '--quantity',
      'X-1=2',
    ]);
    expect(unknown.exitCode).toBe(2);
    expect(errorOf(unknown).message).toContain('no line of the earlier requisition orders "X-1"');
    const file = await world.file(
      'gone.json',
      JSON.stringify({
        ...(await lastPayload(world)),
        groups: [
          {
            name: 'Old plant',
            deliveryMethod: 'delivery',
            addressId: 'adr-none',
            items: [{ quantity: 1, itemId: 'itm-1' }],
          },
        ],
      }),
    );
    const writes = shop.sandbox.writes().length;
    const gone = await world.run(['requisition', 'create', '--yes', '--from', file]);
    expect(gone.exitCode).toBe(5);
    expect(errorOf(gone).message).toContain(
      'address adr-none of group "Old plant" no longer exists',
    );
    expect(shop.sandbox.writes().length).toBe(writes);
  });
});
