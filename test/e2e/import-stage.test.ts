import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

const ITEMS = 'code,name\nST-1,Bolt\nST-2,Nut\nST-3,Washer\n';

async function freshSandbox(): Promise<{ sandbox: LoggedSandbox; world: World }> {
  const sandbox = await loggedSandbox();
  const world = await freshWorld(sandbox.target);
  return { sandbox, world };
}

async function done(world: World, args: readonly string[], exitCode = 0) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return ran.stdout === '' ? {} : JSON.parse(ran.stdout);
}

async function refused(world: World, args: readonly string[], exitCode: number) {
  const ran = await world.run(args);
  expect(ran, ran.stderr).toMatchObject({ exitCode });
  return errorOf(ran);
}

async function staged(world: World, args: readonly string[], exitCode = 0) {
  return done(world, [...args, '--stage'], exitCode);
}

function change(sandbox: LoggedSandbox, sql: string): void {
  const database = new DatabaseSync(sandbox.dbPath);
  database.exec(sql);
  database.close();
}

/** SQL that adds an item to the first organization. */
function item(code: string): string {
  return `INSERT INTO items (id, organizationId, code, name, createdAt, updatedAt)
    SELECT 'it_x', id, '${code}', 'Bolt', createdAt, updatedAt FROM organizations ORDER BY seq LIMIT 1`;
}

it('a run staged under another spelling of an address is sent with the profile of that address', async () => {
  const { sandbox, world } = await freshSandbox();
  await using _closed = sandbox;
  const { PROC_BASE_URL = '', PROC_API_KEY = '' } = sandbox.target;
  const spelled = PROC_BASE_URL.replace('127.0.0.1', 'localhost');
  expect(spelled).not.toBe(PROC_BASE_URL);
  const env = { PROC_BASE_URL: '', PROC_API_KEY: '' };
  const own = async (args: readonly string[], exitCode = 0, input = '') => {
    const ran = await world.run(args, { env, input });
    expect(ran, ran.stderr).toMatchObject({ exitCode });
    return ran;
  };
  await own(['profile', 'add', 'acme', '-e', 'staging', '--base-url', PROC_BASE_URL]);
  await own(['profile', 'use', 'acme', '-e', 'staging']);
  await own(['auth', 'login', '-p', 'acme', '-e', 'staging', '--api-key-stdin'], 0, PROC_API_KEY);
  await world.file('a.csv', ITEMS);
  const staging = ['items', 'import', 'a.csv', '--stage'];
  const ran = await world.run(staging, { env: { PROC_BASE_URL: spelled } });
  const { run, next } = JSON.parse(ran.stdout);
  expect(next).toMatchObject([{ command: `proc imports send ${run} --yes` }]);
  await own(['profile', 'add', 'far', '-e', 'x', '--base-url', 'http://127.0.0.1:9/api/v1']);
  const far = errorOf(await own(['imports', 'send', run, '--yes', '-p', 'far', '-e', 'x'], 3));
  expect(far.code).toBe('no_credential');
  const { stdout } = await own(['imports', 'send', run, '--yes']);
  expect(JSON.parse(stdout)).toMatchObject({ created: 3 });
});

it('a run that stopped before it was staged is staged by resume, and not sent by send', async () => {
  const { sandbox, world } = await freshSandbox();
  await using _closed = sandbox;
  await world.file('a.csv', ITEMS);
  const { run, digest } = await staged(world, ['items', 'import', 'a.csv']);
  const ledger = new DatabaseSync(`${world.stateDir}/ledger.db`);
  ledger.exec(`UPDATE runs SET phase = 'planning' WHERE name = '${run}'`);
  ledger.close();
  const file = new DatabaseSync(`${world.stateDir}/imports/${run}.db`);
  file.exec("DELETE FROM run WHERE key = 'sealed'");
  file.close();
  const finish = `proc imports resume ${run}`;
  const [listed] = await done(world, ['imports', 'list']);
  expect(listed).toMatchObject({ state: 'unfinished', next: [{ command: finish }] });
  const { steps } = await done(world, ['imports', 'report', run, '-o', 'json']);
  expect(steps).toMatchObject([{ what: 'stage', command: finish }]);
  expect((await world.run(['imports', 'report', run])).stdout).toContain('To finish staging, run:');
  const error = await refused(world, ['imports', 'send', run, '--yes'], 2);
  expect(error).toMatchObject({
    message: `${run} is not staged yet; nothing was sent`,
    hint: `Finish staging: ${finish}. Then send it: proc imports send ${run}`,
  });
  expect(await done(world, ['imports', 'resume', run])).toMatchObject({ state: 'staged' });
  expect((await done(world, ['imports', 'show', run])).digest).toHaveLength(digest.length);
  expect(sandbox.writes()).toEqual([]);
});

