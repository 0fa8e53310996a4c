import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { runTyped } from '../support/typed-line.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

async function refused(world: World, args: readonly string[]) {
  const before = sandbox.requests.length;
  const ran = await world.run(['requisition', 'import', ...args]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(sandbox.requests).toHaveLength(before);
  return errorOf(ran);
}

/** Types the command of each hint, until the rows are imported. */
async function following(world: World, hint: string | undefined) {
  for (let [next, steps] = [hint, 0]; ; steps++) {
    const [, line] = /: (proc .*)$/.exec(next ?? '') ?? [];
    expect(line).toBeDefined();
    const ran = await runTyped(world, line!);
    if (ran.exitCode === 0 || steps === 8) return ran;
    next = errorOf(ran).hint;
  }
}

describe('flat rows without --group-by', () => {
  it.each([
    ['Request,Part,Qty\nR-1,Bolt,2\nR-2,Nut,3\nR-1,Nut,1\n', 'Request'],
    ['Nro. de pedido;Producto;Cantidad\n7;Tuerca;1\n7;Perno;2\n8;Perno;1\n', "'Nro. de pedido'"],
  ])('are refused with a command that works as typed: %j', async (text, column) => {
    const world = await freshWorld(sandbox.target);
    await world.file('rows.csv', text);
    const { message, hint } = await refused(world, ['rows.csv']);
    expect(message).toContain('rows.csv are not payloads: there is no column "groups"');
    expect(hint).toContain(`--group-by ${column}`);
    const ran = await following(world, hint);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 2, created: 2 });
  });

  it('with a map that has no column to group by are refused with the missing flag', async () => {
    const world = await freshWorld(sandbox.target);
    const rows = (title: string) => `Where,Request,Part,Qty\nx,${title},Bolt,2\ny,${title},Nut,3\n`;
    await world.file('a.csv', rows('F-1'));
    await world.file('b.csv', rows('F-2'));
    await world.file('c.csv', rows('F-3'));
    const map = ['title=Request', 'item.name=Part', 'quantity=Qty'].flatMap((one) => [
      '--map',
      one,
    ]);
    const set = ['--set', 'group.deliveryMethod=pickup', '--save-map', 'm.json'];
    const first = await world.run([
      ...['requisition', 'import', 'a.csv', '--group-by', 'Request', ...map, ...set, '--yes'],
    ]);
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const same = await world.run([
      'requisition',
      'import',
      'b.csv',
      '--map-file',
      'm.json',
      '--yes',
    ]);
    expect(JSON.parse(same.stdout), same.stderr).toMatchObject({ rows: 1, created: 1 });
    const saved = await readFile(join(world.cwd, 'm.json'), 'utf8');
    const { groupBy, ...others } = JSON.parse(saved);
    expect(groupBy).toBe('Request');
    await world.file('m.json', JSON.stringify(others));
    const { message, hint } = await refused(world, ['c.csv', '--map-file', 'm.json']);
    expect(message).toContain('c.csv are not payloads');
    expect(hint).toContain('--group-by Request');
    const ran = await following(world, hint);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 1, created: 1 });
  });

  it('whose headers tell nothing are refused with the columns to choose from', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('rows.csv', 'A,B,C\nScrew,2,spring\nNut,3,autumn\nRod,1,spring\n');
    expect((await refused(world, ['rows.csv'])).hint).toBe(
      'Rows with the same value in one column form one requisition. Add --group-by COLUMN. Columns: A, B, C',
    );
    expect((await refused(world, ['rows.csv', '--group-by', 'C'])).hint).toBe(
      'Add --map quantity=COLUMN. Columns: A, B, C',
    );
  });

  it('suggest codes for a column whose values look like codes', async () => {
    const world = await freshWorld(sandbox.target);
    const grouped = ['--group-by', 'Pedido', '--set', 'group.deliveryMethod=pickup'];
    await world.file('codes.csv', 'Pedido;Artículo;Cantidad\n7;HL-U509;1\n8;CH-77;2\n');
    const coded = await refused(world, ['codes.csv', ...grouped]);
    expect(coded.hint).toMatch(/--map 'item\.code=Artículo'|--map item\.code=Artículo/);
    expect(coded.hint).not.toContain('item.name');
    await world.file('names.csv', 'Pedido;Artículo;Cantidad\n7;HL-U509;1\n8;Cadena 7v;2\n');
    const named = await refused(world, ['names.csv', ...grouped]);
    expect(named.hint).toContain('item.name=Artículo');
    expect(named.hint).not.toContain('item.code');
  });

  it('suggest the order of an imputation for a column named Pedido', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('i.csv', 'Referencia;Pedido;Importe\nF-1;PO-1;5\n');
    const ran = await world.run(['imputations', 'import', 'i.csv']);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).hint).toContain('--map order=Pedido');
  });

  it('are not checked for payloads', async () => {
    const world = await freshWorld(sandbox.target);
    const groups = [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }];
    await world.file('a.ndjson', `${JSON.stringify({ title: 'T', groups })}\n`);
    const ran = await world.run(['requisition', 'import', 'a.ndjson', '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    const lines = ['T2', 'T3'].map((title) => JSON.stringify({ title, parts: groups }));
    await world.file('b.ndjson', `${lines.join('\n')}\n`);
    const mapped = await world.run([
      ...['requisition', 'import', 'b.ndjson', '--yes'],
      ...['--map', 'title=title', '--map', 'groups=jmes:parts'],
    ]);
    expect(mapped, mapped.stderr).toMatchObject({ exitCode: 0 });
  });
});

