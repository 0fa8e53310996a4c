import { expect, it } from 'vitest';
import { errorOf, freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('a run of another profile names commands with that profile, and its rejected rows cannot be imported elsewhere', async () => {
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
  const { run, rejectedFile } = JSON.parse(imported.stdout);
  expect(await done(['imports', 'report', run])).toMatch(
    /proc items import \S*a\.rejected\.csv -p acme -e staging\n/,
  );

  const writes = globex.writes().length;
  const wrong = await world.run(['items', 'import', rejectedFile, '--yes', '-e', 'staging']);
  expect(wrong, wrong.stderr).toMatchObject({ exitCode: 2 });
  expect(errorOf(wrong).hint).toContain('-p acme -e staging. To import them here');
  expect(globex.writes()).toHaveLength(writes);

  await world.file('b.csv', 'code,name\nB-1,Nut\n');
  await done(['items', 'import', 'b.csv', '--stage', ...there]);
  const [staged] = JSON.parse(await done(['imports', 'list', '--where', 'state=staged']));
  expect(staged.next).toBe(`proc imports send ${staged.run} -p acme -e staging --yes`);
  const elsewhere = await world.run(['imports', 'send', staged.run, '--yes', '-e', 'staging']);
  expect(errorOf(elsewhere).message).toBe(
    `${staged.run} imports into acme/staging (${acme.target.PROC_BASE_URL}), not into globex/staging (${globex.target.PROC_BASE_URL})`,
  );
  const sent = await world.run(staged.next.split(' ').slice(1));
  expect(sent, sent.stderr).toMatchObject({ exitCode: 0 });
});
