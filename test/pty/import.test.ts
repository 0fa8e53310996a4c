import { expect, it } from 'vitest';
import { codes, itemService, rowsOf } from '../e2e/import-service.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { freshWorld, type World } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { loggedSandbox } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

async function runs(
  here: World,
): Promise<{ run: string; created: number; pending: number; unconfirmed: number }[]> {
  return JSON.parse((await here.run(['imports', 'list', '-o', 'json'])).stdout);
}

it('counts down the wait of a Retry-After', async () => {
  await using service = await itemService((_, nth) =>
    nth === 3 ? { status: 503, headers: { 'retry-after': '4' } } : undefined,
  );
  const here = await freshWorld(service.target);
  await here.file('slow.csv', rowsOf(codes(6)));
  const flags = ['--yes', 'PROC_CONCURRENCY=1'];
  const terminal = startPty(here, ['items', 'import', 'slow.csv', ...flags], { cols: 160 });
  expect(await terminal.exited, terminal.text()).toBe(0);
  const waits = terminal.text().matchAll(/waiting (\d) s: the service returned 503/g);
  const seconds = [...waits].map(([, left]) => Number(left));
  expect(new Set(seconds).size).toBeGreaterThan(1);
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
  expect(service.codes()).toEqual(codes(6));
  // The countdown is redrawn in place, so nothing remains of it.
  expect(screenOf(terminal.text(), 160)).not.toContain('waiting');
});

it('the first Ctrl-C waits for open requests, the second exits at once; nothing is lost', async () => {
  const arrived: string[] = [];
  const listed: object[] = [];
  let isSilent = true;
  await using service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const from = Number(query.get('offset') ?? 0);
      socket.write(http(200, JSON.stringify(listed.slice(from, from + 100))));
      return;
    }
    const item = { id: `i-${arrived.length}`, ...JSON.parse(body) };
    arrived.push(item.code);
    listed.push(item);
    // The first row leaves alone.
    if (!isSilent || arrived.length === 1) socket.write(http(201, JSON.stringify(item)));
  });
  const here = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await here.file('held.csv', rowsOf(codes(9)));
  const flags = ['--yes', 'PROC_CONCURRENCY=2', '--timeout', '10m'];
  const terminal = startPty(here, ['items', 'import', 'held.csv', ...flags], { cols: 160 });
  await terminal.waitFor('1/9');
  terminal.type('\u0003');
  // The import still waits for the responses to its two requests.
  await terminal.waitFor('1/9');
  terminal.type('\u0003');
  expect(await terminal.exited).toBe(130);
  expect(arrived).toHaveLength(3);
  const [run] = await runs(here);
  // A request that was about to leave may be unconfirmed too: its intent was already written.
  expect(run!.unconfirmed).toBeGreaterThanOrEqual(2);
  expect(run!.created + run!.unconfirmed + run!.pending).toBe(9);
  isSilent = false;
  const resumed = await here.run(['imports', 'resume', 'PROC_SETTLE=100ms', '--timeout', '5s']);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 9, unconfirmed: 0, pending: 0 });
  expect([...arrived].sort()).toEqual(codes(9));
});

it('says the result once, and with --quiet too', async () => {
  await using sandbox = await loggedSandbox();
  const here = await freshWorld(sandbox.target);
  await here.file('stock.csv', 'code,name\nQ-1,Perno\n');
  await here.file('more.csv', 'code,name\nQ-2,Tuerca\n');
  const imported = async (file: string, ...flags: string[]) => {
    const args = ['items', 'import', file, '--map', 'code=code', '--map', 'name=name', '--yes'];
    const terminal = startTerminal(here, [...args, ...flags], { cols: 100 });
    expect(await terminal.exited, terminal.text()).toBe(0);
    return terminal.text();
  };
  const said = await imported('stock.csv');
  expect(said).toContain('stock.csv: 1 of 1 row created');
  expect(said).not.toContain('CREATED');
  expect(await imported('more.csv', '--quiet')).toMatch(/CREATED\S* +1/);
});
