import { describe, expect, it } from 'vitest';
import { always, http, startHostile, targetOf } from '../support/hostile-service.ts';
import { freshWorld, openWorld } from '../support/run.ts';
import { behaving } from '../support/sandbox.ts';
import { loggedSandbox } from '../support/service.ts';

const world = await openWorld();

async function allOrders(sandboxDialect: string, procDialect: string, ...flags: string[]) {
  await using sandbox = await loggedSandbox(behaving(sandboxDialect));
  const ran = await world.run(['orders', 'list', '--all', '-o', 'id', ...flags], {
    env: { ...sandbox.target, PROC_LIST_NAMES: procDialect },
  });
  const ids = ran.stdout.split('\n').filter((line) => line !== '');
  return { ...ran, ids, paths: sandbox.requests.map(({ path }) => path) };
}

describe('--all if the end cannot be verified', () => {
  it('other names, ignored: the rows of one response, exit 10', async () => {
    const ran = await allOrders('limit=pageSize,offset=skip', '');
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toMatch(/may be incomplete.*proc doctor/s);
    expect(ran.ids).toHaveLength(20);
    expect(new Set(ran.ids).size).toBe(20);
  });

  it('other names, refused: exit 6', async () => {
    const ran = await allOrders('limit=l1,offset=o1,unknown=refuse', '');
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(ran.stderr).toContain('proc doctor');
  });

  it.each([
    ['a smaller page size than asked for', 30],
    ['one row at a time', 1],
  ])('%s is read to an empty page', async (_, size) => {
    const rows = Array.from({ length: size * 4 }, (_item, at) => ({ id: `po-${at}` }));
    await using service = await startHostile((socket, { line }) => {
      const offset = Number(/offset=(\d+)/.exec(line)?.[1] ?? 0);
      socket.write(http(200, JSON.stringify(rows.slice(offset, offset + size))));
    });
    const ran = await world.run(['orders', 'list', '--all', '-o', 'id'], {
      env: targetOf(service),
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toBe(rows.map(({ id }) => `${id}\n`).join(''));
    // The second page begins with the last row of the first one.
    expect(service.requests).toHaveLength(size === 1 ? 5 : 6);
  });

  it('the same page again and again ends', async () => {
    await using service = await startHostile(always(http(200, '[{"id":"a"},{"id":"b"}]')));
    const ran = await world.run(['orders', 'list', '--all', '-o', 'id'], {
      env: targetOf(service),
    });
    expect(ran).toMatchObject({ exitCode: 10, stdout: 'a\nb\n' });
    expect(service.requests.length).toBeLessThan(50);
  });
});

describe('the order of a list', () => {
  const ordered = async (line: string, options = {}) => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    const ran = await world.run(line.split(' '), options);
    expect(ran.exitCode, ran.stderr).toBe(0);
    return { ...ran, requests: service.requests.map(({ path }) => path) };
  };

  it('newest orders first where the service sorts, in the order of codes if data is whole', async () => {
    expect((await ordered('orders list --limit 2 -o id')).stdout).toBe('po-500\npo-499\n');
    expect((await ordered('orders list -o id')).stdout.slice(0, 10)).toBe('po-1\npo-2\n');
  });

  it('by a field that the service does not sort by: proc reads the whole list and sorts', async () => {
    const { stdout, requests } = await ordered(
      'orders list --sort amount --dir desc --limit 3 -o csv --fields amount',
    );
    const amounts = stdout.trim().split('\r\n').slice(1).map(Number);
    expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
    expect(amounts).toHaveLength(3);
    expect(requests.length).toBeGreaterThan(4);
  });

  it('of lists that are no service’s', async () => {
    const { stdout } = await ordered('orders summary --sort amount --dir desc -o ndjson');
    const amounts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).amount);
    expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
  });
});
