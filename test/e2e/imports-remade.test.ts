import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { type Cluster, startPostgres } from '../support/postgres.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { stored, teamAt } from '../support/team.ts';
import { itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const FAST = ['PROC_SETTLE=1ms'];
const costs = (count: number) =>
  `account,amount\n${Array.from({ length: count }, (_, at) => `6100,${at + 1}`).join('\n')}\n`;
const importing = [
  ...'imputations import cost.csv --set contractId=k-1 --yes -o json'.split(' '),
  ...FAST,
];

async function json(world: World, ...argv: string[]) {
  const ran = await world.run([...argv, '-o', 'json']);
  return { ...ran, value: ran.stdout === '' ? undefined : JSON.parse(ran.stdout) };
}

async function filesOf(world: World, run: string): Promise<string[]> {
  const all = await readdir(world.stateDir, { recursive: true });
  return all.filter((name) => name.includes(run)).map((name) => join(world.stateDir, name));
}

it('outcomes are recorded without the file of the run; the old file sends nothing any more', async () => {
  // The amounts 2 to 4 are stored, but nobody hears of it.
  await using service = await itemService((_, nth) =>
    nth > 1 ? { status: 500, stored: true } : undefined,
  );
  const world = await freshWorld(service.target);
  await world.file('cost.csv', costs(4));
  const { run } = JSON.parse((await world.run(importing)).stdout);
  for (const file of await filesOf(world, run)) {
    await rename(file, file.replace(run, `away-${run}`));
  }
  const show = errorOf(await world.run(['imports', 'show', run]));
  expect(show).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
  expect(show.hint).toContain(`proc imports resolve ${run}`);

  const requests = service.requests.length;
  const adopted = await json(world, 'imports', 'resolve', run, '2', '--adopt', 'im-7');
  expect(adopted.value).toMatchObject({ rows: 4, created: 2, unconfirmed: 2 });
  expect(jsonLines(adopted.stderr)).toContainEqual({
    warning: expect.stringMatching(/was not here: its rows come from the ledger/),
  });
  await world.run(['imports', 'resolve', run, '3', '--drop']);
  await world.run(['imports', 'resolve', run, '4', '--resend']);
  const rows = (await json(world, 'imports', 'rows', run)).value;
  expect(rows).toMatchObject([
    { row: 1, state: 'created', id: expect.any(String) },
    { row: 2, state: 'created', id: 'im-7', amount: 2 },
    { row: 3, state: 'dropped', amount: 3 },
    { row: 4, state: 'pending', amount: 4 },
  ]);
  expect(service.requests).toHaveLength(requests);
  await world.run(['imports', 'resume', run, '--yes', ...FAST]);
  const [, , , fourth, again] = service.requests.filter(({ method }) => method === 'POST');
  expect(again!.body).toEqual(fourth!.body);

  // The old file turns up again.
  for (const file of await filesOf(world, run)) {
    if (!file.includes(`away-${run}`)) await rm(file);
  }
  for (const file of await filesOf(world, run)) await rename(file, file.replace('away-', ''));
  for (const verb of ['resume', 'resolve', 'show']) {
    expect(errorOf(await world.run(['imports', verb, run]))).toMatchObject({ exitCode: 3 });
  }
  await world.file('cost.csv', costs(5));
  const more = JSON.parse((await world.run([...importing, '--on-sent', 'skip'])).stdout);
  expect(more).toMatchObject({ created: 0, existing: 2, dropped: 1, unconfirmed: 2 });
});

it('rows of a lost file that the service lists are looked up, and then decided by a person', async () => {
  await using service = await itemService((code, nth) => {
    service.breakReads(nth === 3 || nth === 4 ? 1000 : 0);
    return nth > 3 || code === 'A' ? undefined : { status: 500, stored: code === 'B' };
  });
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(['A', 'B', 'C', 'D']));
  const patient = ['PROC_PATIENCE=1s', 'PROC_SETTLE=1ms'];
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...patient]);
  const { run, unconfirmed } = JSON.parse(ran.stdout);
  expect(unconfirmed).toBeGreaterThan(1);
  for (const file of await filesOf(world, run)) await rm(file);
  service.breakReads(0);
  const dropping = ['imports', 'resolve', run, '3', '--drop'];
  const first = { code: 'invalid_usage', hint: expect.stringContaining(`imports resume ${run}`) };
  expect(errorOf(await world.run(dropping))).toMatchObject(first);
  // What the list had before the run is lost too, so a person decides.
  const resume = ['imports', 'resume', run, '--yes', ...patient];
  expect((await json(world, ...resume)).value).toMatchObject({ unconfirmed, pending: 0 });
  const { id } = service.items.find(({ code }) => code === 'B')!;
  expect((await world.run(['imports', 'resolve', run, '2', '--adopt', id])).stdout).not.toBe('');
  await world.run(['imports', 'resolve', run, '3', '--resend', ...FAST]);
  expect((await json(world, ...resume)).value).toMatchObject({ unconfirmed: 0, pending: 0 });
  await world.run(['items', 'import', 'a.csv', '--yes', ...patient]);
  expect(service.codes()).toEqual(['A', 'B', 'C', 'D']);
});

it('another machine records the outcomes of a runner that is gone', async () => {
  await using service = await loggedSandbox({ faults: 'latency=30ms' });
  const { machine, expireLocks } = await teamAt(service, cluster);
  const [gone, other] = [await machine(), await machine()];
  await gone.file('cost.csv', costs(60));
  const killed = gone.start([...importing, '--first-run', 'PROC_CONCURRENCY=4']);
  await expect.poll(() => service.writes().length, { timeout: 60_000 }).toBeGreaterThan(15);
  killed.kill('SIGKILL');
  await killed;
  await expireLocks();
  const [{ run }] = (await json(other, 'imports', 'list')).value;
  const all = ['imports', 'resolve', run, '--drop', '--all', '--yes'];
  const dropped = await json(other, ...all);
  expect(dropped.value).toMatchObject({ unconfirmed: 0, dropped: expect.any(Number) });
  expect(dropped.value.dropped).toBeGreaterThan(0);
  const sent = service.writes().length;
  for (const verb of ['resume', 'resolve']) {
    const behind = errorOf(await gone.run(['imports', verb, run, '--yes']));
    expect(behind).toMatchObject({ code: 'config_unreadable', exitCode: 3 });
  }
  expect(service.writes()).toHaveLength(sent);
  // What was never sent comes from the source.
  await other.run(['imports', 'resume', run, '--yes']);
  await other.file('cost.csv', costs(60));
  const rest = await json(other, ...importing, '--on-sent', 'skip');
  const made = stored(service, 'imputations').filter(({ account }) => account === '6100').length;
  expect(rest.value.created + rest.value.existing + rest.value.dropped).toBe(60);
  expect(made).toBeLessThanOrEqual(60);
  expect(made).toBeGreaterThanOrEqual(60 - rest.value.dropped);
});
