import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Scope } from '../../../src/core/service.ts';
import type { Intent } from '../../../src/history/entry.ts';
import { History } from '../../../src/history/history.ts';
import { openLedgerAt } from '../../../src/ledger/open-ledger.ts';
import { freshFolder } from '../../support/sandbox.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY_MS = 24 * 3_600_000;

const BOLT: Intent = {
  what: 'create item "Bolt"',
  noun: 'items',
  endpoint: 'items.create',
  method: 'POST',
  path: '/items/',
  payload: { name: 'Bolt', code: 'B-1' },
  profile: 'acme',
  environment: 'staging',
  baseUrl: 'http://127.0.0.1:4010/api/v1',
  writer: { actor: 'script', user: 'ana', host: 'h', job: undefined, version: '1.0.0' },
};

const SCOPE = new Scope({ baseUrl: BOLT.baseUrl, organization: 'acme' });

async function fresh(): Promise<{ history: History }> {
  const folder = await freshFolder();
  const ledger = openLedgerAt(join(folder, 'state', 'ledger.db'));
  onTestFinished(() => ledger.close());
  return { history: new History(ledger) };
}

async function recorded(
  history: History,
  intent: Intent,
  state: 'done' | 'unknown',
  at = NOW,
): Promise<string> {
  const { id } = (await history.begin(SCOPE, intent, { now: at, refusesRepeats: false })) as {
    id: string;
  };
  await history.finish(id, { state, created: state === 'done' ? 'itm-1' : undefined }, at + 5);
  return id;
}

it('keeps a complete entry', async () => {
  const { history } = await fresh();
  const { id } = (await history.begin(
    SCOPE,
    { ...BOLT, before: { id: 'x' } },
    { now: NOW, refusesRepeats: true },
  )) as { id: string };
  expect(id).toMatch(/^h-[2-9a-z]{6}$/);
  await history.finish(
    id,
    { state: 'done', created: 'itm-7', status: 201, response: { id: 'itm-7' }, requestId: 'r-1' },
    NOW + 9,
  );
  expect(await history.get(id)).toEqual({
    ...BOLT,
    ...{ organization: 'acme', place: 'http://127.0.0.1:4010/api/v1 acme', once: undefined },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    id,
    at: NOW,
    before: { id: 'x' },
    state: 'done',
    created: 'itm-7',
    response: { id: 'itm-7' },
    status: 201,
    message: undefined,
    requestId: 'r-1',
    endedAt: NOW + 9,
    resolvedAt: undefined,
  });
});

it('the outcome from the service replaces the one that a person recorded', async () => {
  const { history } = await fresh();
  const { id } = (await history.begin(SCOPE, BOLT, { now: NOW, refusesRepeats: true })) as {
    id: string;
  };
  await history.resolve({ id, at: NOW }, undefined, NOW + 1);
  expect(await history.get(id)).toMatchObject({ state: 'not-applied', resolvedAt: NOW + 1 });
  await history.finish(id, { state: 'done', created: 'itm-7', status: 201 }, NOW + 2);
  expect(await history.get(id)).toMatchObject({ state: 'done', resolvedAt: undefined });
});

it('returns the earlier write if a create would repeat it', async () => {
  const { history } = await fresh();
  const id = await recorded(history, BOLT, 'done');
  const again = { ...BOLT, payload: { code: 'B-1', name: 'Bolt' } };
  expect(
    await history.begin(SCOPE, again, { now: NOW + 1000, refusesRepeats: true }),
  ).toMatchObject({ repeats: { name: id, isOpen: false, created: 'itm-1' } });
  expect(
    await history.begin(SCOPE, again, { now: NOW + DAY_MS + 1, refusesRepeats: true }),
  ).toHaveProperty('id');
});

it('refuses to repeat a write with an unknown outcome, however old it is', async () => {
  const { history } = await fresh();
  const id = await recorded(history, BOLT, 'unknown');
  const later = NOW + 400 * 86_400_000;
  expect(await history.begin(SCOPE, BOLT, { now: later, refusesRepeats: true })).toMatchObject({
    repeats: { name: id, isOpen: true },
  });
  await history.resolve({ id, at: NOW }, undefined, later);
  expect(await history.begin(SCOPE, BOLT, { now: later, refusesRepeats: true })).toHaveProperty(
    'id',
  );
});

