import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programWords } from '../support/built.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { freshWorld, ROOT, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { itemService } from './import-service.ts';

async function job(world: World, target: Readonly<Record<string, string>>) {
  const page = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
  const [, script] = /<!-- job -->\n\n```sh\n([\s\S]*?)```/.exec(page) ?? [];
  await world.file('import-job.sh', script!);
  const bin = join(world.folder, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'proc'), `#!/bin/sh\nexec ${programWords()} "$@"\n`);
  await chmod(join(bin, 'proc'), 0o755);
  const env = { ...target, PATH: `${bin}:${world.env.PATH}` };
  return world.shell('sh import-job.sh', { env });
}

it('the job of docs/ci.md runs as printed', async () => {
  await using sandbox = await loggedSandbox();
  const world = await freshWorld();
  await world.file('catalog.csv', 'code,name\nJ-1,One\nJ-2,Two\n');
  const green = await job(world, sandbox.target);
  expect(green, green.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(green.stdout)).toMatchObject({ created: 2 });

  const rows = Array.from({ length: 30 }, (_, at) => `K-${at},n`).join('\n');
  await world.file('catalog.csv', `code,name\nJ-1,One\n,None\n${rows}\n`);
  const warned = await job(world, sandbox.target);
  expect(warned.exitCode).toBe(0);
  expect(warned.stdout).toContain('WARNING: some rows were rejected: see rejected.csv');
  expect(await readFile(join(world.cwd, 'rejected.csv'), 'utf8')).toContain(',None,');

  await world.file('catalog.csv', 'code,name\n,a\n,b\nL-1,c\n');
  const broken = await job(world, sandbox.target);
  expect(broken.exitCode).toBe(2);
  expect(broken.stderr).toContain('PAGE: nothing was sent (2)');
  expect(broken.stderr).toContain('--max-rejected 5%');
});

it('the job alerts somebody if rows stay unconfirmed, with the command that records their outcome', async () => {
  const world = await freshWorld();
  const rows = (name: string) =>
    Array.from({ length: 40 }, (_, at) => `${name}-${at},n\n`).join('');
  // Every second response is lost. The list hides most of what was created, so a look-up proves nothing.
  await using service = await itemService(
    (_, nth) => (nth % 2 === 0 ? { stored: true, reset: true } : undefined),
    (item) => (item.code === 'B-0' || item.code.startsWith('A') ? item : undefined),
  );
  const url = ['--base-url', service.baseUrl];
  await world.run(['profile', 'add', 'acme', '-e', 'staging', ...url]);
  await world.run(['profile', 'set', 'acme', '-e', 'staging', 'settle=300ms']);
  const target = { PROC_PROFILE: 'acme', PROC_ENV: 'staging', PROC_API_KEY: 'k-1' };
  await world.file('catalog.csv', `code,name\n${rows('B')}`);
  const paged = await job(world, target);
  expect(paged, paged.stderr).toMatchObject({ exitCode: 9 });
  const { run, created, unconfirmed } = JSON.parse(paged.stdout);
  expect(created + unconfirmed).toBe(40);
  expect(paged.stderr).toBe(`PAGE: some rows are unconfirmed: proc imports resolve ${run}\n`);
  const again = await job(world, target);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain(`proc imports resolve ${run}`);
  await world.file('catalog.csv', 'code,name\nA-1,n\n');
  expect((await job(world, target)).exitCode).toBe(0);
});

it('the job alerts somebody if the import stopped, and resumes it the next time', async () => {
  const world = await freshWorld();
  let isKeyWrong = true;
  const items: unknown[] = [];
  await using service = await startHostile((socket, { method, body }) => {
    if (method === 'GET') return void socket.write(http(200, JSON.stringify(items)));
    if (isKeyWrong) return void socket.write(http(401, '{}'));
    items.push({ id: `i-${items.length}`, ...JSON.parse(body) });
    socket.write(http(201, JSON.stringify(items.at(-1))));
  });
  await world.file('catalog.csv', 'code,name\nM-1,One\n');
  const env = { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' };
  const stopped = await job(world, env);
  expect(stopped.exitCode).toBe(10);
  const { run } = JSON.parse(stopped.stdout);
  expect(stopped.stderr).toBe(
    `PAGE: the import stopped before its end: proc imports resume ${run}\n`,
  );
  const again = await job(world, env);
  expect(again.exitCode).toBe(10);
  expect(again.stderr).toContain('stopped again (10)');
  isKeyWrong = false;
  const green = await job(world, env);
  expect(green, green.stderr).toMatchObject({ exitCode: 0 });
  expect(items).toMatchObject([{ code: 'M-1' }]);
});
