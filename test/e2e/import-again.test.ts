import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

const SETTLE = ['PROC_SETTLE=200ms', '--timeout', '5s'];

it('a regenerated key resumes once its organization is named, and the row already created is found', async () => {
  let isLocked = true;
  await using service = await itemService((_, nth) =>
    isLocked && nth > 5 ? { status: 401 } : undefined,
  );
  const here = await freshWorld(service.target);
  await here.file('rows.csv', rowsOf(codes(20)));
  await here.run(['items', 'import', 'rows.csv', '--yes', 'PROC_CONCURRENCY=1']);
  isLocked = false;
  const key = { PROC_API_KEY: 'k-regenerated' };
  const refused = await here.run(['imports', 'resume', ...SETTLE], { env: key });
  const [, named] = /(--organization key-\w+)$/.exec(errorOf(refused).hint!)!;
  const resume = ['imports', 'resume', ...SETTLE, ...named!.split(' ')];
  const resumed = await here.run(resume, { env: key });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 20, pending: 0 });
  expect(service.codes()).toEqual(codes(20));
  expect(service.creates()).toBe(21);
});

it('a few codes are searched for in a long catalogue, with fewer requests than it has pages', async () => {
  await using service = await itemService(() => undefined);
  const before = [...Array(20_000).keys()].map((n) => `X-${String(n).padStart(5, '0')}`);
  // Stored in reverse order of their codes, so that the list does not look sorted.
  service.items.push(
    ...before.toReversed().map((code, n) => ({ id: `old-${n}`, code, name: code })),
  );
  const here = await freshWorld(service.target);
  await here.file('few.csv', rowsOf([before[4_321]!, 'Y-1']));
  const ran = await here.run(['items', 'import', 'few.csv', '--yes']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ existing: 1, created: 1 });
  expect(service.requests.filter(({ method }) => method === 'GET').length).toBeLessThan(150);
  const { run: name } = JSON.parse(ran.stdout);
  const run = new DatabaseSync(join(here.stateDir, 'imports', `${name}.db`), { readOnly: true });
  const fact = run.prepare("SELECT value FROM run WHERE key = 'baseline'").get();
  run.close();
  expect(fact?.value).toBe('"searched"');
});

it('an import that stops before anything is sent leaves no run behind', async () => {
  await using service = await itemService(() => undefined);
  const here = await freshWorld(service.target);
  await here.file('rows.csv', rowsOf(codes(3)));
  for (const flags of [['--dry-run'], ['--yes', '--max-create', '1'], []]) {
    const ran = await here.run(['items', 'import', 'rows.csv', ...flags]);
    expect(ran.exitCode).toBe(flags[0] === '--dry-run' ? 0 : 2);
  }
  expect(service.creates()).toBe(0);
  expect(JSON.parse((await here.run(['imports', 'list'])).stdout)).toEqual([]);
  const left = await readdir(join(here.stateDir, 'imports'));
  expect(left.filter((name) => /\.(db|mark)$/.test(name))).toEqual([]);
});
