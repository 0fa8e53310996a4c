import { describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

/** An environment with `maxCreate=2`, and a file with three items. */
async function capped(baseUrl: string, key: string): Promise<World> {
  const world = await freshWorld();
  const add = ['profile', 'add', 'acme', '-e', 'staging', '--base-url', baseUrl, '--api-key-stdin'];
  await world.run(add, { input: key });
  const set = await world.run(['profile', 'set', 'acme', '-e', 'staging', 'maxCreate=2']);
  expect(set, set.stderr).toMatchObject({ exitCode: 0 });
  await world.run(['profile', 'use', 'acme']);
  await world.file('items.csv', 'name,code\nBolt,B-1\nNut,N-1\nPin,P-1\n');
  return world;
}

const IMPORT = ['items', 'import', 'items.csv', '--yes', '-o', 'json'];

describe('a cap on what one command creates', () => {
  it.each([
    [{}, [], 'more than maxCreate of acme/staging (2)'],
    [{ PROC_MAX_CREATE: '1' }, [], 'more than PROC_MAX_CREATE 1'],
    [{ PROC_MAX_CREATE: '5' }, [], 'more than maxCreate of acme/staging (2)'],
    [{ PROC_MAX_CREATE: '1' }, ['--max-create', '0'], 'more than --max-create 0'],
    [{}, ['--max-create', '10'], 'more than maxCreate of acme/staging (2)'],
  ])('the smallest wins: %j %j', async (env, flags, says) => {
    await using service = await loggedSandbox();
    const world = await capped(service.baseUrl, service.target.PROC_API_KEY);
    const error = errorOf(await world.run([...IMPORT, ...flags], { env }));
    expect(error).toMatchObject({ code: 'invalid_input', exitCode: 2, details: { create: 3 } });
    expect(error.message).toContain(`3 rows would be created, ${says}; nothing was sent`);
    expect(service.writes()).toEqual([]);
  });

  it('of 0 allows no single create either', async () => {
    await using service = await loggedSandbox();
    const world = await capped(service.baseUrl, service.target.PROC_API_KEY);
    const env = { PROC_MAX_CREATE: '0' };
    for (const line of ['items create --name A', 'api POST /items/ -f name=A']) {
      const error = errorOf(await world.run([...line.split(' '), '-o', 'json'], { env }));
      expect(error).toMatchObject({
        exitCode: 2,
        message: 'PROC_MAX_CREATE is 0, so nothing may be created',
      });
    }
    expect(service.writes()).toEqual([]);
  });

  it('counts the items that requisitions define in place', async () => {
    await using service = await loggedSandbox();
    const world = await capped(service.baseUrl, service.target.PROC_API_KEY);
    const items = ['A-1', 'A-2'].map((code) => ({ quantity: 1, item: { code, name: code } }));
    const body = { title: 'T', groups: [{ name: 'G', deliveryMethod: 'pickup', items }] };
    await world.file('r.json', JSON.stringify(body));
    await world.file('r.ndjson', `${JSON.stringify(body)}\n`);
    const single = await world.run(['requisition', 'create', '--file', 'r.json']);
    expect(errorOf(single)).toMatchObject({
      message:
        '3 records would be created with the items defined in place, more than maxCreate of acme/staging (2); nothing was sent',
      details: { create: 3, maxCreate: 2 },
    });
    const bulk = ['requisition', 'import', 'r.ndjson', '--first-run', '--yes'];
    const imported = await world.run(bulk);
    expect(errorOf(imported)).toMatchObject({
      message:
        '1 row and 2 items would be created, more than maxCreate of acme/staging (2); nothing was sent',
      details: { create: 3, maxCreate: 2 },
    });
    expect(service.writes()).toEqual([]);
    await world.run(['profile', 'set', 'acme', '-e', 'staging', 'maxCreate=3']);
    expect(await world.run(bulk)).toMatchObject({ exitCode: 0 });
  });

  it('is checked', async () => {
    await using service = await loggedSandbox();
    const world = await capped(service.baseUrl, service.target.PROC_API_KEY);
    const bad = errorOf(await world.run(IMPORT, { env: { PROC_MAX_CREATE: 'many' } }));
    expect(bad).toMatchObject({ code: 'invalid_setting', exitCode: 3 });
    const set = await world.run(['profile', 'set', 'acme', '-e', 'staging', 'maxCreate=some']);
    expect(errorOf(set).message).toContain('maxCreate must be a whole number');
  });
});
