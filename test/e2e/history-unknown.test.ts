import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { listed, parsed, shown } from '../support/history.ts';
import { raw } from '../support/raw-http.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Kind {
  readonly name: string;
  readonly argv: (ids: Ids) => string[];
  readonly endpoint: readonly [string, (ids: Ids) => string];
  /** Undefined: the command creates a record. */
  readonly subject?: (ids: Ids) => string;
  /** A read shows whether the write was done. */
  readonly isReadable?: true;
}

interface Ids {
  readonly requisition: string;
  readonly group: string;
  readonly line: string;
  readonly item: string;
}

const BODY = {
  title: 'Parts',
  groups: [{ deliveryMethod: 'pickup', items: [{ quantity: 1, item: { name: 'Bolt' } }] }],
};

const KINDS: readonly Kind[] = [
  {
    name: 'requisition group remove',
    argv: ({ requisition, group }) => ['requisition', 'group', 'remove', requisition, group],
    endpoint: [
      'DELETE',
      ({ requisition, group }) => `/requisitions/${requisition}/groups/${group}`,
    ],
    subject: ({ group }) => group,
  },
  {
    name: 'requisition item remove',
    argv: ({ requisition, group, line }) => [
      'requisition',
      'item',
      'remove',
      requisition,
      group,
      line,
    ],
    endpoint: [
      'DELETE',
      ({ requisition, group, line }) =>
        `/requisitions/${requisition}/groups/${group}/items/${line}`,
    ],
    subject: ({ line }) => line,
    isReadable: true,
  },
  {
    name: 'items create',
    argv: () => ['items', 'create', '--name', 'Bolt'],
    endpoint: ['POST', () => '/items/'],
  },
  {
    name: 'sectors patch',
    argv: () => ['sectors', 'patch', 'sec-1', '--name', 'Other'],
    endpoint: ['PATCH', () => '/sectors/sec-1'],
    subject: () => 'sec-1',
    isReadable: true,
  },
  {
    name: 'sectors delete',
    argv: () => ['sectors', 'delete', 'sec-1', '--yes'],
    endpoint: ['DELETE', () => '/sectors/sec-1'],
    subject: () => 'sec-1',
    isReadable: true,
  },
  {
    name: 'addresses patch',
    argv: () => ['addresses', 'patch', 'adr-1', '--name', 'Other'],
    endpoint: ['PATCH', () => '/addresses/adr-1'],
    subject: () => 'adr-1',
  },
];

/** Creates a requisition. After that, the sandbox applies every write but cuts off its response. */
async function cutOff(): Promise<{ world: World; ids: Ids; requests: string[] }> {
  const requests: string[] = [];
  const world = await freshWorld();
  const db = join(world.folder, 'sandbox.db');
  const sound = await startSandbox({ db });
  const created = await raw(sound.baseUrl, 'POST', '/requisitions/', { body: BODY });
  const { requisitionId } = created.json as { requisitionId: string };
  const added = await raw(sound.baseUrl, 'POST', `/requisitions/${requisitionId}/groups`, {
    body: { name: 'Other' },
  });
  const group = (added.json as { id: string }).id;
  const items = (await raw(sound.baseUrl, 'GET', '/items/')).json as { id: string }[];
  const lines = await raw(
    sound.baseUrl,
    'POST',
    `/requisitions/${requisitionId}/groups/${group}/items`,
    { body: { quantity: 1, itemId: items[0]!.id } },
  );
  await sound.close();
  const sandbox = await startTestSandbox({
    db,
    faults: 'reset-after=100%',
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  await world.file('requisition.json', JSON.stringify(BODY));
  Object.assign(world.env, { PROC_BASE_URL: sandbox.baseUrl });
  const line = (lines.json as { id: string }).id;
  return { world, ids: { requisition: requisitionId, group, line, item: items[0]!.id }, requests };
}

it.each(KINDS.filter(({ isReadable }) => isReadable))(
  '$name, cut off, is done if a read shows it',
  async ({ argv, endpoint: [method, path], subject }) => {
    const { world, ids, requests } = await cutOff();
    const ran = await world.run(argv(ids));
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringMatching(/gone|new values/)]);
    expect(JSON.stringify(JSON.parse(ran.stdout))).toContain(subject!(ids));
    const [entry] = await listed(world);
    expect(entry).toMatchObject({ method, path: path(ids), state: 'done' });
    expect(requests.filter((one) => one.startsWith(method))).toHaveLength(1);
  },
);

