import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { itemService, rowsOf } from './import-service.ts';

assumeFirstRuns();

it('messages about a single row are in the singular, in imports and in history', async () => {
  await using service = await itemService((code) =>
    code === undefined ? { status: 500, stored: false } : undefined,
  );
  const world = await freshWorld(service.target);
  await world.file('item.csv', rowsOf(['A-1']));
  const ran = await world.run(['items', 'import', 'item.csv', '--yes']);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  const [entry] = JSON.parse((await world.run(['history', 'list'])).stdout);
  expect(entry.what).toBe('create 1 item from item.csv');

  await world.file('bad.csv', 'code,name\nA-2,Bolt\n,Nut\n');
  const invalid = await world.run(['items', 'import', 'bad.csv', '--yes', '--max-rejected', '0%']);
  expect(errorOf(invalid).message).toMatch(
    /^1 of 2 rows is invalid \(row 2, line 3, column "code": is required, but empty\), more than --max-rejected 0%/,
  );

  await world.file('lost.csv', 'reference,amount\nR-1,1\n');
  const importLost = ['imputations', 'import', 'lost.csv', '--set', 'contractId=k-1', '--yes'];
  const lost = await world.run(importLost);
  expect(jsonLines(lost.stderr)).toMatchObject([
    { error: { code: 'outcome_unknown', message: '1 row was sent but not confirmed' } },
  ]);
  const { run } = JSON.parse(lost.stdout);
  await world.file('lost.csv', 'reference,amount\nR-1,1\n\n');
  expect(errorOf(await world.run(importLost)).message).toBe(
    `1 of 1 row was already sent by run ${run}: 0 created, 1 unconfirmed; nothing was sent now`,
  );
});

it('a list that ends after its first row has one row', async () => {
  await using service = await startHostile((socket) => socket.write(http(200, '[{"id":"o-1"},')));
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' });
  const ran = await world.run(['orders', 'list', '--retries', '0']);
  expect(errorOf(ran).message).toContain('the response is truncated after a row');
});
