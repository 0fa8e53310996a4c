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

async function fresh() {
  const ledger = openLedgerAt(join(await freshFolder(), 'state', 'ledger.db'));
  onTestFinished(() => ledger.close());
  const history = new History(ledger);
  const begin = (given: object, intent = BOLT) =>
    history.begin(SCOPE, intent, { now: NOW, refusesRepeats: false, ...given });
  return {
    history,
    begin,
    begun: async (intent = BOLT) => ((await begin({}, intent)) as { id: string }).id,
    done: (id: string) => history.finish(id, { state: 'done', created: 'itm-1' }, NOW + 5),
    notApplied: (id: string, at: number) => history.resolve({ id, at: NOW }, undefined, at),
    stateOf: async (id: string) => (await history.get(id))!.state,
  };
}

it('a known outcome of the service replaces the one that a person recorded, an unknown one does not', async () => {
  const { history, begun, done, notApplied, stateOf } = await fresh();
  const id = await begun();
  await notApplied(id, NOW + 1);
  expect(await history.get(id)).toMatchObject({ state: 'not-applied', resolvedAt: NOW + 1 });
  await history.finish(id, { state: 'unknown' }, NOW + 2);
  expect(await stateOf(id)).toBe('not-applied');
  await done(id);
  expect(await history.get(id)).toMatchObject({ state: 'done', resolvedAt: undefined });
});

it('a create that would repeat another one within a day is told of it, whatever the order of its fields', async () => {
  const { begin, begun, done } = await fresh();
  const id = await begun();
  await done(id);
  const again = { ...BOLT, payload: { code: 'B-1', name: 'Bolt' } };
  const repeat = (now: number) => begin({ now, refusesRepeats: true }, again);
  expect(await repeat(NOW + DAY_MS)).toMatchObject({
    repeats: { name: id, isOpen: false, created: 'itm-1' },
  });
  expect(await repeat(NOW + DAY_MS + 1)).toHaveProperty('id');
});

it('the same write of another organization is no repeat', async () => {
  const { history, begun } = await fresh();
  await begun();
  const other = new Scope({ baseUrl: BOLT.baseUrl, organization: 'globex' });
  const begin = history.begin(other, BOLT, { now: NOW, refusesRepeats: true });
  expect(await begin).toHaveProperty('id');
});

it('a write with an unknown outcome is not repeated, however old it is, until a person has decided', async () => {
  const { history, begin, begun, notApplied } = await fresh();
  const id = await begun();
  await history.finish(id, { state: 'unknown' }, NOW + 5);
  const later = { now: NOW + 400 * DAY_MS, refusesRepeats: true };
  expect(await begin(later)).toMatchObject({ repeats: { name: id, isOpen: true } });
  await notApplied(id, later.now);
  expect(await begin(later)).toHaveProperty('id');
});

it('filters entries', async () => {
  const { history, begun, done } = await fresh();
  await done(await begun());
  const other = { noun: 'requisitions', profile: 'globex', environment: 'local' };
  const id = await begun({ ...BOLT, ...other });
  await history.finish(id, { state: 'unknown' }, NOW + 5);
  for (const filter of [
    { scope: SCOPE, noun: 'requisitions', since: NOW },
    { state: 'unknown' },
    { profile: 'globex' },
    { environment: 'local' },
    { limit: 1 },
  ] as const)
    expect((await history.entries(filter)).map((entry) => entry.id)).toEqual([id]);
  expect(await history.entries({ since: NOW + 1 })).toEqual([]);
});

it.each([undefined, 'itm-9'])('a write that a person resolved is not retried', async (adopted) => {
  const { history, begin, begun } = await fresh();
  const id = await begun();
  await history.resolve({ id, at: NOW }, adopted, NOW + 1);
  expect(await begin({ now: NOW + 2, renews: id })).toMatchObject({
    repeats: { name: id, isOpen: false, created: adopted },
  });
});

it('a person resolves neither a write whose answer has arrived nor one that was sent again', async () => {
  const { history, begin, begun, done, notApplied, stateOf } = await fresh();
  const first = await begun();
  await done(first);
  await notApplied(first, NOW + 9);
  expect(await stateOf(first)).toBe('done');
  const id = await begun();
  await begin({ now: NOW + 5, renews: id });
  await notApplied(id, NOW + 9);
  expect(await history.get(id)).toMatchObject({ state: 'unknown', at: NOW + 5 });
});
