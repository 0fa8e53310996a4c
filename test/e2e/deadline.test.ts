import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const silent = () => startHostile(() => undefined);

describe('--deadline', () => {
  it('ends a read with exit code 7', async () => {
    await using service = await silent();
    const world = await freshWorld(targetOf(service));
    const ran = await world.run(['orders', 'list', '--deadline', '300ms']);
    expect(errorOf(ran)).toMatchObject({ code: 'deadline_passed', exitCode: 7 });
    expect(ran.exitCode).toBe(7);
  });

  it('ends a look-up without advice about the reference', async () => {
    await using service = await silent();
    const world = await freshWorld(targetOf(service));
    const ran = await world.run('orders get PO-9 --deadline 300ms'.split(' '));
    const error = errorOf(ran);
    expect(error).toMatchObject({ code: 'deadline_passed', exitCode: 7 });
    expect(error.hint ?? '').not.toContain('If you know the id');
  });

  it('ends the wait between retries', async () => {
    await using service = await startHostile((socket) =>
      socket.end(http(503, '{}', { 'retry-after': '30' })),
    );
    const world = await freshWorld(targetOf(service));
    const ran = await world.run('items create --name Bolt --deadline 500ms'.split(' '));
    expect(errorOf(ran)).toMatchObject({ code: 'deadline_passed', exitCode: 7 });
  });

  it('leaves a sent write unconfirmed, with exit code 9', async () => {
    await using service = await silent();
    const world = await freshWorld(targetOf(service));
    const ran = await world.run('items create --name Bolt --deadline 500ms'.split(' '));
    expect(errorOf(ran)).toMatchObject({
      code: 'outcome_unknown',
      exitCode: 9,
      message: expect.stringContaining('POST /items/ was sent, but its outcome is unknown'),
    });
    const history = await world.run(['history', 'list', '--state', 'unknown', '-o', 'json']);
    expect(JSON.parse(history.stdout)).toHaveLength(1);
  });

  it('stops an import that is sending, with exit code 10, and the import can be resumed', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const rows = Array.from({ length: 60 }, (_, at) => `{"name":"N${at}","code":"DL-${at}"}\n`);
    await world.file('items.ndjson', rows.join(''));
    const ran = await world.run(
      'items import items.ndjson --yes --rate 10/s --deadline 3s'.split(' '),
    );
    expect(errorOf(ran)).toMatchObject({ code: 'incomplete', exitCode: 10 });
    const { run } = JSON.parse(ran.stdout) as { run: string };
    const resumed = await world.run(['imports', 'resume', run, '--yes']);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const codes = await world.run('items list --all --where code~DL- -o id'.split(' '));
    expect(codes.stdout.trim().split('\n')).toHaveLength(60);
  });

  it('changes nothing for a command that ends in time', async () => {
    const { baseUrl } = await startTestSandbox();
    const world = await freshWorld({ PROC_BASE_URL: baseUrl });
    const ran = await world.run('orders list --limit 1 -o id --deadline 1h'.split(' '));
    expect(ran).toEqual({ exitCode: 0, stdout: 'po-1\n', stderr: '' });
  });
});

describe('PROC_TIMEOUT and PROC_RETRIES', () => {
  it('set the defaults of --timeout and --retries', async () => {
    await using service = await silent();
    const world = await freshWorld({ ...targetOf(service), PROC_RETRIES: '1' });
    const ran = await world.run(['orders', 'list'], { env: { PROC_TIMEOUT: '200ms' } });
    expect(errorOf(ran)).toMatchObject({ code: 'timed_out' });
    expect(service.requests).toHaveLength(2);
    const flags = ['orders', 'list', '--timeout', '200ms', '--retries', '0'];
    await world.run(flags, { env: { PROC_TIMEOUT: '1h' } });
    expect(service.requests).toHaveLength(3);
  });

  it('config list shows where both values come from', async () => {
    const world = await freshWorld({ PROC_TIMEOUT: '90' });
    const ran = await world.run('config list --retries 5'.split(' '));
    const rows = JSON.parse(ran.stdout) as { key: string }[];
    expect(rows.filter(({ key }) => ['timeout', 'retries'].includes(key))).toEqual([
      { key: 'timeout', value: '90s', origin: 'variable', place: 'PROC_TIMEOUT' },
      { key: 'retries', value: 5, origin: 'flag', place: '--retries' },
    ]);
  });

  it.each([
    ['PROC_TIMEOUT', 'soon'],
    ['PROC_RETRIES', '101'],
    ['PROC_RETRIES', 'many'],
  ])('%s=%s is refused', async (name, value) => {
    const world = await freshWorld({ [name]: value });
    const ran = await world.run(['orders', 'list']);
    expect(errorOf(ran)).toMatchObject({
      code: 'invalid_setting',
      exitCode: 3,
      message: expect.stringContaining(`${name}: expected`),
    });
  });
});
