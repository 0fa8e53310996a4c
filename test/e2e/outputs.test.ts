import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binary } from '../support/built.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('doctor -v logs its requests', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  const { stderr } = await world.run(['doctor', '-v', '-o', 'json']);
  const logged = jsonLines(stderr).flatMap((line) => ('http' in line ? [line.http] : []));
  expect(logged.length).toBeGreaterThanOrEqual(service.requests.length);
  expect(logged[0]).toMatchObject({ method: 'GET', status: 200 });
  expect(stderr).not.toContain(service.target.PROC_API_KEY);
});

it.each([
  [['items', 'create', '--name', 'Bolt', '-q', 'kode'], 11],
  [['items', 'create', '--name', 'Bolt', '-q', 'code'], 0],
  [['items', 'create', '--name', 'Bolt', '-q', 'kode', '--dry-run'], 0],
  [['sectors', 'patch', 'sec-1', '--name', 'New', '-q', 'nmae'], 11],
  [['sectors', 'delete', 'sec-2', '-q', 'deletedd'], 11],
  [['sectors', 'get', 'sec-3', '-q', 'nmae'], 2],
])(
  '%o: a field that no result has is found after the write, which is named',
  async (words, code) => {
    await using service = await loggedSandbox();
    const world = await freshWorld(service.target);
    const ran = await world.run([...words, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(code);
    const error = jsonLines(ran.stderr).find((line) => 'error' in line)?.error;
    expect((error as { code?: string } | undefined)?.code).toBe(
      { 0: undefined, 2: 'invalid_usage', 11: 'undelivered' }[code],
    );
    const isSent = !words.includes('--dry-run') && words[1] !== 'get';
    expect(service.writes()).toHaveLength(isSent ? 1 : 0);
  },
);

it('a write is named whose result cannot be printed, because the files of proc were replaced', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  const copy = join(world.folder, 'copy');
  await cp(join(binary(), '../..'), copy, { recursive: true });
  const files = await readdir(join(copy, 'dist'));
  // Only the result needs this file.
  await rm(join(copy, 'dist', files.find((name) => /^csv-(?!rows)/.test(name))!));
  const line = `"$NODE" ${join(copy, 'bin/proc.js')} items create --name Bolt -o csv`;
  const ran = await world.shell(line);
  expect(errorOf(ran)).toMatchObject({
    ...{ code: 'undelivered', exitCode: 11 },
    details: { written: [{ created: expect.stringMatching(/^itm-/) }] },
  });
  expect(ran.stderr).not.toMatch(/Require stack|\n\s+at /);
  expect(service.writes()).toHaveLength(1);
});
