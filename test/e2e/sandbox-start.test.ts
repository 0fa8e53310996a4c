import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPty } from '../support/pty.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';

/** Starts a sandbox in the foreground; resolves once it runs. */
async function started(world: World, ...flags: string[]) {
  const running = world.start(['sandbox', 'start', '--quiet', ...flags]);
  onTestFinished(() => void running.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: running.stdout! }), 'line')) as [string];
  const { url, key, settle, port } = JSON.parse(line) as Record<string, string>;
  const stop = async () => {
    running.kill('SIGINT');
    return (await running).exitCode;
  };
  return { env: { PROC_BASE_URL: url, PROC_API_KEY: key, PROC_SETTLE: settle }, port, stop };
}

const CREATE = ['items', 'create', '--name', 'Bolt', '--code', 'B-1', '-o', 'id'];

describe('proc sandbox start', () => {
  it('prints the variables that select it, and ends at Ctrl-C with 0', async () => {
    const world = await freshWorld();
    const session = await startPty(world, ['sandbox', 'start', '--port', '0'], { cols: 120 });
    await session.waitFor('To stop it, press Ctrl-C.');
    const [url = ''] = /http:\S+/.exec(session.text())!;
    expect(session.text()).toContain('export PROC_API_KEY=proc-sandbox-key ');
    expect(session.text().replace(/\s+/g, ' ')).toContain('addresses adr-1 … adr-5');
    const env = { PROC_BASE_URL: url, PROC_API_KEY: 'proc-sandbox-key' };
    expect((await world.run(['items', 'list', '-o', 'id'], { env })).stdout).toContain('itm-59');
    session.type('\u0003');
    expect(await session.exited, session.text()).toBe(0);
  });

  it('prints what PROC_OUTPUT asks for', async () => {
    const world = await freshWorld();
    const env = { PROC_OUTPUT: 'table' };
    const running = world.start(['sandbox', 'start', '--quiet', '--port', '0'], { env });
    onTestFinished(() => void running.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: running.stdout! })) {
      if (lines.push(line) === 5) running.kill('SIGINT');
    }
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}export PROC_BASE_URL=http:/));
    expect((await running).exitCode).toBe(0);
  });

  it('with another database is another service; with the same one, the same', async () => {
    const world = await freshWorld();
    const first = await started(world, '--port', '0', '--db', 'a.db');
    expect((await world.run(CREATE, { env: first.env })).stdout).toBe('itm-60\n');
    expect(await first.stop()).toBe(0);
    const same = await started(world, '--port', first.port!, '--db', 'a.db');
    expect(same.env).toEqual(first.env);
    expect((await world.run(CREATE, { env: same.env })).exitCode).toBe(2);
    await same.stop();
    const other = await started(world, '--port', first.port!);
    expect((await world.run(CREATE, { env: other.env })).stdout).toBe('itm-60\n');
    const gone = await world.run(['items', 'list'], { env: first.env });
    expect(errorOf(gone)).toMatchObject({ code: 'not_found', exitCode: 5 });
    await other.stop();
  });
});

describe('without a target', () => {
  it('every command says how to get one, and sends nothing', async () => {
    const world = await freshWorld();
    for (const words of ['orders list', 'items create --name Bolt', 'api GET /orders/']) {
      const error = errorOf(await world.run(words.split(' ')));
      expect([words, error]).toMatchObject([words, { code: 'no_target', exitCode: 3 }]);
      expect(error.hint).toContain('proc setup');
      expect(error.hint).toContain('proc sandbox exec');
    }
  });

  it('while no profile is the current one, their names', async () => {
    const world = await freshWorld();
    const at = ['-e', 'test', '--base-url', 'https://a.example/api/v1', '--api-key-stdin'];
    for (const name of ['old', 'acme', 'beta'])
      await world.run(['profile', 'add', name, ...at], { input: 'k\n' });
    await world.run(['profile', 'remove', 'old', '--yes']);
    const error = errorOf(await world.run(['orders', 'list']));
    expect(error).toMatchObject({ code: 'no_target', hint: 'Name a profile: -p acme, -p beta' });
  });
});
