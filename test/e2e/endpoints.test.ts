import { describe, expect, it } from 'vitest';
import { startPty } from '../support/pty.ts';
import { jsonLines, openWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);

/** Runs a command that must succeed and may print only notices on stderr. Returns its JSON. */
async function good(line: string, ...more: readonly string[]) {
  const ran = await world.run([...line.split(' '), ...more]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(jsonLines(ran.stderr).filter((line) => line.notice === undefined)).toEqual([]);
  return ran.stdout === '' ? undefined : JSON.parse(ran.stdout);
}

const row = (table: string, id: string) =>
  sandbox.sql(`SELECT * FROM ${table} WHERE id = '${id}'`)[0];

describe('every endpoint, through the command line', () => {
  it('requisitions, groups and lines', async () => {
    const item = await good('items create --name Chain --code CH-1');
    expect(item).toEqual({ id: expect.any(String), name: 'Chain', code: 'CH-1' });
    expect(row('items', item.id)).toMatchObject({ name: 'Chain', code: 'CH-1' });

    const payload = {
      title: 'From the file',
      sector: 'mountain-bikes',
      groups: [
        {
          name: 'Plant',
          deliveryMethod: 'delivery',
          addressId: 'adr-1',
          items: [{ quantity: 2, itemId: item.id }],
        },
        { deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] },
      ],
    };
    await world.file('requisition.json', JSON.stringify(payload));
    const created = await good(
      'requisition create --file requisition.json --title',
      'From the flag',
    );
    expect(created).toEqual({ requisitionId: expect.any(String) });
    const id: string = created.requisitionId;
    expect(row('requisitions', id)).toMatchObject({
      title: 'From the flag',
      sector: 'mountain-bikes',
    });

    const piped = ['requisitions', 'create', '--file', '-', '-o', 'id'];
    const second = await world.run(piped, { input: JSON.stringify(payload) });
    expect(second).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\S+\n$/) });

    const group = await good(`requisition group add ${id} --name Dock --address adr-2`);
    expect(group).toEqual({ id: expect.any(String), name: 'Dock', deliveryMethod: 'delivery' });
    const at = `${id} ${group.id}`;
    const line = await good(`requisition item add ${at} --item ${item.id} --quantity 4`);
    expect(line).toEqual({ id: expect.any(String), quantity: 4, itemId: item.id });
    expect(await good(`requisition item list ${at}`)).toEqual([line]);
    const removed = await good(`requisition item remove ${at} ${line.id}`);
    expect(removed).toMatchObject({ id: line.id });
    expect(row('lines', line.id)).toBeUndefined();
    expect(await good(`requisition item list ${at}`)).toEqual([]);
    expect(await good(`requisition group remove ${at}`)).toMatchObject({ id: group.id });
    expect(row('groups', group.id)).toBeUndefined();
  });

  it('orders', async () => {
    expect(await good('orders list --sort code --dir desc --limit 3')).toHaveLength(3);
    expect(sandbox.requests.at(-1)?.path).toBe('/api/v1/orders/?limit=3&sort=code&dir=desc');
  });

  it('items', async () => {
    await good('items create --name Nut --code N-1');
    const rows = await good('items list --sort name --limit 100');
    expect(rows.map(({ name }: { name: string }) => name)).toContain('Nut');
  });

  it('imputations', async () => {
    const create = 'imputations create --order po-1 --account 6100 --amount 222.15 --currency USD';
    const created = await good(`${create} --notes`, 'a "quoted" note');
    const sent = { orderId: 'po-1', account: '6100', amount: 222.15, currency: 'USD' };
    expect(created).toMatchObject(sent);
    expect(row('imputations', created.id)).toMatchObject({ notes: 'a "quoted" note' });
  });

  it('sectors', async () => {
    expect((await good('sectors list')).length).toBeGreaterThan(10);
    expect(await good('sectors get sec-1')).toMatchObject({ id: 'sec-1' });
    await world.file('sector.json', '{"name":"From the file","description":"D"}');
    const patched = await good('sectors patch sec-1 --file sector.json --name', 'From a flag');
    expect(patched).toMatchObject({ id: 'sec-1', name: 'From a flag', description: 'D' });
    expect(await good('sectors delete sec-2 --yes')).toMatchObject({ id: 'sec-2' });
    expect(row('sectors', 'sec-2')).toBeUndefined();
    const gone = await world.run(['sectors', 'delete', 'sec-2', '--yes']);
    expect(gone.exitCode).toBe(5);
  });

  it('addresses', async () => {
    expect(await good('addresses get adr-1')).toMatchObject({ id: 'adr-1' });
    const patch = 'addresses patch adr-1 --city Córdoba --latitude -31.4 --formatted-address';
    expect(await good(patch, 'Córdoba, AR')).toMatchObject({ city: 'Córdoba' });
    expect(row('addresses', 'adr-1')).toMatchObject({ city: 'Córdoba', latitude: -31.4 });
    expect(await good('address delete adr-3 -y')).toMatchObject({ id: 'adr-3' });
    expect(row('addresses', 'adr-3')).toBeUndefined();
  });
});

describe('on a terminal and in a pipe', () => {
  it('a list: a table with a note, or JSON alone', async () => {
    const args = ['orders', 'list', '--sort', 'code', '--limit', '2'];
    const terminal = startPty(world, ['orders', 'list'], { cols: 100, env: { NO_COLOR: '1' } });
    expect(await terminal.exited).toBe(0);
    expect(terminal.text()).toMatch(/CODE.*TITLE|CODE.*STATUS/);
    expect(terminal.text()).not.toContain('"id"');
    expect(terminal.text()).toContain('There may be more orders. To read them all, add --all.');
    for (const line of terminal.text().split('\r\n')) expect(line.length).toBeLessThanOrEqual(100);

    const piped = await world.run(args);
    expect(JSON.parse(piped.stdout)).toHaveLength(2);
    expect(piped.stderr).toBe('');
    const table = await world.run([...args, '-o', 'table']);
    expect(table.stdout).toMatch(/^\S*CODE|CODE/);
    expect(table.stdout).not.toContain('\u001b[');
  });

  it('an error: text on a terminal, one JSON line in a pipe', async () => {
    const args = ['addresses', 'get', 'adr-999'];
    const terminal = startPty(world, args, { env: { NO_COLOR: '1' } });
    expect(await terminal.exited).toBe(5);
    expect(terminal.text()).toMatch(/^error: GET http.*not found \(404\)/);
    expect(terminal.text()).toContain('hint: ');
    const piped = await world.run(args);
    expect(jsonLines(piped.stderr)).toHaveLength(1);
    const asTable = await world.run([...args, '-o', 'table']);
    expect(asTable.stderr).toMatch(/^error: /);
  });
});
