import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { rootHelp } from '../../src/cli/help/root-help.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { freshWorld, type World } from '../support/run.ts';
import { freshFolder, startTestSandbox } from '../support/sandbox.ts';
import { loggedSandbox } from '../support/service.ts';
import { sharedShop } from '../support/shop.ts';
import { startTerminal } from '../support/terminal.ts';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const ORDERS = [
  { id: 'po-1', code: 'PO-1', status: 'pending', title: 'Litware', createdAt: ago(1) },
  { id: 'po-2', code: 'PO-2', status: 'rejected', title: 'Contoso', createdAt: ago(2) },
  { id: 'po-3', code: 'PO-3', status: 'pending', title: 'Old', createdAt: ago(90) },
  { id: 'po-4', code: 'PO-4', status: 'complete', title: 'Done', createdAt: ago(3) },
];

async function place(orders: readonly object[] = ORDERS, options: object = {}) {
  const db = join(await freshFolder(), 'service.db');
  const sandbox = await startTestSandbox({
    db,
    seed: { orders: [...orders] } as never,
    ...options,
  });
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  const change = (sql: string) => {
    using database = new DatabaseSync(db);
    database.exec(sql);
  };
  return { world, change };
}

async function look(world: World, ...flags: readonly string[]) {
  const ran = await world.run(['status', ...flags]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return { ...ran, value: JSON.parse(ran.stdout) };
}

async function page(world: World, cols: number, args: readonly string[] = ['status']) {
  const session = startTerminal(world, args, { cols, env: { NO_COLOR: '1' } });
  expect(await session.exited, session.text()).toBe(0);
  return session.text().replaceAll('\r', '');
}

describe('orders in proc status', () => {
  it('are counted by status for the last 30 days, with the command that lists them', async () => {
    const { world } = await place();
    const { value } = await look(world);
    expect(value.orders).toMatchObject({
      count: 4,
      since: null,
      new: null,
      days: 30,
      undated: 0,
      statuses: { pending: 1, rejected: 1, complete: 1 },
    });
    const [list] = value.next.filter(({ command }: { command: string }) => /list/.test(command));
    expect(list.command).toBe('proc orders list --status pending,rejected --since 30d');
    const { stdout } = await world.run(list.command.split(' ').slice(1));
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  it('count as changed until --seen remembers them', async () => {
    const { world, change } = await place();
    expect((await look(world, '--seen')).stderr).toContain('Remembered 4 orders as seen.');
    expect((await look(world)).value.orders).toMatchObject({ new: 0, changed: 0, gone: 0 });
    change(
      "UPDATE orders SET status = 'approved' WHERE id = 'po-1'; DELETE FROM orders WHERE id = 'po-4'",
    );
    for (const flags of [[], ['--seen', '--dry-run'], ['--seen']]) {
      const { value } = await look(world, ...flags);
      expect(value.orders, flags.join(' ')).toMatchObject({ new: 0, changed: 1, gone: 1 });
      expect(value.orders.changes[0]).toMatchObject({ code: 'PO-1', previousStatus: 'pending' });
      const commands = value.next.map(({ command }: { command: string }) => command);
      const further = commands.filter((one: string) => /since status|--seen/.test(one));
      // After --seen, these commands would show no change.
      expect(further).toEqual(
        flags.at(-1) === '--seen'
          ? []
          : ['proc orders changes --since status', 'proc status --seen'],
      );
    }
    expect((await look(world)).value.orders).toMatchObject({ new: 0, changed: 0, gone: 0 });
  });

  it('are not remembered if the list was not read to its end', async () => {
    const { world } = await place(ORDERS, { dialect: 'paging=none' });
    const { value, stderr } = await look(world, '--seen');
    expect(value.problems[0]).toMatchObject({ part: 'orders', code: 'incomplete' });
    expect(stderr).toContain('not remembered as seen');
    const again = await look(world);
    expect(again.value.orders).toBeNull();
  });

  it('take their own statuses and no date, as the service has them', async () => {
    await using service = await startHostile((socket) => {
      socket.write(http(200, '[{"id":"1","code":"A","status":"Abierta"},{"id":"2","code":"B"}]'));
    });
    const world = await freshWorld({ ...targetOf(service), PROC_DIALECT: 'paging=none' });
    const { value } = await look(world);
    expect(value.orders).toMatchObject({ undated: 2, statuses: { abierta: 1, '': 1 } });
    expect(await page(world, 80)).toContain('1 abierta, 1 without a status (orders have no date)');
  });

  it('are read once, page by page', async () => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    await look(world);
    const paths = new Set(
      service.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`),
    );
    expect([...paths]).toEqual(['GET /api/v1/orders/']);
  });
});

describe('a service that does not answer is one line of proc status', () => {
  it('unreachable: exit 0, and the rest is shown', async () => {
    const world = await freshWorld({
      PROC_BASE_URL: 'http://127.0.0.1:9/api/v1',
      PROC_RETRIES: '0',
    });
    const { value } = await look(world);
    expect(value).toMatchObject({ orders: null, drafts: [], unconfirmed: [], imports: [] });
    expect(value.problems).toMatchObject([{ part: 'orders', code: 'unreachable' }]);
    expect(await page(world, 80)).toMatch(/^Orders {7}not read: /m);
  });

  it('slow: it ends with its time limit', async () => {
    await using service = await startHostile(() => undefined);
    const world = await freshWorld(targetOf(service));
    const { value } = await look(world, '-p', 'sandbox', '--deadline', '300ms');
    expect(value.problems[0].message).toBe('the service did not answer within 300ms');
    expect(value.next).toMatchObject([{ command: 'proc status --deadline 1m -p sandbox' }]);
  });

  it('without a key: names the command that stores one', async () => {
    const world = await freshWorld();
    const add = 'profile add acme -e test --base-url https://acme.example.com/api/v1';
    expect((await world.run(add.split(' '))).exitCode).toBe(0);
    const { value } = await look(world, '-p', 'acme');
    expect(value).toMatchObject({ profile: 'acme', environment: 'test', orders: null });
    expect(value.next[0].command).toMatch(/^proc auth login/);
  });
});

describe('what is left on this machine', () => {
  const shop = sharedShop();

  it('is shown with its commands, the most urgent first, on at most 20 lines', async () => {
    const world = await shop.world();
    const { env } = world;
    shop.draft(world, { title: 'Spare parts', type: null, sector: null, code: null, groups: [] });
    await world.file('items.csv', 'code,name\nS-1,One\n');
    const staged = await world.run(['items', 'import', 'items.csv', '--stage']);
    expect(staged.exitCode, staged.stderr).toBe(0);
    await using failing = await startHostile((socket, { method }) => {
      socket.write(http(method === 'GET' ? 200 : 500, '[]'));
    });
    const lost = ['items', 'create', '--name', 'Bolt'];
    const elsewhere = { ...env, PROC_BASE_URL: failing.baseUrl };
    expect((await world.run(lost, { env: elsewhere })).exitCode).toBe(9);
    const { value } = await look(world);
    expect(value.drafts).toMatchObject([{ title: 'Spare parts' }]);
    expect(value.unconfirmed).toMatchObject([{ what: 'create item "Bolt"' }]);
    const { run } = JSON.parse(staged.stdout);
    expect(value.imports).toMatchObject([{ run, state: 'staged', source: 'items.csv' }]);
    const commands = value.next.map(({ command }: { command: string }) => command);
    expect(commands[0]).toBe('proc history list --state unknown');
    expect(commands[1]).toContain(`proc imports send ${run}`);
    expect(commands.at(-1)).toBe('proc requisition draft list');
    for (const cols of [60, 80, 120]) {
      const text = await page(world, cols);
      const lines = text.trimEnd().split('\n');
      expect(lines.length, text).toBeLessThanOrEqual(20);
      expect(text).toContain('Spare parts');
      expect(text).toContain('1 staged');
      // A terminal would break longer lines, so that a command is copied in parts.
      for (const command of commands as readonly string[]) {
        expect(text).toContain(`${command.replace(' --yes', '')}\n`);
      }
      const wide = lines.filter(({ length }) => length > cols);
      expect(wide.filter((line) => !line.startsWith('proc '))).toEqual([]);
      expect(text).toContain('proc history list --state unknown');
    }
  });
});

it('an import with unconfirmed rows is counted once', async () => {
  await using failing = await startHostile((socket, { method }) => {
    socket.write(http(method === 'GET' ? 200 : 500, '[]'));
  });
  const world = await freshWorld({ PROC_BASE_URL: failing.baseUrl, PROC_API_KEY: 'k' });
  await world.file('costs.csv', 'reference,amount,contractId\nR-1,5,a\n');
  const imported = await world.run([
    ...['imputations', 'import', 'costs.csv', '--first-run', '--yes', '--tune', 'settle=1ms'],
  ]);
  expect(imported.exitCode, imported.stderr).toBe(9);
  const { value } = await look(world);
  expect(value.imports).toMatchObject([{ state: 'unconfirmed' }]);
  expect(value.unconfirmed).toEqual([]);
});

describe('texts that the service or a file chose', () => {
  const shop = sharedShop();
  const words = 'word '.repeat(60).trim();
  const control = '\u001b[31m\u0007';

  it.each([60, 80])('stay text, and within 20 lines of %i columns', async (cols) => {
    const world = await shop.world();
    for (const title of [words, 'y'.repeat(300), `${words}${control}`]) {
      shop.draft(world, { title, type: null, sector: null, code: null, groups: [] });
    }
    const orders = Array.from({ length: 5 }, (_, at) => ({
      id: String(at),
      code: `PO-${at}`,
      title: `${words}${control}`,
      status: `${at}${control} ${'x'.repeat(200)}`,
    }));
    await using service = await startHostile((socket) => {
      socket.write(http(200, JSON.stringify(orders)));
    });
    Object.assign(world.env, targetOf(service), { PROC_DIALECT: 'paging=none' });
    const text = await page(world, cols);
    expect(text).not.toMatch(/[\u001b\u0007]/);
    expect(text).toContain('\\u001b[31m');
    const lines = text.trimEnd().split('\n');
    expect(lines.length, text).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map(({ length }) => length)), text).toBeLessThanOrEqual(cols);
    expect(text).toContain('proc requisition draft list');
  });

  it('stay text in an error too', async () => {
    await using service = await startHostile((socket) => {
      socket.write(http(400, JSON.stringify({ message: `no ${control}${'z'.repeat(2_000)}` })));
    });
    const world = await freshWorld({ ...targetOf(service), PROC_DIALECT: 'paging=none' });
    const text = await page(world, 60);
    expect(text).not.toMatch(/[\u001b\u0007]/);
    expect(text.trimEnd().split('\n').length, text).toBeLessThanOrEqual(20);
  });
});

describe('proc alone', () => {
  const help = rootHelp({ width: 80, heading: (text) => text });

  it('shows the first steps on a terminal until something is configured, then the status', async () => {
    const world = await freshWorld();
    expect(await page(world, 80, [])).toBe(help);
    const { world: configured } = await place();
    expect(await page(configured, 80, [])).toBe(await page(configured, 80));
    await world.run('profile add acme -e test --base-url http://127.0.0.1:9/api/v1'.split(' '));
    expect(await page(world, 80, [])).toContain('Orders');
  });

  it('shows the first steps to a pipe', async () => {
    const { world } = await place();
    expect((await world.run([])).stdout).toBe(help);
  });

  it('has 20 lines at 80 columns', () => {
    expect(help.trimEnd().split('\n')).toHaveLength(20);
  });
});
