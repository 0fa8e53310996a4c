import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
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

const busy = (message: string, details: object, hint: string) =>
  expect.objectContaining({ code: 'busy', message, details, hint });

const LIST = 'List all runs: proc imports list';

it('one process at a time imports at a place; its run and process are named', async () => {
  const place = await placeOf();
  const lock = await lockImport(place, waiting());
  const what = 'import of items into 127.0.0.1:4000 is running';
  const hint = `Wait until it ends, or add --wait-lock 5m. ${LIST}`;
  const unnamed = { run: null, pid: 4_711 };
  await expect(lockImport(place, waiting())).rejects.toEqual(
    busy(`another ${what} (process 4711)`, unnamed, hint),
  );
  await lock.tell('r1');
  const named = { run: 'r1', pid: 4_711 };
  await expect(lockImport(place, waiting({ run: 'r2' }))).rejects.toEqual(
    busy(`another ${what} (run r1, process 4711)`, named, hint),
  );
  await expect(lockImport(place, waiting({ run: 'r1' }))).rejects.toEqual(
    busy('r1 is already running (process 4711)', named, hint),
  );
  expect(await running(place, 'r1')).toMatchObject({ pid: 4_711, run: 'r1', since: SINCE });
  expect(await running(place, 'r2')).toBeUndefined();
  await lock.release();
  expect(await running(place, 'r1')).toBeUndefined();
  expect(readdirSync(place.folder).filter((name) => name.endsWith('.holder'))).toEqual([]);
  await (await lockImport(place, waiting())).release();
});

it('whose process is not known, it is said without', async () => {
  const place = await placeOf();
  const lock = await lockImport(place, waiting());
  const [holder = ''] = readdirSync(place.folder).filter((name) => name.endsWith('.holder'));
  const unknown = busy(
    'another import of items into 127.0.0.1:4000 is running',
    { run: null, pid: null },
    `Wait until it ends, or add --wait-lock 5m. ${LIST}`,
  );
  // Who works here is nobody else's business.
  expect(statSync(join(place.folder, holder)).mode & 0o777).toBe(0o600);
  for (const text of ['', 'notes', '{}', '{"pid":"4711"}']) {
    writeFileSync(join(place.folder, holder), text);
    await expect(lockImport(place, waiting({ run: 'r' })), text).rejects.toEqual(unknown);
    expect(await running(place, 'r')).toBeUndefined();
  }
  // Where the holder cannot be written down, the lock holds all the same.
  await lock.release();
  expect(existsSync(join(place.folder, holder))).toBe(false);
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