it.each([
  ['another body', { payload: { name: 'Nut' } }],
  ['another path', { endpoint: 'items.other', path: '/requisitions/1/groups' }],
] as const)('%s is no repeat', async (_, change) => {
  const { history } = await fresh();
  await recorded(history, BOLT, 'unknown');
  expect(
    await history.begin(SCOPE, { ...BOLT, ...change }, { now: NOW, refusesRepeats: true }),
  ).toHaveProperty('id');
});

it.each([
  ['another service', { baseUrl: 'https://proc.example/api/v1', organization: 'acme' }],
  ['another organization', { baseUrl: BOLT.baseUrl, organization: 'globex' }],
])('the same write for %s is no repeat', async (_, origin) => {
  const { history } = await fresh();
  const id = await recorded(history, BOLT, 'done');
  const scope = new Scope(origin);
  expect(await history.begin(scope, BOLT, { now: NOW, refusesRepeats: true })).toHaveProperty('id');
  expect(await history.creatorOf(scope, 'items', 'itm-1')).toBeUndefined();
  expect(await history.creatorOf(SCOPE, 'items', 'itm-1')).toMatchObject({ id });
});

it('treats all names of this machine as one service', async () => {
  const { history } = await fresh();
  await recorded(history, BOLT, 'done');
  const local = { ...BOLT, baseUrl: 'http://localhost:4010/api/v1' };
  const scope = new Scope({ baseUrl: local.baseUrl, organization: 'acme' });
  expect(await history.begin(scope, local, { now: NOW, refusesRepeats: true })).toHaveProperty(
    'repeats',
  );
});

it('does not replace the outcome that a person recorded by "unknown"', async () => {
  const { history } = await fresh();
  const id = await recorded(history, BOLT, 'unknown');
  await history.resolve({ id, at: NOW }, undefined, NOW + 1);
  await history.finish(id, { state: 'unknown' }, NOW + 2);
  expect((await history.get(id))?.state).toBe('not-applied');
});

it('filters entries', async () => {
  const { history } = await fresh();
  await recorded(history, BOLT, 'done', NOW - 1000);
  const other = { ...BOLT, noun: 'requisitions', profile: 'globex', environment: 'local' };
  const id = await recorded(history, other, 'unknown', NOW);
  for (const filter of [
    { noun: 'requisitions' },
    { scope: SCOPE, noun: 'requisitions' },
    { since: NOW },
    { state: 'unknown' },
    { profile: 'globex' },
    { environment: 'local', limit: 1 },
    { limit: 1 },
  ] as const) {
    expect((await history.entries(filter)).map((entry) => entry.id)).toEqual([id]);
  }
});

it('a write whose request was turned away begins again when it is sent again', async () => {
  const { history } = await fresh();
  const begun = { now: NOW, refusesRepeats: false };
  const { id } = (await history.begin(SCOPE, BOLT, begun)) as { id: string };
  await history.begin(SCOPE, BOLT, { ...begun, now: NOW + 60_000, renews: id });
  expect(await history.get(id)).toMatchObject({ at: NOW + 60_000, state: 'unknown' });
});

it.each([undefined, 'itm-9'])('a write that a person resolved is not retried', async (adopted) => {
  const { history } = await fresh();
  const begun = { now: NOW, refusesRepeats: false };
  const { id } = (await history.begin(SCOPE, BOLT, begun)) as { id: string };
  await history.resolve({ id, at: NOW }, adopted, NOW + 1);
  expect(await history.begin(SCOPE, BOLT, { ...begun, now: NOW + 2, renews: id })).toMatchObject({
    repeats: { name: id, isOpen: false, created: adopted },
  });
});

it('a person resolves neither a write whose answer has arrived nor one that was sent again', async () => {
  const { history } = await fresh();
  const done = await recorded(history, BOLT, 'done');
  await history.resolve({ id: done, at: NOW }, undefined, NOW + 9);
  expect(await history.get(done)).toMatchObject({ state: 'done', created: 'itm-1' });
  const begun = { now: NOW, refusesRepeats: false };
  const { id } = (await history.begin(SCOPE, BOLT, begun)) as { id: string };
  await history.begin(SCOPE, BOLT, { ...begun, now: NOW + 5, renews: id });
  await history.resolve({ id, at: NOW }, undefined, NOW + 9);
  expect(await history.get(id)).toMatchObject({ state: 'unknown', resolvedAt: undefined });
});
