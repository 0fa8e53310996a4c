import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { startHostile } from '../support/hostile-service.ts';
import { freshWorld } from '../support/run.ts';

const CANARY = 'canary-5d1c-process-list';

it('other users of the machine see no key, wherever it comes from', async () => {
  // The service never answers, so the command stays in the list of processes.
  let asked = Promise.withResolvers<void>();
  const service = await startHostile(() => asked.resolve());
  const world = await freshWorld();
  const added = await world.run(
    ['profile', 'add', 'acme', '-e', 'local', '--base-url', service.baseUrl, '--api-key-stdin'],
    { input: CANARY },
  );
  expect(added.exitCode, added.stderr).toBe(0);
  const ways: ReadonlyArray<readonly [string[], Record<string, string>]> = [
    [['orders', 'list', '-p', 'acme'], {}],
    [['orders', 'list'], { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: CANARY }],
    [['items', 'create', '--name', 'x', '-p', 'acme', '--yes'], { PROC_TOKEN: '' }],
  ];
  for (const [args, env] of ways) {
    asked = Promise.withResolvers<void>();
    const running = world.start([...args, '--timeout', '20s'], { env });
    await asked.promise;
    const listed = execFileSync('ps', ['-ww', '-e', '-o', 'pid=,args='], { encoding: 'utf8' });
    running.kill('SIGINT');
    const { stdout, stderr } = await running;
    const own = listed.split('\n').find((line) => Number.parseInt(line, 10) === running.pid);
    expect(own).toContain(args.join(' '));
    expect(listed + stdout + stderr).not.toContain(CANARY);
  }
  const profile = await world.run(['profile', 'show', 'acme', '-o', 'json']);
  const history = await world.run(['history', 'list', '-o', 'json']);
  expect(profile.stdout + profile.stderr + history.stdout + history.stderr).not.toContain(CANARY);
});
