import { expect, it } from 'vitest';
import { REFUSED_NAME, type Steps, startOutOfStep } from '../support/out-of-step.ts';
import { freshWorld } from '../support/run.ts';

/** Imports items on two connections, through a service whose responses follow a script. */
async function importing(script: NonNullable<Steps['script']>, refused: readonly string[]) {
  const service = await startOutOfStep({ seed: 1, script });
  const world = await freshWorld({
    PROC_BASE_URL: service.baseUrl,
    PROC_API_KEY: 'k-1',
  });
  const codes = Array.from({ length: 30 }, (_, at) => `C-${at + 1}`);
  const items = codes.map((code) => ({
    code,
    name: refused.includes(code) ? REFUSED_NAME : `item ${code}`,
  }));
  await world.file('items.ndjson', items.map((item) => JSON.stringify(item)).join('\n'));
  const args = ['items', 'import', 'items.ndjson', '--yes', '--settle', '300ms'];
  return { service, world, args: [...args, '--concurrency', '2', '--results', 'results.csv'] };
}

async function became(world: Awaited<ReturnType<typeof freshWorld>>) {
  const { stdout } = await world.shell('cut -d, -f2,4 results.csv');
  const [, ...rows] = stdout.trimEnd().split('\n');
  return Object.groupBy(rows, (row) => row.split(',')[1]!);
}

it('the valid row is created even if two rejections are swapped before proc has seen a swap', async () => {
  const { service, world, args } = await importing(
    (code, nth) => {
      if (nth > 1) return undefined;
      if (code === 'C-1') return 'turned away, swapped';
      return ['C-2', 'C-11', 'C-12'].includes(code) ? 'swapped' : undefined;
    },
    ['C-2'],
  );
  await using _ = service;
  const ran = await world.run(args);
  expect(service.story.get('C-1')).toContain('but got 400 of C-2');
  expect(ran.exitCode).toBe(8);
  const { created, rejected } = await became(world);
  expect(rejected).toEqual(['C-2,rejected']);
  expect(created).toHaveLength(29);
  expect(service.books.get('C-1')).toHaveLength(1);
});

it('after a swap was seen, a rejection counts only for a row that was sent alone, however often it is repeated', async () => {
  const { service, world, args } = await importing(
    (code, nth) => {
      if (code === 'C-1' || code === 'C-2') return nth === 1 ? 'swapped' : undefined;
      if (code !== 'C-5' || nth > 3) return undefined;
      return nth === 3 ? 'turned away, swapped' : 'turned away';
    },
    ['C-6'],
  );
  await using _ = service;
  const ran = await world.run(args);
  expect(service.story.get('C-1')).toContain('but got 201 of C-2');
  expect(ran.exitCode).toBe(8);
  const { created, rejected } = await became(world);
  expect(rejected).toEqual(['C-6,rejected']);
  expect(created).toHaveLength(29);
  expect(service.story.get('C-5')).toEqual(['429', '429', '429', '201']);
});

it('a run that is interrupted and resumed still knows that responses were swapped', async () => {
  const { service, world, args } = await importing(
    (code, nth) => {
      if (nth > 1) return undefined;
      if (code === 'C-25') return 'turned away, swapped';
      return ['C-1', 'C-2', 'C-26'].includes(code) ? 'swapped' : undefined;
    },
    ['C-26'],
  );
  await using _ = service;
  const first = world.start([...args, '--rate', '20']);
  await expect.poll(() => service.books.size, { interval: 5, timeout: 10_000 }).toBeGreaterThan(8);
  expect(service.story.get('C-1')).toContain('but got 201 of C-2');
  first.kill('SIGKILL');
  await first;
  expect(service.story.has('C-25')).toBe(false);
  const ran = await world.run(['imports', 'resume', '--yes', '--settle', '300ms']);
  expect(service.story.get('C-25')).toContain('but got 400 of C-26');
  expect(ran.exitCode).toBe(8);
  const { created, rejected } = await became(world);
  expect(rejected).toEqual(['C-26,rejected']);
  expect(created).toHaveLength(29);
});