describe.each(KINDS.filter(({ isReadable }) => isReadable !== true))(
  '$name, cut off',
  ({ argv, endpoint: [method, path], subject }) => {
    it('exits 9 and is resolved by the commands of its hint', async () => {
      const { world, ids } = await cutOff();
      const ran = await world.run(argv(ids));
      expect(ran.exitCode).toBe(9);
      expect(ran.stdout).toBe('');
      const [entry, ...more] = await listed(world, '--open');
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ method, path: path(ids), state: 'unknown' });
      const { id } = entry!;
      const adopt = subject === undefined ? 'ID' : subject(ids);
      expect(errorOf(ran)).toMatchObject({
        code: 'outcome_unknown',
        details: { historyId: id },
        hint: `Check the service. If the write was applied, run: proc history resolve ${id} --adopt ${adopt}; if not, run: proc history resolve ${id} --drop`,
      });
      const named = subject === undefined ? 'new-1' : subject(ids);
      const resolved = await world.run(['history', 'resolve', id, '--adopt', named]);
      expect(parsed(resolved)).toMatchObject({ id, state: 'adopted', created: named });
      const back = await world.run(['history', 'resolve', id, '--drop']);
      expect(parsed(back)).toMatchObject({ id, state: 'not-applied', created: null });
    });
  },
);

describe.each(KINDS.filter(({ subject }) => subject === undefined))(
  '$name, sent again',
  ({ argv }) => {
    it('is refused while unknown and after adopting, and sent after "not applied"', async () => {
      const { world, ids, requests } = await cutOff();
      await world.run(argv(ids));
      const [entry] = await listed(world);
      const { id } = entry!;

      const again = await world.run(argv(ids));
      expect(again.exitCode).toBe(2);
      const refused = errorOf(again);
      expect(refused.code).toBe('repeated_write');
      expect(refused.message).toContain(`sent at ${entry!.at}`);
      expect(refused.message).toContain(`its outcome is unknown (${id})`);
      expect(refused.hint).toContain(`proc history resolve ${id} --drop`);

      await world.run(['history', 'resolve', id, '--adopt', 'new-1']);
      const adopted = await world.run(argv(ids));
      expect(adopted.exitCode).toBe(2);
      expect(errorOf(adopted).message).toContain(`created new-1 (${id})`);
      expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);

      await world.run(['history', 'resolve', id, '--drop']);
      expect((await world.run(argv(ids))).exitCode).toBe(9);
      expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(2);
    });
  },
);

it('a write with an unknown outcome is sent again with --again', async () => {
  const { world, ids, requests } = await cutOff();
  const argv = ['items', 'create', '--name', 'Bolt'];
  await world.run(argv);
  expect((await world.run([...argv, '--again'])).exitCode).toBe(9);
  expect(requests).toHaveLength(2);
  expect(await listed(world, '--open')).toHaveLength(2);
  expect(ids.item).toMatch(/^itm-/);
});

it('a delete with an unknown outcome keeps the copy of the record', async () => {
  const { world } = await cutOff();
  await world.run(['sectors', 'delete', 'sec-2', '--yes']);
  const [entry] = await listed(world);
  expect(await shown(world, entry!.id)).toMatchObject({
    what: 'delete sector road-bikes "Road Bikes" (sec-2)',
    before: { id: 'sec-2', key: expect.any(String), name: expect.any(String) },
  });
});

it.each([
  ['an id that the entry is not about', ['--adopt', 'sec-2'], /is about adr-1/],
  ['both answers', ['--adopt', 'sec-1', '--drop'], /not both/],
  ['no id', ['--adopt', ' '], /--adopt.*empty/],
  ['no answer where nobody can be asked', [], /must be given/],
])('resolve refuses %s', async (_, flags, message) => {
  const { world } = await cutOff();
  await world.run(['addresses', 'patch', 'adr-1', '--name', 'Other']);
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
