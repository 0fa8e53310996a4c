import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Order {
  readonly code: string;
  readonly status: string;
  readonly amount: number;
  readonly createdAt: string;
}

async function orders() {
  const sandbox = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  return async (line: string, options = {}) => {
    const ran = await runHere(line.split(' '), world.env, options);
    const rows = ran.stdout.startsWith('[') ? (JSON.parse(ran.stdout) as Order[]) : [];
    return { ...ran, rows };
  };
}

async function listOf(rows: readonly unknown[], line: string) {
  await using service = await startHostile((socket) => socket.end(http(200, JSON.stringify(rows))));
  const world = await freshWorld({ ...targetOf(service), PROC_LIST_NAMES: 'paging=none' });
  return await runHere(line.split(' '), world.env);
}

describe('filters of orders', () => {
  it('--status takes several values', async () => {
    const run = await orders();
    expect((await run('orders list --status pending,rejected')).rows).toHaveLength(43);
    const none = await run('orders list --status approved');
    expect(none).toMatchObject({ exitCode: 0, rows: [] });
    expect(jsonLines(none.stderr)).toEqual([{ notice: '--status: 0 of 500 fetched rows match' }]);
  });

  it('--until includes its day', async () => {
    const times = [new Date(2026, 0, 31, -1), new Date(2026, 0, 31, 23, 59), new Date(2026, 1, 1)];
    const rows = times.map((createdAt, at) => ({ id: `o${at}`, createdAt }));
    const ran = await listOf(rows, 'orders list --since 2026-01-31 --until 2026-01-31 -o id');
    expect(ran.stdout).toBe('o1\n');
  });

  it('orders without a date are counted', async () => {
    const rows = [
      { id: 'a', status: 'x', createdAt: '2026-01-30T00:00:00Z' },
      { id: 'b', status: 'x' },
      { id: 'c', status: 'y', createdAt: null },
    ];
    const ran = await listOf(rows, 'orders list --since 2026-01-01');
    expect(JSON.parse(ran.stdout)).toHaveLength(1);
    expect(jsonLines(ran.stderr)).toContainEqual({
      warning: '--since leaves out 2 orders, which have no date in createdAt',
    });
    const one = await listOf(rows, 'orders list --status x --until 2027-01-01');
    expect(one.stderr).toContain('--until leaves out 1 order, which has no date in createdAt');
  });

  it.each(['orders list', 'orders summary'])(
    '%s --since without any date exits 2 and names the fields',
    async (command) => {
      const rows = [{ id: 'a', code: 'A', status: 'x', placed: '2026-01-30' }];
      const ran = await listOf(rows, `${command} --since 2026-01-01`);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(ran)).toMatchObject({
        code: 'invalid_usage',
        message: '--since: no order has a date in the field createdAt',
        hint: expect.stringContaining('Fields: id, code, status, placed'),
      });
    },
  );

  it('an amount is not compared with a word', async () => {
    const run = await orders();
    const ran = await run('orders list --where amount>=much');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran).message).toContain('"much" is not a number');
  });
});
