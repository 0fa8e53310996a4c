import { chmod, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { freshWorld, ROOT } from '../support/run.ts';

it('examples/kill-and-resume.sh ends with every code once', async () => {
  const world = await freshWorld();
  await mkdir(join(world.cwd, 'bin'));
  const proc = await world.file('bin/proc', '#!/bin/sh\nexec "$NODE" "$PROC" "$@"\n');
  await chmod(proc, 0o755);
  const script = join(ROOT, 'examples', 'kill-and-resume.sh');
  const PATH = [join(world.cwd, 'bin'), world.env.PATH].join(delimiter);
  const ran = await world.shell(`sh '${script}' 5000`, { env: { PATH } });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const [, resumed = ''] = ran.stdout.split('$ proc imports resume --yes\n');
  expect(resumed).toMatch(/^5000\|5000$/m);
});
