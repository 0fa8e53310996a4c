import { expect, it } from 'vitest';
import { freshWorld, jsonLines } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

it('imports list --limit prints the latest runs', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  for (const name of ['a', 'b']) {
    await world.file(`${name}.csv`, `name,code\nBolt,${name}-1\n`);
    await world.run(['items', 'import', `${name}.csv`, '--yes']);
  }
  const { stdout } = await world.run(['imports', 'list', '--limit', '1', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject([{ source: 'b.csv' }]);
});

it('doctor -v logs its requests', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  const { stderr } = await world.run(['doctor', '-v', '-o', 'json']);
  const logged = jsonLines(stderr).flatMap((line) => ('http' in line ? [line.http] : []));
  expect(logged.length).toBeGreaterThanOrEqual(service.requests.length);
  expect(logged[0]).toMatchObject({ method: 'GET', status: 200 });
  expect(stderr).not.toContain(service.target.PROC_API_KEY);
});