describe('items import --stage', () => {
  it('saves the plan, sends nothing, and is sent by imports send alone', async () => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', ITEMS);
    const plan = await staged(world, ['items', 'import', 'a.csv']);
    expect(plan).toMatchObject({ state: 'staged', rows: 3, create: 3, existing: 0, invalid: 0 });
    expect(plan.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(plan.next).toMatchObject([{ command: `proc imports send ${plan.run} --yes` }]);
    expect(sandbox.writes()).toEqual([]);

    const [listed] = await done(world, ['imports', 'list']);
    expect(listed).toMatchObject({ run: plan.run, state: 'staged', pending: 3, next: plan.next });
    expect(await done(world, ['imports', 'show', plan.run])).toMatchObject({
      state: 'staged',
      digest: plan.digest,
      stagedAt: expect.stringMatching(/Z$/),
      baseUrl: sandbox.baseUrl,
      pending: 3,
    });
    const resumed = await refused(world, ['imports', 'resume', plan.run], 2);
    expect(resumed.hint).toBe(`Send it: proc imports send ${plan.run}`);
    expect(await refused(world, ['imports', 'resume'], 2)).toMatchObject({
      code: 'reference_not_found',
    });
    const again = await refused(world, ['items', 'import', 'a.csv', '--yes'], 2);
    expect(again).toMatchObject({
      code: 'import_unfinished',
      message: `a.csv has a staged import (${plan.run})`,
    });
    const unconfirmed = await refused(world, ['imports', 'send', plan.run], 2);
    expect(unconfirmed.code).toBe('confirmation_required');
    const dry = await done(world, ['imports', 'send', plan.run, '--dry-run']);
    expect(dry).toMatchObject({ dryRun: true, toSend: 3 });
    expect(sandbox.writes()).toEqual([]);

    const sent = await done(world, ['imports', 'send', plan.run, '--yes']);
    expect(sent).toMatchObject({ run: plan.run, rows: 3, created: 3, verified: true });
    expect(sandbox.writes()).toHaveLength(3);
    expect(await done(world, ['imports', 'show', plan.run])).toMatchObject({ state: 'finished' });
    expect(await done(world, ['imports', 'send', plan.run, '--yes'])).toMatchObject({ created: 3 });
    expect(sandbox.writes()).toHaveLength(3);
  });

  it('exits 8 if rows are invalid, and 0 without a run to send if nothing is to be created', async () => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', `${ITEMS},No code\n`);
    const plan = await staged(world, ['items', 'import', 'a.csv'], 8);
    expect(plan).toMatchObject({ create: 3, invalid: 1 });
    expect(await done(world, ['imports', 'send', plan.run, '--yes'], 8)).toMatchObject({
      created: 3,
      rejected: 1,
    });
    await world.file('b.csv', ITEMS);
    expect(await staged(world, ['items', 'import', 'b.csv'])).toMatchObject({ existing: 3 });
    expect(await done(world, ['imports', 'list'])).toEqual([
      expect.objectContaining({ state: 'finished' }),
      expect.objectContaining({ state: 'finished' }),
    ]);
  });

  it('can be discarded, and a run that was not staged is not sent', async () => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', ITEMS);
    const { run } = await staged(world, ['items', 'import', 'a.csv']);
    await done(world, ['imports', 'discard', run, '--yes']);
    expect(await done(world, ['imports', 'list'])).toEqual([]);
    const imported = await done(world, ['items', 'import', 'a.csv', '--yes']);
    const error = await refused(world, ['imports', 'send', imported.run], 2);
    expect(error.message).toBe(
      `${imported.run} was not staged, so proc imports send does not send it`,
    );
  });
});

