import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { listed, parsed } from '../support/history.ts';
import { freshWorld, type World } from '../support/run.ts';

const BOLT = ['items', 'create', '--name', 'Bolt'];

async function started(world: World, ...flags: string[]) {
  const running = world.start(['sandbox', 'start', '--quiet', ...flags]);
  onTestFinished(() => void running.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: running.stdout! }), 'line')) as [string];
  const { url, port } = JSON.parse(line) as { url: string; port: number };
  const stop = async (): Promise<void> => {
    running.kill('SIGINT');
    await running;
  };
  return { env: { PROC_BASE_URL: url }, port: String(port), stop };
}

it('a reset removes from history only the writes to that sandbox', async () => {
  const world = await freshWorld();
  const other = await started(world, '--port', '0', '--db', 'other.db');
  parsed(await world.run(BOLT, { env: other.env }));
  await other.stop();
  const first = await started(world, '--port', '0');
  parsed(await world.run(BOLT, { env: first.env }));
  await first.stop();
  const again = await started(world, '--port', first.port);
  expect((await world.run(BOLT, { env: again.env })).exitCode).toBe(2);
  await again.stop();

  parsed(await world.run(['sandbox', 'reset']));
  const fresh = await started(world, '--port', first.port);
  expect(await listed(world)).toMatchObject([{ baseUrl: other.env.PROC_BASE_URL }]);
  parsed(await world.run(BOLT, { env: fresh.env }));
  await fresh.stop();
});

it('another database at the same address is another service; the same one is not', async () => {
  const world = await freshWorld();
  const first = await started(world, '--port', '0', '--db', 'a.db');
  parsed(await world.run(BOLT, { env: first.env }));
  await first.stop();
  const same = await started(world, '--port', first.port, '--db', 'a.db');
  expect(await listed(world)).toHaveLength(1);
  await same.stop();
  const other = await started(world, '--port', first.port, '--db', 'b.db');
  expect(await listed(world)).toEqual([]);
  await other.stop();
});

it('an ephemeral start removes from history the writes to its address', async () => {
  const world = await freshWorld();
  const first = await started(world, '--ephemeral', '--port', '0');
  parsed(await world.run(BOLT, { env: first.env }));
  await first.stop();
  expect(await listed(world)).toHaveLength(1);
  const second = await started(world, '--ephemeral', '--port', first.port);
  expect(await listed(world)).toEqual([]);
  parsed(await world.run(BOLT, { env: second.env }));
  await second.stop();
});
