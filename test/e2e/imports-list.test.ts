import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

async function imported(world: World, code: string): Promise<string> {
  await world.file(`${code}.csv`, `code,name\n${code},One\n${code}-2,Two\n`);
  const ran = await world.run(['items', 'import', `${code}.csv`, '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout).run;
}

it('lists runs from the ledger, without opening their files; a run without its file is damaged', async () => {
  const world = await freshWorld(sandbox.target);
  const first = await imported(world, 'L1');
  const second = await imported(world, 'L2');
  await rm(join(world.stateDir, `imports/${first}.db`));
  await writeFile(join(world.stateDir, `imports/${second}.db`), 'no database'.repeat(900));

  const listed = await world.run(['imports', 'list', '-o', 'json']);
  const runs = JSON.parse(listed.stdout) as { run: string }[];
  const counts = { rows: 2, created: 2, rejected: 0, unconfirmed: 0, pending: 0 };
  expect(runs.find(({ run }) => run === second)).toMatchObject({ state: 'finished', ...counts });
  expect(runs.find(({ run }) => run === first)).toEqual({ run: first, state: 'damaged' });
  expect(jsonLines(listed.stderr).map(({ warning }) => warning)).toEqual([
    expect.stringContaining(`${first}.db is damaged`),
  ]);
  const shown = await world.run(['imports', 'show', second]);
  expect(errorOf(shown).message).toContain('is damaged');
  const resumed = await world.run(['imports', 'resume']);
  expect(errorOf(resumed)).toMatchObject({ code: 'reference_not_found' });
});

it('last is the newest run, in every command that takes a run', async () => {
  const world = await freshWorld(sandbox.target);
  expect(errorOf(await world.run(['imports', 'show', 'last'])).message).toBe(
    'there are no import runs',
  );
  await imported(world, 'N1');
  const run = await imported(world, 'N2');
  for (const verb of ['show', 'resume']) {
    const ran = await world.run(['imports', verb, 'last', '--yes']);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ run });
  }
});
