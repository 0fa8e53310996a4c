import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function lists() {
  const seen: string[] = [];
  const sandbox = await startTestSandbox({ onRequest: ({ path }) => seen.push(path) });
  const world = await freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
  return {
    async list(line: string) {
      seen.length = 0;
      const ran = await runHere(line.split(' '), world.env);
      return {
        ...ran,
        requests: seen.length,
        rows: ran.stdout === '' ? [] : JSON.parse(ran.stdout),
      };
    },
    run: (line: string, options = {}) => runHere(line.split(' '), world.env, options),
  };
}

describe('--limit is the most rows to print', () => {
  it.each([
    ['orders list --limit 3', 3, 1],
    ['orders list --limit 100', 100, 1],
    ['orders list --limit 250', 250, 3],
    ['orders list --all --limit 120', 120, 2],
    ['orders list --where status=complete --limit 4', 4, 1],
  ])('%s: %i rows of %i requests', async (line, count, requests) => {
    const { list } = await lists();
    const ran = await list(line);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.rows).toHaveLength(count);
    expect(ran.requests).toBe(requests);
  });

  it('a filter reads the whole list and says what was read', async () => {
    const { list } = await lists();
    const ran = await list('orders list --where amount>=110000');
    expect(ran.rows).toHaveLength(2);
    expect(jsonLines(ran.stderr)).toEqual([{ notice: '--where: 2 of 500 fetched rows match' }]);
  });

  it('limits the rows even if the service ignores the limit', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({ id: `po-${at}`, code: `P${at}` }));
    await using service = await startHostile((socket) =>
      socket.end(http(200, JSON.stringify(rows))),
    );
    const world = await freshWorld(targetOf(service));
    const ran = await runHere(['orders', 'list', '--limit', '5'], world.env);
    expect(JSON.parse(ran.stdout)).toHaveLength(5);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

it('"There may be more" is printed only if the list may be longer', async () => {
  const { run } = await lists();
  const told = async (line: string) => (await run(line, { terminal: true })).stderr;
  expect(await told('orders list')).toContain('There may be more');
  expect(await told('orders list --limit 5')).not.toContain('There may be more');
  expect(await told('orders list --all --limit 5')).not.toContain('There may be more');
});

it('a CSV has the fields that the contract states, then the others of the rows', async () => {
  const page = (rows: unknown) => http(200, JSON.stringify(rows));
  const header = 'id,code,status,amount,currency,title';
  for (const [rows, first] of [
    [[], header],
    [[{ id: 'po-1', vendor: 'V' }], `${header},vendor`],
  ] as const) {
    await using service = await startHostile((socket) => socket.end(page(rows)));
    const world = await freshWorld(targetOf(service));
    const ran = await runHere(['orders', 'list', '-o', 'csv'], world.env);
    expect(ran.stdout.split('\r\n')[0]).toBe(first);
  }
});
