import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
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

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return JSON.parse(ran.stdout);
}

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
    const ran = await world.run(['requisition', 'import', 'r.ndjson', '--dry-run']);
    expect(JSON.parse(ran.stdout).samples.rejected[0].reason).toContain(
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
    expect(rejected.stdout).toContain('Winter,Winter,Plant,,Part,none,Brakes,pickup,');

    await world.file(
      'fixed.csv',
      rejected.stdout.replace('NO-SUCH', 'CH-77').replace(',none,', ',3,'),
    );
    const fixed = await done(world, [...['requisition', 'import', 'fixed.csv', '--yes']]);
    expect(fixed).toMatchObject({ rows: 2, created: 2 });
  });
});

describe('references of imputations', () => {
  it('find orders by code; an amount without a currency is in that of its order', async () => {
    const world = await freshWorld(sandbox.target);
    const [order] = stored("SELECT * FROM orders WHERE code = 'PO-00001'");
    await world.file(
      'a.csv',
      `PO,Importe,account\nPO-00001,${Number(order!.amount) + 1},a\nPO-NONE,5,a\n`,
    );
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
      '--yes',
    ]);
    expect(ran.exitCode, ran.stderr).toBe(8);
    expect(
      stored('SELECT orderId, currency, amount FROM imputations ORDER BY rowid DESC LIMIT 1'),
    ).toEqual([
      { orderId: order!.id, currency: order!.currency, amount: Number(order!.amount) + 1 },
    ]);
  });
});
