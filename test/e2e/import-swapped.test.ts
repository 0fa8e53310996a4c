import { expect, it } from 'vitest';
import { REFUSED_NAME, type Steps, startOutOfStep } from '../support/out-of-step.ts';
import { freshWorld } from '../support/run.ts';

const CODES = Array.from({ length: 30 }, (_, at) => `C-${at + 1}`);

/** Imports items through a service whose responses follow a script. */
async function importing(
  script: NonNullable<Steps['script']>,
  refused: readonly string[],
  { codes = CODES, steps = {} as Partial<Steps>, concurrency = 2 } = {},
) {
  const service = await startOutOfStep({ ...steps, seed: 1, script });
  const world = await freshWorld({
    PROC_BASE_URL: service.baseUrl,
    PROC_API_KEY: 'k-1',
  });
  const items = codes.map((code) => ({
    code,
    name: refused.includes(code) ? REFUSED_NAME : `item ${code}`,
  }));
  await world.file('items.ndjson', items.map((item) => JSON.stringify(item)).join('\n'));
  const args = ['items', 'import', 'items.ndjson', '--yes', 'PROC_SETTLE=300ms'];
  return {
    service,
    world,
    args: [...args, `PROC_CONCURRENCY=${concurrency}`, '--results', 'results.csv'],
  };
}

async function became(world: Awaited<ReturnType<typeof freshWorld>>) {
  const { stdout } = await world.shell('cat results.csv');
  const [, ...lines] = stdout.trimEnd().split(/\r?\n/);
  const rows = lines.map((line) => {
    const [, , state, code] = line.split(',');
    return `${code},${state}`;
  });
  return Object.groupBy(rows, (row) => row.split(',')[1]!);
}

it('a rejection that was swapped with a success does not count, and the valid row is created', async () => {
  const { service, world, args } = await importing(
    (code, nth) => (nth === 1 && (code === 'C-2' || code === 'C-3') ? 'swapped' : undefined),
    ['C-2'],
  );
  await using _ = service;
  const ran = await world.run(args);
  expect(service.story.get('C-3')).toContain('but got 400 of C-2');
  expect(ran.exitCode).toBe(8);
  const { created, rejected } = await became(world);
  expect(rejected).toEqual(['C-2,rejected']);
  expect(created).toHaveLength(29);
  expect(service.books.get('C-3')).toHaveLength(1);
});

it('after the response of another row no refusal counts: each row is looked up and sent again, five times at most', async () => {
  const { service, world, args } = await importing(
    (code, nth) => {
      if (code === 'C-2' || code === 'C-3') return nth === 1 ? 'swapped' : undefined;
      return code === 'C-5' && nth <= 3 ? 'turned away' : undefined;
    },
    ['C-6'],
  );
  await using _ = service;
  const ran = await world.run(args);
  expect(service.story.get('C-2')).toContain('but got 201 of C-3');
  expect(ran.exitCode).toBe(8);
  const { created, rejected } = await became(world);
  expect(rejected).toEqual(['C-6,rejected']);
  expect(created).toHaveLength(29);
  expect(service.story.get('C-5')).toEqual(['429', '429', '429', '201']);
  expect(service.story.get('C-6')).toEqual(['400', '400', '400', '400', '400']);
});

it('a refusal that is said twice moves no outcome to the next rows', async () => {
  const codes = ['A-0', 'A-1', 'A-12', 'A-120', 'A-1200', 'A-12001'];
  const { service, world, args } = await importing(
    (code) => (code === 'A-1' ? 'twice' : undefined),
    ['A-1'],
    { codes, concurrency: 1 },
  );
  await using _ = service;
  const ran = await world.run(args);
  expect(ran.exitCode).toBe(8);
  expect(await became(world)).toEqual({
    rejected: ['A-1,rejected'],
    created: codes.filter((code) => code !== 'A-1').map((code) => `${code},created`),
  });
  for (const code of codes) {
    expect(service.books.get(code) ?? []).toHaveLength(code === 'A-1' ? 0 : 1);
  }
});
