import { expect, it } from 'vitest';
import { listed, parsed } from '../support/history.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const CREATE = ['items', 'create', '--name', 'Bolt'];
/** No read shows whether it was done: the service does not return the name of an address. */
const PATCH = ['addresses', 'patch', 'adr-1', '--name', 'Other'];

/** The sandbox applies every write, but cuts off its response. */
async function cutOff() {
  const writes: string[] = [];
  const { baseUrl } = await startTestSandbox({
    faults: 'reset-after=100%',
    onRequest: ({ method, path }) => method !== 'GET' && writes.push(path),
  });
  return { world: await freshWorld({ PROC_BASE_URL: baseUrl }), writes };
}

it.each([
  [CREATE, 'POST', '/items/', 'ID', 'new-1'],
  [PATCH, 'PATCH', '/addresses/adr-1', 'adr-1', 'adr-1'],
])('%j, cut off, is resolved by the commands of its hint', async (...given) => {
  const [argv, method, path, adopt, named] = given;
  const { world } = await cutOff();
  const ran = await world.run(argv);
  expect(ran).toMatchObject({ exitCode: 9, stdout: '' });
  const [entry, ...more] = await listed(world, '--open');
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ method, path, state: 'unknown' });
  const { id } = entry!;
  expect(errorOf(ran)).toMatchObject({
    code: 'outcome_unknown',
    details: { historyId: id },
    hint: `Check the service. If the write was applied, run: proc history resolve ${id} --adopt ${adopt}; if not, run: proc history resolve ${id} --drop`,
  });
  const resolved = await world.run(['history', 'resolve', id, '--adopt', named]);
  expect(parsed(resolved)).toMatchObject({ id, state: 'adopted', created: named });
  const back = await world.run(['history', 'resolve', id, '--drop']);
  expect(parsed(back)).toMatchObject({ id, state: 'not-applied', created: null });
});

it('a create is refused while unknown and after adopting, and sent after "not applied" or with --again', async () => {
  const { world, writes } = await cutOff();
  await world.run(CREATE);
  const [entry] = await listed(world);
  const { id } = entry!;
  const refused = errorOf(await world.run(CREATE));
  expect(refused).toMatchObject({ code: 'repeated_write', exitCode: 2 });
  expect(refused.message).toContain(`sent at ${entry!.at}`);
  expect(refused.message).toContain(`its outcome is unknown (${id})`);
  expect(refused.hint).toContain(`proc history resolve ${id} --drop`);
  await world.run(['history', 'resolve', id, '--adopt', 'new-1']);
  expect(errorOf(await world.run(CREATE)).message).toContain(`created new-1 (${id})`);
  expect(writes).toHaveLength(1);
  await world.run(['history', 'resolve', id, '--drop']);
  for (const argv of [CREATE, [...CREATE, '--again']])
    expect(await world.run(argv)).toMatchObject({ exitCode: 9 });
  expect(writes).toHaveLength(3);
  expect(await listed(world, '--open')).toHaveLength(2);
});

it.each([
  ['an id that the entry is not about', ['--adopt', 'sec-2'], /is about adr-1/],
  ['both answers', ['--adopt', 'sec-1', '--drop'], /not both/],
  ['no id', ['--adopt', ' '], /--adopt.*empty/],
  ['no answer where nobody can be asked', [], /must be given/],
])('resolve refuses %s', async (_, flags, message) => {
  const { world } = await cutOff();
  await world.run(PATCH);
  const [entry] = await listed(world);
  const ran = await world.run(['history', 'resolve', entry!.id, ...flags]);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).message).toMatch(message);
  expect(await listed(world, '--open')).toHaveLength(1);
});

it('resolve refuses an entry with a known outcome', async () => {
  const world = await freshWorld();
  const sandbox = await startTestSandbox();
  const env = { PROC_BASE_URL: sandbox.baseUrl };
  parsed(await world.run(['items', 'create', '--name', 'Bolt'], { env }));
  const [entry] = await listed(world);
  const ran = await world.run(['history', 'resolve', entry!.id, '--drop']);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran).message).toContain(`the outcome of ${entry!.id} is known: done`);
  const missing = await world.run(['history', 'resolve', 'h-nosuch', '--drop']);
  expect(missing.exitCode).toBe(2);
  expect(errorOf(missing).code).toBe('reference_not_found');
});
