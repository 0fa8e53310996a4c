import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  holderIn,
  type Lockable,
  lockImport,
  type Waiting,
} from '../../../src/import/import-lock.ts';
import { freshFolder } from '../../support/sandbox.ts';

const SINCE = '2026-01-02T03:04:05.000Z';

/** A process that waits: `onSleep` is called with each time that it sleeps. */
function waiting(more: Partial<Waiting> = {}, onSleep: (ms: number) => unknown = () => undefined) {
  const clock = {
    time: Date.parse(SINCE),
    now: () => clock.time,
    monotonic: () => clock.time,
    sleep: async (ms: number) => {
      clock.time += ms;
      await onSleep(ms);
    },
  };
  return { clock, pid: 4_711, signal: new AbortController().signal, ...more } as never as Waiting;
}

async function placeOf(more: Partial<Lockable> = {}): Promise<Lockable> {
  const folder = join(await freshFolder(), 'state', 'imports');
  const place = {
    folder,
    noun: 'items',
    baseUrl: 'http://127.0.0.1:4000/v1',
    organization: 'acme',
  };
  return { ...place, ...more };
}

const running = (place: Lockable, run: string) => holderIn(place.folder, { ...place, run });

it('one process at a time imports at a place; its run and process are named', async () => {
  const place = await placeOf();
  const lock = await lockImport(place, waiting());
  const busy = async (run?: string) => {
    const thrown = await lockImport(place, waiting({ run })).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'busy', hint: expect.stringContaining('--wait-lock') });
    return (thrown as { details: unknown }).details;
  };
  expect(await busy()).toEqual({ run: null, pid: 4_711 });
  await lock.tell('r1');
  for (const run of ['r1', 'r2']) expect(await busy(run)).toEqual({ run: 'r1', pid: 4_711 });
  expect(await running(place, 'r1')).toMatchObject({ pid: 4_711, run: 'r1', since: SINCE });
  expect(await running(place, 'r2')).toBeUndefined();
  const holders = () => readdirSync(place.folder).filter((name) => name.endsWith('.holder'));
  // Who works here is nobody else's business.
  expect(statSync(join(place.folder, holders()[0]!)).mode & 0o777).toBe(0o600);
  await lock.release();
  expect(await running(place, 'r1')).toBeUndefined();
  expect(holders()).toEqual([]);
  await (await lockImport(place, waiting())).release();
});

it.each<[what: string, other: Partial<Lockable>, isSame: boolean]>([
  ['another spelling of the address', { baseUrl: 'http://localhost:4000/v1/' }, true],
  ['another noun', { noun: 'imputations' }, false],
  ['another organization', { organization: 'globex' }, false],
  ['no organization', { organization: undefined }, false],
  ['another address', { baseUrl: 'http://127.0.0.1:4001/v1' }, false],
])('a place is the same with %s, or not', async (_, other, isSame) => {
  const place = await placeOf();
  const lock = await lockImport(place, waiting());
  const second = await lockImport({ ...place, ...other }, waiting()).catch(() => undefined);
  expect(second === undefined).toBe(isSame);
  await second?.release();
  await lock.release();
});

it('a process waits as long as it is asked to, and gets the lock when it is released', async () => {
  const place = await placeOf();
  const lock = await lockImport(place, waiting());
  const slept: number[] = [];
  const patient = waiting({ waitMs: 1_000 }, (ms) => slept.push(ms));
  await expect(lockImport(place, patient)).rejects.toMatchObject({ code: 'busy' });
  expect(slept).toEqual([200, 200, 200, 200, 200]);
  const lucky = waiting({ waitMs: 1_000 }, () => lock.release());
  const got = await lockImport(place, lucky);
  await got.release();
});
