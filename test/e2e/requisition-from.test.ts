import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { errorOf, type World } from '../support/run.ts';
import { lastPayload, openShop, sharedShop, worldOf } from '../support/shop.ts';
import { runTyped } from '../support/typed-line.ts';

const shop = sharedShop();

async function idOf(world: World, code: string): Promise<string> {
  const { stdout } = await world.run(['items', 'list', code]);
  return JSON.parse(stdout).find((item: { code: string }) => item.code === code).id;
}

const create = ['requisition', 'create', '--yes'];

/** A world with an ordered group: 3 × LO-C100 and 1 × HL-U509. */
async function ordered(): Promise<World> {
  const world = await shop.world();
  const ran = await world.run([
    ...[...create, '--title', 'First', '--group', 'name=Plant,delivery=pickup'],
    ...['--item', 'code=LO-C100,quantity=3', '--item', 'code=HL-U509,quantity=1'],
  ]);
  expect(ran).toMatchObject({ exitCode: 0 });
  return world;
}

describe('--from with --lines', () => {
  it('replaces the earlier items by the list, and says so', async () => {
    const world = await ordered();
    const list = await world.file('list.txt', '5 x LO-C100\n2 x PU-0452\n');
    const ran = await world.run([...create, '--from', 'last', '--title', 'July', '--lines', list]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('replaces the earlier 2 items');
    expect(await lastPayload(world)).toMatchObject({
      title: 'July',
      groups: [
        {
          name: 'Plant',
          items: [
            { quantity: 5, itemId: await idOf(world, 'LO-C100') },
            { quantity: 2, itemId: await idOf(world, 'PU-0452') },
          ],
        },
      ],
    });
    expect((await lastPayload(world)).groups[0]!.items).toHaveLength(2);
  });

  it('accepts --item in addition to the list', async () => {
    const world = await ordered();
    const list = await world.file('list.txt', '5 x LO-C100\n');
    const ran = await world.run([
      ...[...create, '--from', 'last', '--lines', list, '--item', 'code=PU-0452,quantity=1'],
    ]);
    expect(ran).toMatchObject({ exitCode: 0 });
    const { items } = (await lastPayload(world)).groups[0]!;
    expect(items.map(({ quantity }) => quantity).sort()).toEqual([1, 5]);
  });

  it('refuses --quantity with it, and a list for several groups', async () => {
    const world = await ordered();
    const before = shop.sandbox.writes().length;
    const list = await world.file('list.txt', '5 x LO-C100\n');
    const both = await world.run([
      ...[...create, '--from', 'last', '--lines', list, '--quantity', 'LO-C100=4'],
    ]);
    expect(both.exitCode).toBe(2);
    expect(errorOf(both).hint).toContain('Put the quantities in the list');
    const { groups, ...rest } = await lastPayload(world);
    const file = await world.file(
      'p.json',
      JSON.stringify({ ...rest, groups: [...groups, ...groups] }),
    );
    const several = await world.run([...create, '--from', file, '--lines', list]);
    expect(several.exitCode).toBe(2);
    expect(errorOf(several).message).toContain(
      'the requisition has 2 groups, but the list needs exactly one',
    );
    expect(shop.sandbox.writes().length).toBe(before);
  });
});

it('--from says why a requisition that the service refused cannot be ordered again', async () => {
  const world = await shop.world();
  const body = await world.file(
    'untitled.json',
    '{"groups":[{"deliveryMethod":"pickup","items":[]}]}',
  );
  await world.run(['api', 'POST', '/requisitions/', '--input', body, '--yes']);
  const { stdout: id } = await world.run(['history', 'list', '--limit', '1', '-o', 'id']);
  const ran = await world.run([...create, '--from', id.trim(), '--title', 'T']);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).message).toBe(
    `${id.trim()} cannot be ordered again: title is required (a string)`,
  );
});