describe('imports send', () => {
  it('leaves out rows that exist by now', async () => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', ITEMS);
    const { run } = await staged(world, ['items', 'import', 'a.csv']);
    await done(world, ['items', 'create', '--name', 'Nut', '--code', 'ST-2', '--yes']);
    const sent = await done(world, ['imports', 'send', run, '--yes']);
    expect(sent).toMatchObject({ created: 2, existing: 1 });
    expect(sandbox.writes()).toHaveLength(3);
    const rows = await done(world, ['imports', 'rows', run]);
    expect(rows.map(({ state }: { state: string }) => state)).toEqual([
      'created',
      'existing',
      'created',
    ]);
  });

  it('sends nothing if all rows exist by now', async () => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', 'code,name\nST-2,Nut\n');
    const { run } = await staged(world, ['items', 'import', 'a.csv']);
    await done(world, ['items', 'create', '--name', 'Nut', '--code', 'ST-2', '--yes']);
    expect(await done(world, ['imports', 'send', run, '--yes'])).toMatchObject({ existing: 1 });
    expect(sandbox.writes()).toHaveLength(1);
  });

  it.each([
    {
      what: 'an existing item that is gone',
      args: ['items', 'import', 'a.csv'],
      before: item('ST-1'),
      after: "DELETE FROM items WHERE id = 'it_x'",
      message: 'no longer in the list: ST-1 (it_x) (row 1)',
    },
    {
      what: 'existing rows that were to fail the import',
      args: ['items', 'import', 'a.csv', '--on-existing', 'fail'],
      after: item('ST-1'),
      message: '1 row exists now (--on-existing fail) (row 1)',
    },
    {
      what: 'another dialect',
      args: ['items', 'import', 'a.csv'],
      env: { PROC_DIALECT: 'limit=max' },
      message: 'the dialect of items: limit was "limit", now "max"',
    },
    {
      what: 'a reference that is ambiguous by now',
      args: ['imputations', 'import', 'i.csv', '--map', 'order=PO', '--map', 'amount=amount'],
      after:
        "UPDATE orders SET code = 'PO-00001' WHERE id = (SELECT id FROM orders WHERE code = 'PO-00002')",
      message: 'order "PO-00001" was ',
      more: 'matches 2 entries',
    },
    {
      what: 'a reference to another record',
      args: ['imputations', 'import', 'i.csv', '--map', 'order=PO', '--map', 'amount=amount'],
      after: "UPDATE orders SET id = 'or_x' WHERE code = 'PO-00001'",
      message: ', now or_x (row 1)',
    },
    {
      what: 'the creation of an item that a line defines',
      args: ['requisition', 'import', 'r.ndjson'],
      after: item('RQ-1'),
      message: 'items that these rows define in place already exist (row 1)',
    },
    {
      what: 'a field copied from a record',
      args: [
        ...['imputations', 'import', 'i.csv', '--map', 'order=PO', '--map', 'amount=amount'],
        ...['--set', 'currency=@order.currency'],
      ],
      after: "UPDATE orders SET currency = 'CHF' WHERE code = 'PO-00001'",
      message: 'now {"currency":"CHF"} (row 1)',
    },
  ])('is refused after $what', async ({ args, before, after, env, message, more }) => {
    const { sandbox, world } = await freshSandbox();
    await using _closed = sandbox;
    await world.file('a.csv', ITEMS);
    const items = [{ quantity: 1, item: { name: 'Bolt', code: 'RQ-1' } }];
    const groups = [{ deliveryMethod: 'pickup', items }];
    await world.file('r.ndjson', `${JSON.stringify({ title: 'T', groups })}\n`);
    await world.file('i.csv', 'PO,amount\nPO-00001,10\n');
    if (before !== undefined) change(sandbox, before);
    const { run } = await staged(world, args);
    if (after !== undefined) change(sandbox, after);
    const ran = await world.run(['imports', 'send', run, '--yes'], { env });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 2 });
    const error = errorOf(ran);
    expect(error.code).toBe('plan_changed');
    expect(error.message).toContain(message);
    expect(error.message).toContain(more ?? '');
    expect(error.message).toMatch(/; nothing was sent$/);
    expect(sandbox.writes()).toEqual([]);
    expect(await done(world, ['imports', 'show', run])).toMatchObject({ state: 'staged' });
  });
});
