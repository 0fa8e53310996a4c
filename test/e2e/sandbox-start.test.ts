import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { always, http, startHostile } from '../support/hostile-service.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';

/** Starts a sandbox in the foreground; resolves once it runs. */
async function started(world: World, ...flags: string[]) {
  const running = world.start(['sandbox', 'start', '--quiet', ...flags]);
  onTestFinished(() => void running.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: running.stdout! }), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const stop = async (): Promise<void> => {
    running.kill('SIGINT');
    await running;
  };
  return { port, stop };
}

interface Order {
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

async function orders(world: World, words: string): Promise<readonly Order[]> {
  const ran = await world.run(['sandbox', 'exec', ...words.split(' ')]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
}

describe('the sample orders', () => {
  it('end today, with dozens pending that the examples of help find', async () => {
    const world = await freshWorld();
    const pending = await orders(world, '-- proc orders list --status pending --since 30d');
    expect(pending.length).toBeGreaterThan(23);
    const all = await orders(world, '-- proc orders list --all');
    const newest = all.map(({ createdAt }) => Date.parse(createdAt)).toSorted((a, b) => b - a)[0]!;
    expect(Date.now() - newest).toBeLessThan(2 * 86_400_000);
    expect(all.filter(({ updatedAt }) => Date.parse(updatedAt) > Date.now())).toEqual([]);
  });

  it('end on the day of --as-of, every time with the same data', async () => {
    const world = await freshWorld();
    const first = await orders(world, '--as-of 2026-01-31 -- proc orders list --all');
    const again = await orders(world, '--as-of 2026-01-31 -- proc orders list --all');
    expect(again).toEqual(first);
    const days = first.map(({ createdAt }) => createdAt).toSorted();
    expect(days.at(-1)).toBe('2026-01-31T00:00:00Z');
    expect(days).toHaveLength(500);
  });

  it.each(['2026-02-30', 'tomorrow', '1.2.2026', ''])('refuse the day "%s"', async (day) => {
    const world = await freshWorld();
    const ran = await world.run(['sandbox', 'start', '--dry-run', '--as-of', day]);
    expect(errorOf(ran)).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
  });

  it('of a database that exists keep their dates: --as-of is refused, and reset takes it', async () => {
    const world = await freshWorld();
    await (await started(world, '--port', '0')).stop();
    const ran = await world.run(['sandbox', 'start', '--port', '0', '--as-of', '2026-01-31']);
    expect(errorOf(ran)).toMatchObject({
      code: 'sandbox_conflict',
      hint: 'Replace the data first: proc sandbox reset --as-of 2026-01-31',
    });
    expect((await world.run(['sandbox', 'reset', '--as-of', '2026-01-31'])).exitCode).toBe(0);
    const again = await started(world, '--port', '0');
    const listed = await world.run('orders list --sort createdAt --dir desc --limit 1'.split(' '));
    expect(JSON.parse(listed.stdout)).toMatchObject([{ createdAt: '2026-01-31T00:00:00Z' }]);
    await again.stop();
  });
});

describe('the usual port of the sandbox', () => {
  const usual = async ({ stateDir }: World, port: number) => {
    await mkdir(stateDir, { mode: 0o700 });
    await writeFile(join(stateDir, 'sandbox-port.json'), JSON.stringify({ port }));
  };

  it('if another program uses it: a free one, which later starts use too', async () => {
    await using other = await startHostile(always(http(200, '[]')));
    const world = await freshWorld();
    await usual(world, other.port);
    const first = await started(world);
    expect(first.port).not.toBe(other.port);
    const list = await world.run(['orders', 'list', '--limit', '1']);
    expect(JSON.parse(list.stdout)).toHaveLength(1);
    await first.stop();
    const second = await started(world);
    expect(second.port).toBe(first.port);
    await second.stop();
    expect(other.requests).toEqual([]);
  });

  it('is not used while no sandbox of this person runs, whatever answers there', async () => {
    await using other = await startHostile(always(http(200, '[]')));
    const world = await freshWorld();
    await usual(world, other.port);
    for (const words of ['orders list', 'items create --name Bolt', 'doctor --quick']) {
      const ran = await world.run(words.split(' '));
      expect([words, ran.exitCode]).toEqual([words, 7]);
      expect(ran.stderr).toContain('no sandbox of yours is running');
    }
    expect(other.requests).toEqual([]);
  });

  it('if it was taken after a kill: the key does not go to the program that took it', async () => {
    const world = await freshWorld();
    await using other = await startHostile(always(http(200, '{"proof":"x"}')));
    await usual(world, other.port);
    const url = other.baseUrl;
    const registered = {
      url,
      port: other.port,
      pid: 1,
      control: 'c',
      settleMs: 1,
      db: 'x',
      key: 'k',
    };
    await writeFile(join(world.stateDir, 'sandbox.json'), JSON.stringify(registered));
    const ran = await world.run(['orders', 'list']);
    expect(errorOf(ran)).toMatchObject({ code: 'unreachable', exitCode: 7 });
    expect(other.requests.map(({ line }) => line)).toEqual(['GET /_sandbox HTTP/1.1']);
    expect(other.requests.flatMap(({ headers }) => headers).map(([name]) => name)).not.toContain(
      'x-api-key',
    );
  });
});
