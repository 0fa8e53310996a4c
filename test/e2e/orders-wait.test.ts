import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { sqlIn } from '../support/service.ts';
import { startTerminal } from '../support/terminal.ts';

async function place() {
  const { baseUrl, dbPath } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const set = (query: string) => void sqlIn(dbPath, query);
  return { world, set };
}

const waitFor = (world: World, line: string) => world.run(['orders', 'wait', ...line.split(' ')]);

describe('orders wait', () => {
  it('says on one line of a terminal the order, its status, since when, and the next look', async () => {
    const { world, set } = await place();
    set(
      "update orders set status = 'pending', updatedAt = '2013-05-09T10:00:00Z' where code = 'PO-00042'",
    );
    const args = ['orders', 'wait', 'PO-00042', '--for', 'status=complete', '--every', '100ms'];
    const session = startTerminal(world, [...args, '--within', '3s'], { cols: 100 });
    expect(await session.exited).toBe(7);
    const line = 'PO-00042 "Inline Accessories": pending since 2013-05-09; next look in 0.1 s\r\n';
    // On a slow machine it also says that it reads.
    const shown = session.text();
    expect(shown.split(line).length).toBeGreaterThan(2);
  });

  it.each([['PO-00001'], ['PO-00001 PO-00003']])('refuses a misspelt field of %s', async (refs) => {
    const { world } = await place();
    const ran = await waitFor(world, `${refs} --for status=complete --any --fields amoun`);
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  });

  it('ends once the order meets the conditions, and prints it', async () => {
    const { world, set } = await place();
    set("update orders set status = 'pending' where code = 'PO-00042'");
    const waiting = waitFor(
      world,
      'PO-00042 --for status=complete --for amount>0 --every 50ms --within 1m',
    );
    await setTimeout(300);
    set("update orders set status = 'complete' where code = 'PO-00042'");
    const ran = await waiting;
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ id: 'po-42', status: 'complete' });
    expect(jsonLines(ran.stderr)[0]).toEqual({ progress: { met: 0, orders: 1 } });
  });

  it('waits for all, or with --any for one; exit 7 has the last state as data', async () => {
    const { world, set } = await place();
    set("update orders set status = 'pending' where code = 'PO-00042'");
    const both = 'PO-00042 id=po-43 --for status=complete --every 50ms';
    const any = await waitFor(world, `${both} --any`);
    expect(any.exitCode).toBe(0);
    const rows = [
      { code: 'PO-00042', status: 'pending', met: false },
      { code: 'PO-00043', status: 'complete', met: true },
    ];
    expect(JSON.parse(any.stdout)).toMatchObject(rows);
    const all = await waitFor(world, `${both} --within 400ms`);
    expect(all.exitCode).toBe(7);
    expect(JSON.parse(all.stdout)).toMatchObject(rows);
    expect(errorOf(all)).toMatchObject({ code: 'timed_out', details: { met: 1, orders: 2 } });
  });

  it('resolves references once: a code that moves to another order changes nothing', async () => {
    const { world, set } = await place();
    set("update orders set status = 'pending' where id = 'po-42'");
    const waiting = waitFor(world, 'code=PO-00042 --for status=complete --every 50ms');
    await setTimeout(300);
    set("update orders set code = 'PO-X' where id = 'po-42'");
    set("update orders set code = 'PO-00042' where id = 'po-43'");
    await setTimeout(200);
    set("update orders set status = 'complete' where id = 'po-42'");
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ id: 'po-42', code: 'PO-X' });
  });

  it('reads again after a failure, and names the failure if the deadline passes', async () => {
    let fails = 3;
    const rows = JSON.stringify([{ id: 'a', code: 'A', status: 'complete' }]);
    await using service = await startHostile((socket) =>
      socket.end(fails-- > 0 ? http(500, '{"message":"down"}') : http(200, rows)),
    );
    const world = await freshWorld({ ...targetOf(service), PROC_LIST_NAMES: 'paging=none' });
    const line = 'A --for status=complete --every 20ms --retries 0';
    const met = await waitFor(world, line);
    expect(met.exitCode).toBe(0);
    expect(jsonLines(met.stderr)[0]?.warning).toMatch(/down; proc reads again$/);
    fails = Number.POSITIVE_INFINITY;
    const never = await waitFor(world, `${line} --within 300ms`);
    expect(never).toMatchObject({ exitCode: 7, stdout: '' });
    expect(errorOf(never)).toMatchObject({
      code: 'timed_out',
      message: expect.stringMatching(/^the orders could not be read after 0.3 s; the last .*down$/),
      details: { orders: 0, lastFailure: 'service_failed' },
    });
  });

  it.each([
    ['PO-00042', 'invalid_usage', 2],
    ['PO-00042 --for status', 'invalid_usage', 2],
    ['PO-00042 --for stauts=complete', 'invalid_usage', 2],
    ['PO-00042 --for amount>lots', 'invalid_usage', 2],
    ['PX-99 --for status=complete', 'not_found', 5],
  ])('%s: refused at once with %s', async (line, code, exitCode) => {
    const { world } = await place();
    expect(errorOf(await waitFor(world, line))).toMatchObject({ code, exitCode });
  });

  it('ends with 130 at Ctrl-C', async () => {
    const { world } = await place();
    const running = world.start('orders wait PO-00042 --for status=never --every 1s'.split(' '));
    for await (const line of running.iterable({ from: 'stderr' })) {
      if (String(line).includes('progress')) running.kill('SIGINT');
    }
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(errorOf({ stderr }).code).toBe('interrupted');
  });
});