it('--from with --item refuses an item that the earlier requisition already orders, and names the flag to use', async () => {
  const world = await ordered();
  const before = shop.sandbox.writes().length;
  const ran = await world.run([...create, '--from', 'last', '--item', 'code=LO-C100,quantity=7']);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran)).toMatchObject({
    message: expect.stringContaining('the earlier requisition already orders 3 of this item'),
    hint: 'Set the new quantity instead: --quantity LO-C100=7',
  });
  expect(shop.sandbox.writes().length).toBe(before);
  const added = await world.run([
    ...[...create, '--from', 'last', '--quantity', 'LO-C100=7'],
    ...['--item', 'code=PU-0452,quantity=2'],
  ]);
  expect(added).toMatchObject({ exitCode: 0 });
  const { items } = (await lastPayload(world)).groups[0]!;
  expect(items.map(({ quantity }) => quantity)).toEqual([7, 1, 2]);
});

it('warns if a list orders the same item twice', async () => {
  const world = await shop.world();
  const ran = await world.run(
    [...create, '--title', 'Twice', '--group', 'delivery=pickup', '--lines', '-'],
    { input: '2 x LO-C100\n1 x PU-0452\n3 x LO-C100\n' },
  );
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain('groups[0].items[2]\\" orders the same item as groups[0].items[0]');
});

describe('--from FILE.json', () => {
  async function odd(world: World): Promise<string> {
    const { groups, ...rest } = await lastPayload(world);
    const [group] = groups;
    const payload = { ...rest, colour: 'red', groups: [{ ...group, floor: 2 }] };
    return world.file('odd.json', JSON.stringify(payload));
  }

  it('warns of fields that the contract does not have, as --file does', async () => {
    const world = await ordered();
    const file = await odd(world);
    const ran = await world.run([...create, '--from', file, '--title', 'Without']);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('colour is not a field of the contract: it is not sent');
    expect(ran.stderr).toContain('groups[0].floor is not a field of the contract: it is not sent');
    const byFile = await world.run([...create, '--file', file, '--title', 'By file']);
    const warnings = (text: string) => text.split('\n').filter((line) => line.includes('warning'));
    expect(warnings(ran.stderr)).toEqual(warnings(byFile.stderr));
    expect(await lastPayload(world)).not.toHaveProperty('colour');
  });

  it('sends those fields with --allow-unknown, and sends them again from history', async () => {
    const world = await ordered();
    const args = [...create, '--from', await odd(world), '--title', 'With', '--allow-unknown'];
    expect(await world.run(args)).toMatchObject({ exitCode: 0 });
    expect(await lastPayload(world)).toMatchObject({ colour: 'red', groups: [{ floor: 2 }] });
    const again = await world.run([...create, '--from', 'last', '--title', 'Once more']);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stderr).toContain('colour\\" is not a field of the contract: it is not sent');
  });
});

describe('a list that cannot be ordered', () => {
  it.each([
    ['', 'list.txt is empty'],
    ['\n  \n', 'list.txt is empty'],
    ['# nothing yet\nQty;Item\n', 'list.txt contains only comments or column headers'],
  ])('%j: says what a line looks like', async (text, message) => {
    const world = await shop.world();
    await world.file('list.txt', text);
    const args = ['--title', 'T', '--group', 'delivery=pickup', '--lines', 'list.txt'];
    const ran = await world.run([...create, ...args]);
    expect(ran.exitCode).toBe(2);
    const error = errorOf(ran);
    expect(error.message).toBe(`${message}; expected one line per item`);
    expect(error.hint).toContain('12 x AR-5381');
    expect(error.hint).toContain('AR-5381;12');
  });

  it('shows columns with gaps, not with \\t', async () => {
    const world = await shop.world();
    const ran = await world.run(
      [...create, '--title', 'T', '--group', 'delivery=pickup', '--lines', '-'],
      { input: 'no such\titem\t4\n' },
    );
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).message).toContain('line 1: "no such  item  4": no item has this code');
    expect(errorOf(ran).details).toMatchObject({ issues: [{ text: 'no such\titem\t4' }] });
  });
});

