import { chmod, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { freshWorld, ROOT } from '../support/run.ts';

it('npm run tasks: each script does its task, also when it runs twice; an agent that only says so is found', async () => {
  const world = await freshWorld();
  const runner = join(ROOT, 'examples/tasks/run.mjs');
  const results = ({ stdout }: { readonly stdout: string }) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const scripts = await world.shell(`"$NODE" '${runner}'`);
  expect(scripts, scripts.stderr).toMatchObject({ exitCode: 0 });
  expect(results(scripts)).toEqual(
    [
      ['black-components', 1],
      ['split-order', 3],
      ['week-40', 2],
    ].map(([task, commands]) => ({
      task,
      right: true,
      wrongWrites: 0,
      falseDone: false,
      commands,
    })),
  );
  const liar = 'cat > /dev/null; proc items create --name Wrong -o id --quiet; echo Done.';
  const agents = await world.shell(`"$NODE" '${runner}' --agent '${liar}' 2> /dev/null`);
  expect(agents.exitCode).toBe(1);
  expect(results(agents)).toEqual([
    expect.objectContaining({ right: false, wrongWrites: 2, falseDone: true, commands: 1 }),
    expect.objectContaining({ right: false, wrongWrites: 1, falseDone: true, commands: 1 }),
    expect.objectContaining({ right: false, wrongWrites: 1, falseDone: true, commands: 1 }),
  ]);
});

it('examples/kill-and-resume.sh ends with every code once', async () => {
  const world = await freshWorld();
  await mkdir(join(world.cwd, 'bin'));
  const proc = await world.file('bin/proc', '#!/bin/sh\nexec "$NODE" "$PROC" "$@"\n');
  await chmod(proc, 0o755);
  const script = join(ROOT, 'examples', 'kill-and-resume.sh');
  const PATH = [join(world.cwd, 'bin'), world.env.PATH].join(delimiter);
  const ran = await world.shell(`sh '${script}'`, { env: { PATH } });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const [, resumed = ''] = ran.stdout.split('$ proc imports resume --yes\n');
  expect(resumed).toMatch(/^20000\|20000$/m);
});
