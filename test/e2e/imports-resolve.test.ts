import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

/**
 * The service stores a TWIN code twice and resets the connection. So nobody knows which record belongs to the
 * row.
 */
async function twinService() {
  const service = await itemService((code) => {
    if (!code.startsWith('TWIN')) return undefined;
    const id = `other-${service.items.length}`;
    service.items.push({ id, code, name: 'Made by somebody else meanwhile' });
    return { reset: true, stored: true };
  });
  return service;
}

const SETTLE = ['PROC_SETTLE=1ms', '--timeout', '5s'];

async function doubtful(world: World, file: string, rows: readonly string[]) {
  await world.file(file, rowsOf(rows));
  const ran = await world.run(['items', 'import', file, '--yes', ...SETTLE]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  return JSON.parse(ran.stdout);
}

describe('an id to adopt', () => {
  it('must be in the current list, be new since the run, have the code of the row, and belong to no other row', async () => {
    await using service = await twinService();
    service.items.push({ id: 'old-1', code: 'OLD', name: 'Old' });
    const world = await freshWorld(service.target);
    const { run, unconfirmedRows } = await doubtful(world, 'a.csv', ['A-1', 'TWIN-1', 'TWIN-2']);
    expect(unconfirmedRows.map(({ row }: { row: number }) => row)).toEqual([2, 3]);
    const idOf = (code: string, nth = 0) =>
      service.items.filter((item) => item.code === code)[nth]!.id;
    const refused = async (row: string, id: string) => {
      const ran = await world.run(['imports', 'resolve', run, row, '--adopt', id]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      return errorOf(ran);
    };
    const twins = [idOf('TWIN-1', 0), idOf('TWIN-1', 1)];

    const missing = await refused('2', 'i-404');
    expect(missing.message).toBe(
      `i-404 is not in the list (new in the list: ${twins.join(', ')}); nothing was changed`,
    );
    expect(missing.details).toMatchObject({ rows: [{ candidates: twins }] });
    expect((await refused('2', 'old-1')).message).toContain('existed before this run started');
    expect((await refused('2', idOf('TWIN-2'))).message).toContain(
      'has the code TWIN-2, but row 2 has TWIN-1',
    );
    expect((await refused('2', idOf('A-1'))).message).toContain('was created by row 1 of this run');

    const typed = missing.hint!.replace(/.*: proc /, '').split(' ');
    const adopted = await world.run(typed);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ created: 2, unconfirmed: 1 });
    const [first, second] = twins as [string, string];
    expect(typed.at(-1)).toBe(first);

    // A row cannot adopt the record of a single command, or a record that another run has adopted.
    const other = await world.run(['items', 'create', '--code', 'X', '--name', 'X']);
    expect((await refused('3', JSON.parse(other.stdout).id)).message).toMatch(
      /created by the command h-\w+ in the history/,
    );
    await world.file('b.csv', rowsOf(['TWIN-3']));
    const next = await doubtful(world, 'b.csv', ['TWIN-3']);
    const held = await world.run(['imports', 'resolve', next.run, '1', '--adopt', first]);
    expect(errorOf(held).message).toContain(`was created by row 2 of run ${run}`);
    expect(second).not.toBe(first);
  });

  it('is accepted without verification if the noun has no list, and proc says so', async () => {
    await using service = await itemService(() => ({ status: 500, stored: false }));
    const world = await freshWorld(service.target);
    await world.file('a.csv', 'reference,amount\nR-1,1\nR-2,2\n');
    const ran = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    const { run } = JSON.parse(ran.stdout);
    const first = await world.run(['imports', 'resolve', run, '1', '--adopt', 'im-1']);
    expect(JSON.parse(first.stdout)).toMatchObject({ created: 1, unconfirmed: 1 });
    expect(jsonLines(first.stderr)).toContainEqual({
      notice: 'im-1 was not verified: the service cannot list imputations',
    });
    const twice = await world.run(['imports', 'resolve', run, '2', '--adopt', 'im-1']);
    expect(twice.exitCode).toBe(2);
    expect(errorOf(twice).message).toBe(
      'im-1 was created by row 1 of this run; nothing was changed',
    );
  });
});

