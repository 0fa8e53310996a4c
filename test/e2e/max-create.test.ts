import { expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

it('--max-create refuses a plan that creates more, and counts the items that requisitions define in place', async () => {
  await using service = await loggedSandbox();
  const world = await freshWorld(service.target);
  await world.file('items.csv', 'name,code\nBolt,B-1\nNut,N-1\nPin,P-1\n');
  const items = ['A-1', 'A-2'].map((code) => ({ quantity: 1, item: { code, name: code } }));
  const body = { title: 'T', groups: [{ name: 'G', deliveryMethod: 'pickup', items }] };
  await world.file('r.ndjson', `${JSON.stringify(body)}\n`);
  for (const line of [
    'items import items.csv --yes --max-create 2',
    'requisition import r.ndjson --first-run --yes --max-create 2',
  ]) {
    const error = errorOf(await world.run([...line.split(' '), '-o', 'json']));
    expect(error).toMatchObject({ code: 'invalid_input', exitCode: 2 });
    expect(error.details).toEqual({ create: 3, maxCreate: 2 });
  }
  expect(service.writes()).toEqual([]);
  const bulk = 'requisition import r.ndjson --first-run --yes --max-create 3'.split(' ');
  expect(await world.run(bulk)).toMatchObject({ exitCode: 0 });
});
