import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { loggedSandbox } from '../support/service.ts';

async function place() {
  const { baseUrl } = await startTestSandbox();
  return freshWorld({ PROC_BASE_URL: baseUrl });
}

describe('several ids in one command', () => {
  it('tries all, reports each failure, and exits with the highest code', async () => {
    const world = await place();
    const ran = await world.run(['sectors', 'get', 'sec-1', 'nope', 'zz-sec-1', 'road-bikes']);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: 'sec-1' }, { key: 'road-bikes' }]);
    const errors = jsonLines(ran.stderr).flatMap(({ error }) => error?.code ?? []);
    expect(errors).toEqual(['not_found', 'forbidden']);
    expect(ran.exitCode).toBe(5);
  });

  it('reads them from standard input', async () => {
    const world = await place();
    const all = await world.shell(
      '"$NODE" "$PROC" sectors list -o id | "$NODE" "$PROC" sectors get - -o id',
    );
    const listed = await world.run(['sectors', 'list', '-o', 'id']);
    expect(all).toMatchObject({ exitCode: 0, stdout: listed.stdout });
    const none = await world.run(['addresses', 'get', '-'], { input: '' });
    expect(none).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    const orders = await world.run(['orders', 'get', '-', '-o', 'id'], {
      input: 'PO-00003\r\n\npo-7\n',
    });
    expect(orders).toMatchObject({ exitCode: 0, stdout: 'po-3\npo-7\n' });
  });

  it('deletes each record, and none without confirmation', async () => {
    const world = await place();
    const refused = await world.run(['sectors', 'delete', 'sec-1', 'sec-2']);
    expect(errorOf(refused).code).toBe('confirmation_required');
    const done = await world.run(['sectors', 'delete', 'sec-1', 'gone', 'sec-2', '--yes']);
    expect(done.exitCode).toBe(5);
    expect(JSON.parse(done.stdout)).toMatchObject([{ id: 'sec-1' }, { id: 'sec-2' }]);
    expect((await world.run(['sectors', 'get', 'sec-1'])).exitCode).toBe(5);
  });

  it.each([
    ['sectors', 'sec-1', 'id='],
    ['sectors', 'sec-1', 'id=a/b'],
    ['addresses', 'adr-1', 'a/b'],
  ])('deletes no %s if a reference is wrong', async (noun, id, wrong) => {
    const world = await place();
    const refused = await world.run([noun, 'delete', id, wrong, '--yes']);
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect((await world.run([noun, 'get', id])).exitCode).toBe(0);
  });

  it('sends one delete for two references of a record, also if its outcome is unknown', async () => {
    await using service = await loggedSandbox({ faults: 'reset-after=100%,late-commit=60s' });
    const world = await freshWorld(service.target);
    const ran = await world.run(['sectors', 'delete', 'sec-1', 'mountain-bikes', '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(service.writes()).toHaveLength(1);
  });

  it('shows every request of a dry run, and sends none', async () => {
    const world = await place();
    const ids = ['sectors', 'delete', 'sec-22', 'sec-23'];
    const dry = await world.run([...ids, '--dry-run']);
    expect(dry.exitCode).toBe(0);
    expect(JSON.parse(dry.stdout)).toMatchObject([
      { method: 'DELETE', url: expect.stringMatching(/sec-22$/) },
      { method: 'DELETE', url: expect.stringMatching(/sec-23$/) },
    ]);
    const lines = (await world.run([...ids, '--dry-run', '-o', 'ndjson'])).stdout;
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).dryRun),
    ).toEqual([true, true]);
  });

  it('handles an id that is named twice once, and still returns a list', async () => {
    const world = await place();
    const json = async (...args: string[]) => JSON.parse((await world.run(args)).stdout);
    expect(await json('orders', 'get', 'PO-00003', 'po-3', 'po-7')).toMatchObject([
      { id: 'po-3' },
      { id: 'po-7' },
    ]);
    expect(await json('sectors', 'get', 'sec-1', 'sec-1')).toMatchObject([{ id: 'sec-1' }]);
    expect(await json('sectors', 'get', 'sec-1')).toMatchObject({ id: 'sec-1' });
    const { key, id } = await json('sectors', 'get', 'sec-5');
    const deleted = await world.run(['sectors', 'delete', key, id, '--yes']);
    expect(deleted.exitCode).toBe(0);
    expect(JSON.parse(deleted.stdout)).toMatchObject([{ id, was: { key } }]);
  });
});

describe('a silent or unusual file', () => {
  it.each(['-', 'f'])('does not keep a command from ending at SIGTERM: --file %s', async (file) => {
    const world = await place();
    await world.shell('mkfifo f');
    const silent = new PassThrough();
    const hook = `process.on('newListener', (name) => name === 'SIGTERM' && process._rawDebug(name));`;
    const NODE_OPTIONS = `--require ${await world.file('hook.cjs', hook)}`;
    const args = ['items', 'create', '--file', file];
    const running = world.start(args, { input: silent, env: { NODE_OPTIONS } });
    await new Promise((resolve) => running.stderr.once('data', resolve));
    // It is most likely reading by then.
    await setTimeout(300);
    running.kill('SIGTERM');
    expect((await running).exitCode).toBe(143);
  });
});