describe('flat rows with --group-by', () => {
  it('list the fields without a value before staging', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('rows.csv', 'Request,Part,Qty\nR-3,Bolt,2\n');
    const none = await refused(world, ['rows.csv', '--group-by', 'Request']);
    expect(none.message).toBe('no column or flag fills group.deliveryMethod');
    const some = await refused(world, [
      ...['rows.csv', '--group-by', 'Request', '--map', 'quantity=Qty'],
    ]);
    expect(some.message).toBe(
      'no column or flag fills title, item.name or item.code or item.id, group.deliveryMethod',
    );
    const ran = await following(world, some.hint);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ created: 1 });
    const constant = await refused(world, [
      ...['rows.csv', '--group-by', 'Request', '--map', 'quantity=Qty', '--map', 'title=Request'],
      ...['--map', 'item.name=Part', '--set', 'group.deliveryMethod=pikup'],
    ]);
    expect(constant).toMatchObject({
      message: '--set group.deliveryMethod=pikup: expected pickup or delivery',
      hint: 'Did you mean "pickup"?',
    });
    const near = await refused(world, ['rows.csv', '--group-by', 'Requst']);
    expect(near.hint).toBe('Did you mean "Request"?');
  });

  it('with a map file are checked too', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('rows.csv', 'Request,Part,Qty\nR-3,Bolt,2\n');
    await world.file('map.json', '{"fields":{"quantity":"Qty","item.name":"Part"}}');
    const { message } = await refused(world, [
      ...['rows.csv', '--group-by', 'Request', '--map-file', 'map.json'],
    ]);
    expect(message).toBe('no column or flag fills title, group.deliveryMethod');
  });

  it('are counted as requisitions, and reasons name the row, line and column', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file(
      'rows.csv',
      [
        'Request,Where,Part,Qty',
        ...['P-1,A,Bolt,2', 'P-1,B,Nut,1', 'P-1,A,Rod,3'],
        ...['P-2,A,Bolt,1', 'P-2,A,Pin,0', 'P-3,A,Bolt,x', ''],
      ].join('\n'),
    );
    const map = ['title=Request', 'group.name=Where', 'item.name=Part', 'quantity=Qty'];
    const args = [
      ...['requisition', 'import', 'rows.csv', '--group-by', 'Request'],
      ...[...map.flatMap((one) => ['--map', one]), '--set', 'group.deliveryMethod=pickup'],
    ];
    const planned = await world.run([...args, '--dry-run']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ counts: 'requisitions', rows: 3 });
    const many = await world.run([...args, '--yes', '--max-rejected', '1']);
    expect(errorOf(many).message).toContain(
      '2 of 3 requisitions are invalid (row 5, line 6, column "Qty": ',
    );
    const ran = await world.run([...args, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 8 });
    const { run, ...counts } = JSON.parse(ran.stdout);
    expect(counts).toMatchObject({ counts: 'requisitions', rows: 3, created: 1, rejected: 2 });
    expect(errorOf(ran).message).toBe('2 requisitions were rejected');
    const rejected = await world.run(['imports', 'rows', run, '--state', 'rejected', '-o', 'json']);
    expect(JSON.parse(rejected.stdout)).toMatchObject([
      { row: 4, reason: 'row 5, line 6, column "Qty": must be greater than 0, got 0' },
      { row: 6, reason: expect.stringMatching(/^row 6, line 7, column "Qty": must be a whole/) },
    ]);
    const report = await world.run(['imports', 'report', run]);
    expect(report.stdout).toContain('1 of 3 requisitions created, 2 rejected.');
  });
});
