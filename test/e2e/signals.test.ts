import { describe, expect, it } from 'vitest';
import { type HostileService, startHostile, targetOf } from '../support/hostile-service.ts';
import { startPty } from '../support/pty.ts';
import { errorOf, openWorld, ROOT } from '../support/run.ts';

const world = await openWorld({ PROC_BASE_URL: 'http://127.0.0.1:9/api/v1', PROC_API_KEY: 'k-1' });

async function silent(): Promise<HostileService & { readonly asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const service = await startHostile(() => asked.resolve());
  return { ...service, asked: asked.promise };
}

describe('a signal during a slow request', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
  ] as const)('%s: exit %i, one message', async (signal, exitCode) => {
    await using service = await silent();
    const running = world.start(['orders', 'list'], { env: targetOf(service) });
    await service.asked;
    running.kill(signal);
    const ran = await running;
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode });
    expect(service.requests).toHaveLength(1);
  });

  it('while it waits for a retry', async () => {
    const asked = Promise.withResolvers<void>();
    await using service = await startHostile((socket) => {
      socket.write('HTTP/1.1 429 x\r\nretry-after: 50\r\ncontent-length: 0\r\n\r\n');
      asked.resolve();
    });
    const running = world.start(['orders', 'list'], { env: targetOf(service) });
    // A notice on stderr shows that the wait has begun.
    await new Promise((resolve) => running.stderr.once('data', resolve));
    running.kill('SIGTERM');
    expect(await running).toMatchObject({ exitCode: 143, stdout: '' });
    expect(service.requests).toHaveLength(1);
  });

  it('Ctrl-C on a terminal', async () => {
    await using service = await silent();
    const terminal = startPty(world, ['orders', 'list'], { env: targetOf(service) });
    await service.asked;
    terminal.type('\u0003');
    expect(await terminal.exited).toBe(130);
    expect(terminal.text()).toMatch(/interrupted/);
    expect(terminal.text()).not.toMatch(/\n\s+at /);
  });
});

describe('a signal after the settings were written', () => {
  it('one SIGINT counts as one', async () => {
    const script = `
      import { updateConfig } from './src/config/write-config.ts';
      process.on('SIGINT', () => console.log('SIGINT'));
      await updateConfig(process.env, (draft) => { draft.profiles = {}; });
      process.kill(process.pid, 'SIGINT');
      setTimeout(() => undefined, 200);`;
    const ran = await world.shell(`"$NODE" --input-type=module -e "$SCRIPT"`, {
      cwd: ROOT,
      env: { SCRIPT: script },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'SIGINT\n' });
  });
});

describe('a reader that closes the stream', () => {
  it('stderr closed: the command continues', async () => {
    const ran = await world.shell('"$NODE" "$PROC" items create --name Bolt --dry-run -v 2>&-');
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ dryRun: true });
  });

  it('a full disk is reported', async () => {
    for (const command of ['--version', 'items create --name Bolt --dry-run']) {
      const ran = await world.shell(`"$NODE" "$PROC" ${command} > /dev/full`);
      expect(ran.exitCode).toBe(2);
      expect(errorOf(ran).code).toBe('unwritable_output');
    }
  });
});
