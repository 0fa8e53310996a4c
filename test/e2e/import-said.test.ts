import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

const QUICK = ['PROC_SETTLE=1ms', '--timeout', '5s'];

it('a resume looks up again what no look-up could decide', async () => {
  await using service = await itemService((code) => {
    if (code !== 'B-2') return undefined;
    service.items.push({ id: 'twin', code, name: 'Made by somebody else meanwhile' });
    return { reset: true, stored: true };
  });
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(['A-1', 'B-2', 'C-3']));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 2, unconfirmed: 1 });
  service.items.splice(
    service.items.findIndex(({ id }) => id === 'twin'),
    1,
  );
  const resumed = await world.run(['imports', 'resume', '--yes', ...QUICK]);
  expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 3, unconfirmed: 0 });
  expect(service.creates()).toBe(3);
});

it('names the first rows whose values the service changed, and counts all', async () => {
  await using service = await itemService((code, nth) =>
    code === 'X-0000' ? undefined : { body: { id: `i-${nth}`, code, name: `ROW ${code}` } },
  );
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(codes(6)));
  const ran = await world.run([
    ...['items', 'import', 'a.csv', '--yes', 'PROC_CONCURRENCY=1', ...QUICK],
  ]);
  const row = (n: number) =>
    `row ${n}: name was sent as "Row X-000${n - 1}", but is "ROW X-000${n - 1}"`;
  expect(jsonLines(ran.stderr)).toContainEqual({
    warning: `the service stored other values than proc sent in 5 rows: ${row(2)}; ${row(3)}; ${row(4)}; …`,
  });
});

it('the same rows are sent once more with --on-sent send, and only with it', async () => {
  await using service = await itemService((_, nth) => (nth === 2 ? { status: 500 } : undefined));
  const world = await freshWorld(service.target);
  const rows = 'reference,amount,contractId\nR-1,1,c\nR-2,2,c\n';
  await world.file('a.csv', rows);
  await world.file('b.csv', `${rows}R-3,3,c\n`);
  const importing = (file: string, ...flags: readonly string[]) =>
    world.run(['imputations', 'import', file, '--yes', ...QUICK, ...flags]);
  const first = await importing('a.csv');
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ created: 1, unconfirmed: 1 });
  expect(errorOf(await importing('b.csv')).message).toContain('2 of 3 rows were already sent by');
  const again = await importing('b.csv', '--on-sent', 'send');
  expect(JSON.parse(again.stdout), again.stderr).toMatchObject({ created: 3, existing: 0 });
  expect(service.creates()).toBe(5);
});

it('a run whose ledger is lost is damaged, whatever is asked of it', async () => {
  await using service = await itemService(() => undefined);
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(codes(1)));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
  const { run } = JSON.parse(ran.stdout);
  await rm(`${world.stateDir}/ledger.db`);
  for (const verb of ['show', 'report', 'rows', 'resume']) {
    const refused = await world.run(['imports', verb, run]);
    expect(refused, refused.stderr).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(refused)).toMatchObject({
      code: 'config_unreadable',
      message: `the journal ${world.stateDir}/imports/${run}.db is damaged`,
    });
  }
});

it('a name that no run has: the nearest one, or all', async () => {
  await using service = await itemService(() => undefined);
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(codes(1)));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', ...QUICK]);
  const { run } = JSON.parse(ran.stdout);
  const near = `${run.slice(0, -1)}x`;
  for (const [typed, hint] of [
    [near, `Did you mean ${run}?`],
    ['nothing-like-it', 'List all runs: proc imports list'],
  ] as const) {
    const shown = await world.run(['imports', 'show', typed]);
    expect(errorOf(shown)).toMatchObject({
      code: 'reference_not_found',
      message: `there is no import run "${typed}"`,
      hint,
    });
  }
  expect((await world.run(['imports', 'show', run.slice(-4)])).exitCode).toBe(0);
  expect((await world.run(['imports', 'show', run.slice(0, 8)])).exitCode).toBe(0);
});
