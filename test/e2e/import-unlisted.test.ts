import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

function stored(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(sandbox.dbPath, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function errorOf(stderr: string): { message: string; hint?: string } {
  return jsonLines(stderr).find((line) => line.error !== undefined)?.error as never;
}

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return JSON.parse(ran.stdout);
}

describe('rows of a noun without a list', () => {
  it('are recognised as sent before, by runs, discarded runs and single commands', async () => {
    const world = await freshWorld(sandbox.target);
    const rows = Array.from({ length: 20 }, (_, at) => `INV-${at},6100,${at}.5`);
    await world.file('a.csv', `reference,account,amount\n${rows.join('\n')}\n`);
    const { run } = await done(world, [
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    const refused = async (by: string, count = 20) => {
      const ran = await world.run([
        'imputations',
        'import',
        'a.csv',
        '--set',
        'contractId=k-1',
        '--yes',
      ]);
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran.stderr).message).toBe(
        `${count} of 20 rows were already sent by ${by}; nothing was sent now`,
      );
    };
    await refused(`run ${run}`);
    await done(world, ['imports', 'prune', '--before', '0s', '--yes']);
    await refused(`run ${run}`);

    await done(world, [
      'imputations',
      'create',
      '--reference',
      'X',
      '--amount',
      '3',
      '--contract',
      'k-1',
    ]);
    await world.file('b.csv', 'amount,reference\n3,X\n4,Y\n');
    const single = await world.run([
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(errorOf(single.stderr).message).toMatch(
      /^1 of 2 rows was already sent by the command h-\w+ in the history; nothing was sent now$/,
    );
    const others = await done(world, [
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--on-sent',
      'skip',
    ]);
    expect(others).toMatchObject({ rows: 2, created: 1, existing: 1 });
    const all = await done(world, [
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      '--on-sent',
      'send',
    ]);
    expect(all).toMatchObject({ created: 2 });
    expect(stored("SELECT count(*) AS n FROM imputations WHERE reference = 'X'")).toEqual([
      { n: 2 },
    ]);
  });

  it('with a lost outcome are parked, and resolved one by one', async () => {
    const sent: string[] = [];
    await using service = await startHostile((socket, { body }) => {
      const { reference } = JSON.parse(body);
      sent.push(reference);
      const isLost =
        reference.startsWith('LOST') && sent.filter((r) => r === reference).length === 1;
      socket.write(isLost ? http(500, '{}') : http(201, JSON.stringify({ id: `im-${reference}` })));
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file(
      'a.ndjson',
      ['A', 'LOST-1', 'LOST-2', 'LOST-3', 'B']
        .map((reference) => JSON.stringify({ reference, amount: 1 }))
        .join('\n'),
    );
    const first = await done(
      world,
      ['imputations', 'import', 'a.ndjson', '--set', 'contractId=k-1', '--yes'],
      9,
    );
    expect(first).toMatchObject({ created: 2, unconfirmed: 3, pending: 0 });
    const { run } = first;

    const unasked = await world.run(['imports', 'resolve', run]);
    expect(unasked.exitCode).toBe(2);
    expect(errorOf(unasked.stderr).message).toContain('row 2 (LOST-1)');
    const both = await world.run(['imports', 'resolve', run, '2', '3', '--adopt', 'im-9']);
    expect(both.exitCode).toBe(2);
    expect((await world.run(['imports', 'resolve', run, '1', '--drop'])).exitCode).toBe(2);

    await done(world, ['imports', 'resolve', run, 'LOST-1', '--adopt', 'im-9'], 9);
    await done(world, ['imports', 'resolve', run, '3', '--drop'], 9);
    const settled = await done(world, ['imports', 'resolve', run, '4', '--resend']);
    expect(settled).toMatchObject({ created: 3, dropped: 1, unconfirmed: 0, pending: 1 });
    const resumed = await done(world, ['imports', 'resume', run]);
    expect(resumed).toMatchObject({ created: 4, dropped: 1, unconfirmed: 0, pending: 0 });
    expect(sent.sort()).toEqual(['A', 'B', 'LOST-1', 'LOST-2', 'LOST-3', 'LOST-3']);
  });
});

describe('requisition import', () => {
  it('creates requisitions from payloads, and rejects what the contract does not allow', async () => {
    const world = await freshWorld(sandbox.target);
    const good = {
      title: 'From NDJSON',
      groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 2, item: { name: 'Bolt' } }] }],
    };
    const bad = {
      title: 'Bad',
      groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 0, item: { name: 'Bolt' } }] }],
    };
    await world.file('r.ndjson', `${JSON.stringify(good)}\n${JSON.stringify(bad)}\n`);
    const summary = await done(world, ['requisition', 'import', 'r.ndjson', '--yes'], 8);
    expect(summary).toMatchObject({ created: 1, rejected: 1 });
    const ran = await world.run([
      'requisition',
      'import',
      'r.ndjson',
      '--dry-run',
      '--on-sent',
      'send',
    ]);
    expect(JSON.parse(ran.stdout).samples.invalid[0].reason).toContain(
      'groups[0].items[0].quantity: must be greater than 0',
    );
  });

  it('makes one requisition from the rows with the same value, with items by code', async () => {
    const world = await freshWorld(sandbox.target);
    await done(world, ['items', 'create', '--name', 'Chain', '--code', 'CH-77']);
    await world.file(
      'rows.csv',
      [
        'Request,Where,SKU,Part,Qty',
        'Spring,Plant,CH-77,,4',
        'Autumn,Plant,NO-SUCH,,1',
        'Spring,Shop,,New part,2',
        'Spring,Plant,,Second,5',
        'Winter,Plant,,Part,none',
        '',
      ].join('\n'),
    );
    const map = [
      '--map',
      'title=Request',
      '--map',
      'group.name=Where',
      '--map',
      'item.code=SKU',
      '--map',
      'item.name=Part',
      '--map',
      'quantity=Qty',
      '--set',
      'group.deliveryMethod=pickup',
      '--set',
      'sector=Brakes',
    ];
    const summary = await done(
      world,
      ['requisition', 'import', 'rows.csv', '--group-by', 'Request', ...map, '--yes'],
      8,
    );
    expect(summary).toMatchObject({ rows: 3, created: 1, rejected: 2 });
    const request = sandbox.writes().findLast(({ path }) => path.endsWith('/requisitions/'));
    expect(request).toBeDefined();
    const [made] = stored("SELECT * FROM requisitions WHERE title = 'Spring'");
    expect(made).toMatchObject({ title: 'Spring', sector: 'brakes' });
    const rejected = await world.shell('cat rows.rejected.csv');
    expect(rejected.stdout).toContain(
      '"row 2, line 3, column ""SKU"": ""NO-SUCH"": no item has this code or id',
    );
    expect(rejected.stdout).toContain('Winter,Plant,,Part,none,');

    await world.file(
      'fixed.csv',
      rejected.stdout.replace('NO-SUCH', 'CH-77').replace(',none,', ',3,'),
    );
    const fixed = await done(world, [
      ...['requisition', 'import', 'fixed.csv', '--group-by', 'Request', ...map, '--yes'],
    ]);
    expect(fixed).toMatchObject({ rows: 2, created: 2 });
  });
});

