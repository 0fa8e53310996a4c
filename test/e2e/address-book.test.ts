import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';

let sandbox: LoggedSandbox;

beforeAll(async () => {
  sandbox = await loggedSandbox();
});
afterAll(() => sandbox.close());

const world = (): Promise<World> => freshWorld(sandbox.target);

async function known({
  run,
}: World): Promise<{ id: string; alias: string; city: string | null }[]> {
  return JSON.parse((await run(['addresses', 'known'])).stdout);
}

it('addresses known has the addresses that were shown or sent', async () => {
  const own = await world();
  const shown = sandbox.samples.address!;
  expect(await known(own)).toEqual([]);
  expect((await own.run(['addresses', 'get', shown])).exitCode).toBe(0);
  const sent = ['--group', 'delivery=delivery,address=adr-2', '--new-item', 'name=Nut,quantity=1'];
  expect((await own.run(['requisition', 'create', '--title', 'T', ...sent])).exitCode).toBe(0);
  const addresses = await known(own);
  expect(addresses.map(({ id }) => id).sort()).toEqual([shown, 'adr-2'].sort());
  expect(addresses.find(({ id }) => id === shown)!.city).toEqual(expect.any(String));
});

it('an alias works everywhere in place of an address', async () => {
  const own = await world();
  const set = await own.run(['addresses', 'alias', 'adr-3', 'plant-cba']);
  expect(set.exitCode).toBe(0);
  expect(JSON.parse(set.stdout)).toMatchObject({ id: 'adr-3', alias: 'plant-cba' });
  const shown = await own.run(['addresses', 'get', 'plant-cba', '-o', 'id']);
  expect(shown.stdout).toBe('adr-3\n');
  const patched = await own.run(['addresses', 'patch', 'plant-cba', '--name', 'Plant']);
  expect(patched.exitCode).toBe(0);
  const args = ['--title', 'T', '--group', 'delivery=delivery,address=plant-cba', '--dry-run'];
  const dry = await own.run(['requisition', 'create', ...args, '--new-item', 'name=N,quantity=1']);
  expect(JSON.parse(dry.stdout).body.groups[0].addressId).toBe('adr-3');
  const group = ['requisition', 'group', 'add', 'req-1', '--address', 'plant-cba', '--dry-run'];
  expect(JSON.parse((await own.run(group)).stdout).body).toEqual({ addressId: 'adr-3' });
  expect((await known(own))[0]).toMatchObject({ id: 'adr-3', alias: 'plant-cba' });
  expect((await own.run(['addresses', 'alias', 'plant-cba', '--remove'])).exitCode).toBe(0);
  expect((await own.run(['addresses', 'get', 'plant-cba'])).exitCode).toBe(5);
});

it('deleting an address by its alias removes both', async () => {
  const own = await world();
  await own.run(['addresses', 'alias', 'adr-19', 'old']);
  const gone = await own.run(['addresses', 'delete', 'old', '--yes']);
  expect(gone.exitCode).toBe(0);
  expect(await known(own)).toEqual([]);
});

it('an alias belongs to the organization for which it was set', async () => {
  const own = await world();
  await own.run(['addresses', 'alias', 'adr-4', 'depot']);
  const other = { ...sandbox.target, PROC_BASE_URL: 'http://127.0.0.1:9/api/v1' };
  expect(JSON.parse((await own.run(['addresses', 'known'], { env: other })).stdout)).toEqual([]);
});

it.each([
  [['adr-none', 'x'], 5, 'not found'],
  [['adr-1', '1x'], 2, 'is not a valid alias'],
  [['adr-1', '--', '-x'], 2, 'is not a valid alias'],
  [['adr-1'], 2, '<alias> is missing'],
  [['nobody', '--remove'], 2, 'there is no alias "nobody"'],
])('addresses alias %j exits %i', async (args, code, message) => {
  const ran = await (await world()).run(['addresses', 'alias', ...args]);
  expect(ran.exitCode).toBe(code);
  expect(errorOf(ran).message).toContain(message);
});

it('refuses an alias that already names something else', async () => {
  const own = await world();
  await own.run(['addresses', 'alias', 'adr-1', 'plant']);
  const taken = await own.run(['addresses', 'alias', 'adr-2', 'plant']);
  expect(taken.exitCode).toBe(2);
  expect(errorOf(taken)).toMatchObject({
    hint: 'Remove it first: proc addresses alias plant --remove',
  });
  const itself = await own.run(['addresses', 'alias', 'adr-2', 'adr-1']);
  expect(errorOf(itself).message).toContain('is already the id of an address');
});

it('an unwritable state folder does not fail a read', async () => {
  const own = await world();
  const file = await own.file('not-a-folder', '');
  const ran = await own.run(['addresses', 'get', 'adr-1'], { env: { PROC_STATE_DIR: file } });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
});
