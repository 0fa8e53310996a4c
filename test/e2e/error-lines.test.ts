import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, openWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { itemService } from './import-service.ts';

const world = await openWorld();

describe('a result that cannot be delivered after a write: exit 11', () => {
  it('a read, or a write that was refused, has its usual error', async () => {
    const sandbox = await startTestSandbox();
    const env = { PROC_BASE_URL: sandbox.baseUrl };
    const read = await world.shell('"$NODE" "$PROC" orders list > /dev/full', { env });
    expect(read.exitCode).toBe(2);
    const refused = await world.shell('"$NODE" "$PROC" sectors patch no --name X > /dev/full', {
      env,
    });
    expect(refused.exitCode).toBe(5);
  });

  it('--results of an import that cannot be written', async () => {
    const folder = join(world.cwd, 'gone');
    await mkdir(folder);
    await using service = await itemService(() => {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    });
    await world.file('rows.csv', 'code,name\nA-1,a\nA-2,b\n');
    const command = 'items import rows.csv --yes --results gone/results.csv'.split(' ');
    const ran = await world.run(command, { env: service.target });
    expect(ran.exitCode, ran.stderr).toBe(11);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2 });
    expect(errorOf(ran)).toMatchObject({ code: 'undelivered', details: { created: 2 } });
  });
});

describe('every failure has one error line', () => {
  it('rejected rows: exit 8, with the run and its counts', async () => {
    await using service = await itemService((code) =>
      code === 'A-2' ? { status: 422 } : undefined,
    );
    await world.file('some.csv', 'code,name\nA-1,a\nA-2,b\n');
    const ran = await world.run(['items', 'import', 'some.csv', '--yes'], { env: service.target });
    const { run, rejectedFile } = JSON.parse(ran.stdout);
    expect(errorOf(ran)).toMatchObject({
      code: 'rows_rejected',
      exitCode: 8,
      message: '1 row was rejected',
      hint: expect.stringContaining(rejectedFile),
      details: { run, rejected: 1, created: 1 },
    });
    expect(ran.exitCode).toBe(8);
  });

  it('a list without a verified end: exit 10', async () => {
    await using service = await startHostile((socket, { line }) => {
      const rows = line.includes('offset=') ? 0 : 100;
      const page = Array.from({ length: rows }, (_, at) => ({ id: `po-${at}` }));
      socket.end(rows > 0 ? http(200, JSON.stringify(page)) : http(500, '{}'));
    });
    for (const command of ['orders list --all', 'orders summary', 'items list x']) {
      const ran = await world.run([...command.split(' '), '--retries', '0'], {
        env: targetOf(service),
      });
      expect(ran.exitCode, command).toBe(10);
      expect(errorOf(ran), command).toMatchObject({ code: 'incomplete' });
      // The end of the array is missing, like the end of the list.
      if (command !== 'items list x') JSON.parse(`${ran.stdout}]`);
      else expect(ran.stdout).toBe('');
    }
  });

  it('a doctor that found a problem, a rejected key', async () => {
    await using service = await startHostile((socket) => socket.end(http(401, '{}')));
    for (const command of [['doctor'], ['sectors', 'list']]) {
      const ran = await world.run(command, { env: targetOf(service) });
      expect(ran.exitCode).toBe(4);
      expect(errorOf(ran)).toMatchObject({ code: 'unauthorized', exitCode: 4 });
    }
  });
});

it('an absurd amount is counted, and is no bug', async () => {
  await using service = await startHostile((socket, { line }) =>
    socket.end(
      http(200, line.includes('offset=') ? '[]' : '[{"id":"a","amount":1e20000,"currency":"USD"}]'),
    ),
  );
  const ran = await world.run(['orders', 'summary'], { env: targetOf(service) });
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject([{ orders: 1, amount: 0, withoutAmount: 1 }]);
});