describe('references of imputations', () => {
  it('find orders by code, and copy their fields', async () => {
    const world = await freshWorld(sandbox.target);
    const [order] = stored("SELECT * FROM orders WHERE code = 'PO-00001'");
    await world.file('a.csv', `PO,Importe\nPO-00001,${Number(order!.amount) + 1}\nPO-NONE,5\n`);
    const ran = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--map',
      'order=PO',
      '--map',
      'amount=Importe',
      '--decimal',
      '.',
      '--set',
      'currency=@order.currency',
      '--yes',
    ]);
    expect(ran.exitCode, ran.stderr).toBe(8);
    expect(
      stored('SELECT orderId, currency, amount FROM imputations ORDER BY rowid DESC LIMIT 1'),
    ).toEqual([
      { orderId: order!.id, currency: order!.currency, amount: Number(order!.amount) + 1 },
    ]);
  });

  it('an ambiguous amount is a row error', async () => {
    const world = await freshWorld(sandbox.target);
    await world.file('a.csv', 'reference;amount\nD-1;1.000\nD-2;2.000\n');
    const none = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--dry-run',
    ]);
    expect(JSON.parse(none.stdout)).toMatchObject({ create: 0, invalid: 2 });
    expect(none.stdout).toContain('choose with --decimal');
    await world.file('b.csv', 'reference;amount\nD-1;1.000\nD-2;1.234,50\n');
    await done(world, [
      'imputations',
      'import',
      'b.csv',
      '--set',
      'contractId=k-1',
      '--decimal',
      ',',
      '--yes',
    ]);
    expect(
      stored("SELECT amount FROM imputations WHERE reference LIKE 'D-%' ORDER BY reference"),
    ).toEqual([{ amount: 1000 }, { amount: 1234.5 }]);
  });
});