describe('a run with unconfirmed rows', () => {
  it('shows the response to each row, and why the row was not looked up', async () => {
    await using service = await itemService((_code, nth) => {
      if (nth === 1) return { status: 500, body: { message: 'the disk is full' } };
      return nth === 2 ? { reset: true, stored: true } : undefined;
    });
    const world = await freshWorld(service.target);
    await world.file('a.csv', 'reference,amount\nR-1,1\nR-2,2\nR-3,3\n');
    const ran = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
      'PROC_CONCURRENCY=1',
    ]);
    const { run, unconfirmedRows } = JSON.parse(ran.stdout);
    const why = '; a look-up cannot tell: the service cannot list created records';
    expect(unconfirmedRows).toMatchObject([
      { row: 1, reason: `the service returned 500: the disk is full${why}` },
      {
        row: 2,
        reason: `the connection broke (ECONNRESET) before the response was complete${why}`,
      },
    ]);
    const [{ reason: first }, { reason: second }] = unconfirmedRows;

    const asked = errorOf(await world.run(['imports', 'resolve', run]));
    expect(asked.message).toContain(`row 1 (R-1): ${first}`);
    expect(asked.details).toMatchObject({
      rows: [
        { row: 1, reason: first, status: 500 },
        { row: 2, reason: second, status: null },
      ],
    });
    const resumed = await world.run(['imports', 'resume', run]);
    expect(JSON.parse(resumed.stdout).unconfirmedRows).toEqual(unconfirmedRows);
  });

  it('suggests resolve while a resume cannot help, and resume once it can', async () => {
    let isBroken = true;
    await using service = await itemService(() =>
      isBroken ? { status: 500, stored: false } : undefined,
    );
    const world = await freshWorld(service.target);
    await world.file('a.csv', 'reference,amount\nR-1,1\n');
    const ran = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(ran.exitCode).toBe(9);
    const { run } = JSON.parse(ran.stdout);
    const shown = async () => JSON.parse((await world.run(['imports', 'list'])).stdout)[0];
    expect(await shown()).toMatchObject({
      state: 'unconfirmed',
      next: [{ command: `proc imports resolve ${run}` }],
    });
    const again = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(errorOf(again)).toMatchObject({
      message: expect.stringContaining('a.csv has an import with unconfirmed rows'),
      hint: `Check the service, then run: proc imports resolve ${run}`,
    });

    const resent = await world.run(['imports', 'resolve', run, '--resend', '--all', '--yes']);
    expect(JSON.parse(resent.stdout)).toMatchObject({
      pending: 1,
      resume: `proc imports resume ${run}`,
    });
    expect(await shown()).toMatchObject({
      state: 'unfinished',
      next: [{ command: `proc imports resume ${run}` }],
    });
    const refused = await world.run([
      'imputations',
      'import',
      'a.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    expect(errorOf(refused).hint).toContain(`Resume it: proc imports resume ${run}`);

    isBroken = false;
    const resumed = await world.run(['imports', 'resume']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 1, pending: 0, unconfirmed: 0 });
    expect(await shown()).toMatchObject({ state: 'finished' });
    expect(await shown()).not.toHaveProperty('next');
  });

  it('is refused while another import runs, or waits for it if asked to', async () => {
    const held: (() => void)[] = [];
    const arrived = Promise.withResolvers<void>();
    await using service = await startHostile((socket, { body }) => {
      const { reference } = JSON.parse(body);
      if (reference === 'LOST') return void socket.write(http(500, '{}'));
      held.push(() => socket.write(http(201, JSON.stringify({ id: `im-${reference}` }))));
      arrived.resolve();
    });
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    await world.file('lost.csv', 'reference,amount\nLOST,1\n');
    const lost = await world.run([
      'imputations',
      'import',
      'lost.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    const { run } = JSON.parse(lost.stdout);
    await world.file('slow.csv', 'reference,amount\nSLOW,1\n');
    const slow = world.start([
      'imputations',
      'import',
      'slow.csv',
      '--set',
      'contractId=k-1',
      '--yes',
    ]);
    await arrived.promise;

    const resolve = ['imports', 'resolve', run, '--drop', '--all', '--yes'];
    for (const args of [resolve, ['imports', 'resume', run]]) {
      const refused = await world.run(args);
      expect(refused, refused.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(refused)).toMatchObject({
        message: expect.stringContaining('another import of imputations into'),
        hint: expect.stringContaining('--wait-lock 5m'),
      });
    }
    const running = JSON.parse((await world.run(['imports', 'list'])).stdout)[0].run;
    expect(running).not.toBe(run);
    const dropping = await world.run(['imports', 'resolve', running, '--drop', '--all', '--yes']);
    expect(dropping).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(dropping).message).toBe(`${running} is already running (process ${slow.pid})`);
    const waiting = world.start([...resolve, '--wait-lock', '5m']);
    for (const respond of held) respond();
    expect(await slow).toMatchObject({ exitCode: 0 });
    const done = await waiting;
    expect(JSON.parse(done.stdout)).toMatchObject({ run, dropped: 1, unconfirmed: 0 });
  });
});