describe('an item of the earlier requisition that is no longer clear', () => {
  async function namesakes(world: World, name: string, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const ran = await world.run(['items', 'create', '--name', name, '--again', '-o', 'id']);
      expect(ran).toMatchObject({ exitCode: 0 });
      ids.push(ran.stdout.trim());
    }
    return ids;
  }

  const file = (world: World, groups: object[]) =>
    world.file('earlier.json', JSON.stringify({ title: 'Earlier', groups }));
  const nut = (name: string, quantity: number) => ({ quantity, item: { name } });

  it('matches several: exits 2 with a command that works as typed', async () => {
    const world = await shop.world();
    const name = "Nut, 8 mm 'long'";
    const ids = await namesakes(world, name, 2);
    const earlier = await file(world, [
      { name: 'Plant', deliveryMethod: 'pickup', items: [nut(name, 3)] },
      { name: 'Depot, north', deliveryMethod: 'pickup', items: [nut(name, 4), nut(name, 5)] },
    ]);
    const before = shop.sandbox.writes().length;
    const ran = await world.run([...create, '--from', earlier, '--title', 'Nuts again']);
    expect(ran.exitCode).toBe(2);
    const error = errorOf(ran);
    expect(error.code).toBe('ambiguous_reference');
    expect(error.message).toContain('matches 2 items (and 2 more problems)');
    for (const id of ids) expect(JSON.stringify(error.details)).toContain(`${id} (${name})`);
    expect(shop.sandbox.writes().length).toBe(before);
    const command = error.hint!.slice(error.hint!.indexOf('proc '));
    expect(await runTyped(world, command)).toMatchObject({ exitCode: 0 });
    expect((await lastPayload(world)).groups).toEqual([
      { name: 'Plant', deliveryMethod: 'pickup', items: [{ quantity: 3, itemId: ids[0] }] },
      {
        name: 'Depot, north',
        deliveryMethod: 'pickup',
        items: [
          { quantity: 4, itemId: ids[0] },
          { quantity: 5, itemId: ids[1] },
        ],
      },
    ]);
  });

  it('keeps the requested quantity in that command', async () => {
    const world = await shop.world();
    const [id] = await namesakes(world, 'Odd nut', 2);
    const earlier = await file(world, [{ deliveryMethod: 'pickup', items: [nut('Odd nut', 3)] }]);
    const ran = await world.run([...create, '--from', earlier, '--quantity', 'Odd nut=20']);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).hint).toContain(`--quantity 'Odd nut=0' --item id=${id},quantity=20`);
    const command = errorOf(ran).hint!.slice(errorOf(ran).hint!.indexOf('proc '));
    expect(await runTyped(world, command)).toMatchObject({ exitCode: 0 });
    expect((await lastPayload(world)).groups[0]!.items).toEqual([{ quantity: 20, itemId: id }]);
  });

  it('is gone: the warning has its name, or its id if no name is known', async () => {
    await using own = await openShop();
    const world = await worldOf(own);
    const [id] = await namesakes(world, 'Rare bolt', 1);
    const items = [
      { quantity: 2, itemId: id },
      { quantity: 1, itemId: 'itm-none' },
      { quantity: 1, itemId: await idOf(world, 'LO-C100') },
    ];
    const earlier = await file(world, [{ deliveryMethod: 'pickup', items }]);
    const had = await world.run([...create, '--from', earlier, '--dry-run', '--offline']);
    expect(had).toMatchObject({ exitCode: 0 });
    expect(had.stderr).not.toContain('no longer has');
    using database = new DatabaseSync(own.dbPath);
    database.prepare('DELETE FROM items WHERE id = ?').run(id!);
    const ran = await world.run([...create, '--from', earlier]);
    expect(ran.stderr).toContain('The catalogue no longer has Rare bolt');
    expect(ran.stderr).toContain('The catalogue no longer has itm-none');
    expect(ran.stderr).not.toContain('LO-C100');
    const without = ['--quantity', 'itm-none=0', '--quantity', `${id}=0`];
    const rest = await world.run([...create, '--from', earlier, ...without]);
    expect(rest).toMatchObject({ exitCode: 0 });
    expect(rest.stderr).not.toContain('no longer has');
  });

  it('was new then and is unknown now: the warning has its name', async () => {
    const world = await shop.world();
    const earlier = await file(world, [
      { deliveryMethod: 'pickup', items: [nut('Never seen', 1)] },
    ]);
    const ran = await world.run([...create, '--from', earlier]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('The catalogue does not have Never seen');
    const again = await world.run([...create, '--from', 'last', '--title', 'Known by now']);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stderr).not.toContain('The catalogue');
  });
});
