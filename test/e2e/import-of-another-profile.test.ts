import { expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { itemService, rowsOf } from './import-service.ts';

it('a run of another profile names commands with that profile', async () => {
  await using acme = await loggedSandbox();
  await using globex = await loggedSandbox();
  const world = await freshWorld({});
  const done = async (args: readonly string[], input = '') => {
    const ran = await world.run(args, { input });
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    return ran.stdout;
  };
  for (const [profile, { target }] of [['acme', acme] as const, ['globex', globex] as const]) {
    const where = ['-e', 'staging', '--base-url', target.PROC_BASE_URL!, '--api-key-stdin'];
    await done(
      ['profile', 'add', profile, ...where],
      profile === 'acme' ? 'proc-sandbox-key' : 'proc-sandbox-key-2',
    );
  }
  await done(['profile', 'use', 'globex', '-e', 'staging']);
  await world.file('a.csv', 'code,name\nA-1,Bolt\nA-2,\n');
  const there = ['-p', 'acme', '-e', 'staging'];
  const imported = await world.run(['items', 'import', 'a.csv', '--yes', ...there]);
  expect(imported, imported.stderr).toMatchObject({ exitCode: 8 });
  const { run } = JSON.parse(imported.stdout);
  expect(await done(['imports', 'report', run])).toMatch(
    /proc items import \S*a\.rejected\.csv -p acme -e staging</,
  );
});

it('if several runs are unfinished, the hint names the profile of the run', async () => {
  const world = await freshWorld({});
  const lost = await itemService(() => ({ status: 401 }));
  await using _closed = lost;
  const profiles = [
    ['acme', 'k-1'],
    ['globex', 'k-2'],
  ] as const;
  for (const [profile, input] of profiles) {
    const where = ['-e', 'staging', '--base-url', lost.baseUrl, '--api-key-stdin'];
    const added = await world.run(['profile', 'add', profile, ...where], { input });
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
  }
  for (const name of ['a', 'b']) {
    await world.file(`${name}.csv`, rowsOf([`${name}-1`]));
    const there = ['-p', 'acme', '-e', 'staging'];
    const stopped = await world.run(['items', 'import', `${name}.csv`, '--yes', ...there]);
    expect(stopped, stopped.stderr).toMatchObject({ exitCode: 10 });
  }
  await world.run(['profile', 'use', 'globex', '-e', 'staging']);
  for (const typed of [[], ['-p', 'globex'], ['--profile=globex', '--env', 'staging']]) {
    const { hint = '' } = errorOf(await world.run(['imports', 'resume', ...typed, '--yes']));
    expect(hint).toMatch(/^Name one: proc imports resume --yes \S+ -p acme -e staging$/);
    const pasted = hint.slice('Name one: proc '.length).split(' ');
    const ran = await world.run(pasted);
    // The run continues, so the service answers 401 again.
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10 });
  }
});
