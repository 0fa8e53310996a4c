import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedgerAt } from '../../src/ledger/open-ledger.ts';
import { listed, parsed, shown } from '../support/history.ts';
import { always, http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const BOLT = ['items', 'create', '--name', 'Bolt', '--brand', 'Acme'];

async function atSandbox(): Promise<{ world: World; writes: string[] }> {
  const writes: string[] = [];
  const { baseUrl } = await startTestSandbox({
    onRequest: ({ method, path }) => method !== 'GET' && writes.push(`${method} ${path}`),
  });
  return { world: await freshWorld({ PROC_BASE_URL: baseUrl }), writes };
}

async function atService(...hostile: Parameters<typeof startHostile>) {
  const service = await startHostile(...hostile);
  const env = { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: CANARY };
  return { service, world: await freshWorld(env) };
}

const CANARY = 'canary-7f3e1c-key';

describe('a write', () => {
  it('is stored with its request and its response', async () => {
    const { world } = await atSandbox();
    parsed(await world.run(BOLT));
    const [entry] = await listed(world, '--noun', 'items');
    expect(entry).toMatchObject({
      what: 'create item "Bolt"',
      noun: 'items',
      state: 'done',
      created: 'itm-1',
      status: 201,
      method: 'POST',
      path: '/items/',
      baseUrl: world.env.PROC_BASE_URL,
    });
    expect(await shown(world, entry!.id)).toMatchObject({
      payload: { name: 'Bolt', brand: 'Acme' },
      response: { id: 'itm-1', name: 'Bolt' },
      before: null,
    });
    expect((await stat(join(world.stateDir, 'ledger.db'))).mode & 0o777).toBe(0o600);
  });

  it('that cannot leave has no entry that would stop the next one', async () => {
    const { world, writes } = await atSandbox();
    const failed = await world.run(BOLT, { env: { ...world.env, PROC_CA_FILE: 'gone.pem' } });
    expect(errorOf(failed).code).toBe('invalid_setting');
    parsed(await world.run(BOLT));
    expect(writes).toHaveLength(1);
  });

  it('that is refused is stored too, and may be sent again', async () => {
    const { world, service } = await atService(always(http(400, '{"message":"no such account"}')));
    const argv = ['imputations', 'create', '--account', '9'];
    expect((await world.run(argv)).exitCode).toBe(6);
    expect((await world.run(argv)).exitCode).toBe(6);
    expect(service.requests).toHaveLength(2);
    const entries = await listed(world);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      state: 'rejected',
      status: 400,
      message: expect.stringContaining('no such account'),
    });
  });

  it('that never left is stored as not applied', async () => {
    const { world, service } = await atService(() => undefined);
    await service.close();
    expect((await world.run([...BOLT, '--retries', '0'])).exitCode).toBe(7);
    expect(await listed(world)).toMatchObject([{ state: 'not-applied' }]);
  });
});

describe('a repeat', () => {
  it('is refused with the time and the earlier write, and sent with --again', async () => {
    const { world, writes } = await atSandbox();
    parsed(await world.run(BOLT));
    const [entry] = await listed(world);
    const again = await world.run([...BOLT, '--yes']);
    expect(again.exitCode).toBe(2);
    expect(errorOf(again)).toMatchObject({
      code: 'repeated_write',
      message: `the same POST /items/ was sent at ${entry!.at} and created itm-1 (${entry!.id}); nothing was sent now`,
      hint: `See it: proc history show ${entry!.id}. To send it anyway, add --again`,
      details: { historyId: entry!.id, created: 'itm-1', state: 'done' },
    });
    expect(writes).toHaveLength(1);
    parsed(await world.run([...BOLT, '--again']));
    expect(writes).toHaveLength(2);
  });

  it('by five commands at once: one is sent, the others are refused', async () => {
    const { world, writes } = await atSandbox();
    const runs = await Promise.all(Array.from({ length: 5 }, () => world.run(BOLT)));
    expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2, 2, 2, 2]);
    expect(writes).toHaveLength(1);
  });
});

