import { readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

const QUICK = ['--tune', 'settle=1ms', '--timeout', '5s'];

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
    ...['items', 'import', 'a.csv', '--yes', '--tune', 'concurrency=1', ...QUICK],
  ]);
  const row = (n: number) =>
    `row ${n}: name was sent as "Row X-000${n - 1}", but is "ROW X-000${n - 1}"`;
  expect(jsonLines(ran.stderr)).toContainEqual({
    warning: `the service stored other values than proc sent in 5 rows: ${row(2)}; ${row(3)}; ${row(4)}; …`,
  });
});

describe('what is staged', () => {
  async function staged() {
    const service = await itemService(() => undefined);
    const world = await freshWorld(service.target);
    await world.file('a.csv', rowsOf(codes(2)));
    const ran = await world.run(['items', 'import', 'a.csv', '--stage', '--yes']);
    return { world, run: JSON.parse(ran.stdout).run as string, service };
  }

  it('has no rows to resolve', async () => {
    const { world, run, service } = await staged();
    await using _ = service;
    for (const more of [[], ['--dry-run']]) {
      const ran = await world.run(['imports', 'resolve', run, '1', '--drop', ...more]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
      expect(errorOf(ran)).toMatchObject({
        code: 'invalid_usage',
        message: `${run} has sent nothing yet, so it has no rows to resolve`,
        hint: 'Resolve the rows in the run that sent them. To find it: proc imports list',
      });
    }
  });

  it('in a file that is damaged further in is named as damaged, and nothing is sent', async () => {
    const { world, run, service } = await staged();
    await using _ = service;
    const path = `${world.stateDir}/imports/${run}.db`;
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, 4096));
    for (const verb of ['send', 'show', 'report']) {
      const ran = await world.run(['imports', verb, run, ...(verb === 'send' ? ['--yes'] : [])]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 3, stdout: '' });
      expect(errorOf(ran)).toMatchObject({
        code: 'config_unreadable',
        message: `the journal ${path} is damaged`,
      });
    }
    expect(service.creates()).toBe(0);
  });

  it.each([
    [
      'ledger.db',
      999,
      'was written by a newer version of proc',
      'Update proc, or set PROC_STATE_DIR',
    ],
    ['ledger.db', 1, 'was written by an older version of proc', 'Set PROC_STATE_DIR'],
    ['imports/RUN.db', 999, 'is from a newer version of proc', 'Resume it with the version'],
    ['imports/RUN.db', 1, 'is from an older version of proc', 'Resume it with the version'],
  ])('in %s of version %i is left to that version of proc', async (file, version, says, hint) => {
    const { world, run, service } = await staged();
    await using _ = service;
    const path = `${world.stateDir}/${file.replace('RUN', run)}`;
    const other = new DatabaseSync(path);
    other.exec(`PRAGMA user_version = ${version}`);
    other.close();
    const ran = await world.run(['imports', 'send', run, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code: 'config_unreadable', message: `${path} ${says}` });
    expect(errorOf(ran).hint).toContain(hint);
    expect(service.creates()).toBe(0);
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

it('rows that another run has left open since they were staged change the plan', async () => {
  await using service = await itemService((_, nth) => (nth === 2 ? { status: 500 } : undefined));
  const world = await freshWorld(service.target);
  const rows = 'reference,amount,contractId\nR-1,1,c\nR-2,2,c\n';
  await world.file('a.csv', rows);
  await world.file('b.csv', `${rows}R-3,3,c\n`);
  const importing = (file: string, ...flags: readonly string[]) =>
    world.run(['imputations', 'import', file, '--yes', ...QUICK, ...flags]);
  const { run } = JSON.parse((await importing('b.csv', '--stage')).stdout);
  expect((await importing('a.csv')).exitCode).toBe(9);
  const sent = await world.run(['imports', 'send', run, '--yes']);
  expect(errorOf(sent)).toMatchObject({
    code: 'plan_changed',
    message: `the staged plan of ${run} no longer holds: another run or command has sent the same rows, and they are unconfirmed or dropped (row 2); nothing was sent`,
  });
  expect(service.creates()).toBe(2);
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
