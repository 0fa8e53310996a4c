import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
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
