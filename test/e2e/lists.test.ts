import { describe, expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('other names, ignored: the rows of one response, exit 10', async () => {
  await using service = await loggedSandbox({ dialect: 'limit=pageSize,offset=skip' });
  const world = await freshWorld(service.target);
  const ran = await world.run(['orders', 'list', '--all', '-o', 'id']);
  expect(ran.exitCode).toBe(10);
  expect(ran.stderr).toMatch(/may be incomplete.*proc doctor/s);
  expect(new Set(ran.stdout.trim().split('\n')).size).toBe(20);
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