describe('a write in flight', () => {
  it('can neither be sent again nor resolved before the settle time', async () => {
    const arrived = Promise.withResolvers<void>();
    const { world, service } = await atService(() => arrived.resolve());
    const running = world.start(BOLT);
    await arrived.promise;
    const [entry] = await listed(world, '--open');
    const resolve = ['history', 'resolve', entry!.id, '--drop'];
    for (const args of [BOLT, resolve]) {
      const ran = await world.run(args, { env: { PROC_SETTLE: '1h' } });
      expect(errorOf(ran)).toMatchObject({
        ...{ code: 'busy', exitCode: 2, retry: 'later' },
        details: { historyId: entry!.id },
      });
    }
    running.kill('SIGKILL');
    await running;
    const env = { PROC_SETTLE: '1ms' };
    // A request leaves within 5 s of its entry, however short the settle time is.
    expect(errorOf(await world.run(resolve, { env })).code).toBe('busy');
    const ledger = openLedgerAt(join(world.stateDir, 'ledger.db'));
    await ledger.sql.run('UPDATE entries SET at = at - 5001');
    ledger.close();
    expect(errorOf(await world.run(BOLT, { env })).code).toBe('repeated_write');
    expect(parsed(await world.run(resolve, { env }))).toMatchObject({ state: 'not-applied' });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is reported as unknown after %s', async (signal, exitCode) => {
    const arrived = Promise.withResolvers<void>();
    const { world } = await atService(() => arrived.resolve());
    const running = world.start(BOLT);
    await arrived.promise;
    running.kill(signal);
    const ran = await running;
    expect(ran.exitCode).toBe(exitCode);
    const [entry] = await listed(world, '--open');
    expect(errorOf(ran)).toMatchObject({
      message: expect.stringContaining('POST /items/ was sent, but its outcome is unknown'),
      hint: expect.stringContaining(`proc history resolve ${entry!.id} --drop`),
    });
  });

  it('is reported as unknown if the read that would tell is interrupted', async () => {
    const arrived = Promise.withResolvers<void>();
    let isSent = false;
    const { world } = await atService((socket, { method }) => {
      if (isSent) return arrived.resolve();
      isSent = method === 'PATCH';
      socket.write(isSent ? http(500) : http(200, '{"id":"sec-1","key":"st","name":"Iron"}'));
    });
    const running = world.start(['sectors', 'patch', 'id=sec-1', '--name', 'Steel']);
    await arrived.promise;
    running.kill('SIGINT');
    const ran = await running;
    expect(ran.exitCode).toBe(130);
    const [entry] = await listed(world, '--open');
    expect(errorOf(ran)).toMatchObject({
      message: expect.stringContaining('PATCH /sectors/{id} was sent, but its outcome is unknown'),
      details: { historyId: entry!.id },
    });
  });
});

describe('list', () => {
  it('of nothing is an empty list, and creates no folder', async () => {
    const world = await freshWorld();
    expect(await listed(world)).toEqual([]);
    const table = await world.run(['history', 'list', '-o', 'table']);
    expect(table).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No entries.\n' });
    await expect(stat(world.stateDir)).rejects.toThrow('ENOENT');
  });
});

it('last, or no id, is the first entry of the list, whatever the target', async () => {
  const { world } = await atSandbox();
  const { baseUrl } = await startTestSandbox();
  parsed(await world.run(BOLT));
  const nut = ['items', 'create', '--name', 'Nut', '--yes'];
  parsed(await world.run(nut, { env: { ...world.env, PROC_BASE_URL: baseUrl } }));
  const [newest] = await listed(world);
  expect(newest).toMatchObject({ baseUrl });
  for (const id of [['last'], []]) {
    const shown = await world.run(['history', 'show', ...id]);
    expect(parsed(shown)).toMatchObject({ id: newest!.id });
  }
  const resolved = errorOf(await world.run(['history', 'resolve', 'last', '--drop']));
  expect(resolved.message).toContain(newest!.id);
});
