import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/service/secret.ts';
import { lockImport, processesIn, type Waiting } from '../../src/import/import-lock.ts';
import { LedgerLocks } from '../../src/ledger/ledger-locks.ts';
import { ledgerFolder } from '../../src/ledger/open-ledger.ts';
import { Postgres } from '../../src/ledger/postgres.ts';
import { Ledger } from '../../src/ledger/sql-ledger.ts';
import { atNight } from '../support/at-night.ts';
import { type Cluster, query, startPostgres } from '../support/postgres.ts';
import { freshFolder } from '../support/sandbox.ts';
import { behavesAsPromised } from '../unit/ledger/any-use.ts';

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startPostgres();
  url = await cluster.database();
});
afterAll(() => cluster[Symbol.asyncDispose]());

function connected(): Postgres {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  return new Postgres({
    ...{ name: 'the ledger', host, port: Number(port), database: pathname.slice(1), user },
    ...{ password: new Secret(password), tls: undefined },
  });
}

it('PostgreSQL answers as a plain list would, after any steps of any processes', async () => {
  const sql = connected();
  const fresh = async () => {
    await sql.all('TRUNCATE runs, sent, entries RESTART IDENTITY');
    await sql.run('UPDATE intents SET last = 0');
    return sql;
  };
  await behavesAsPromised(fresh, atNight ? 200 : 6);
});

it('only one transaction at a time is open, and one that fails changes nothing', async () => {
  const [a, b] = [connected(), connected()];
  const last = () => new Ledger(a).lastIntent();
  const before = await last();
  const raise = (by: Postgres) =>
    by.transaction(async (sql) => {
      const [found] = await sql.all('SELECT last FROM intents');
      await new Promise((resolve) => setTimeout(resolve, 5));
      return sql.run('UPDATE intents SET last = ?', Number(found!.last) + 1);
    });
  expect(await Promise.all([a, b, a, b, a].map(raise))).toEqual([1, 1, 1, 1, 1]);
  expect(await last()).toBe(before + 5);
  const failing = a.transaction(async (sql) => {
    await sql.run('UPDATE intents SET last = 99');
    throw new ProcError('phase_changed', 'stop');
  });
  await expect(failing).rejects.toMatchObject({ code: 'phase_changed' });
  expect(await last()).toBe(before + 5);
  // An error of SQL, too, ends the transaction, and is no matter of the connection.
  await expect(b.transaction((sql) => sql.run('UPDATE intents SET'))).rejects.toThrow(/syntax/);
  expect(await last()).toBe(before + 5);
});

type Said = Parameters<NonNullable<Waiting['takingOver']>['say']>[0];

const PLACE = { service: 'http://a.example', organization: 'acme', noun: 'items' };

describe('the lock of a place', () => {
  const elsewhere = [
    { ...PLACE, service: 'http://b.example' },
    { ...PLACE, organization: 'globex' },
    { ...PLACE, organization: undefined },
    { ...PLACE, noun: 'imputations' },
  ];
  const expire = () => query(url, 'UPDATE locks SET expires = 0');

  it('has one holder, until it is released or expires', async () => {
    const locks = new LedgerLocks(connected());
    expect(await locks.notes()).toEqual([]);
    expect(await locks.acquire(PLACE, 'a', { pid: 1 })).toEqual({ wasLost: false });
    const taken = { note: { pid: 1 }, expiresInMs: expect.any(Number) };
    const refused = await locks.acquire(PLACE, 'b', { pid: 2 });
    expect(refused).toEqual(taken);
    expect((refused as { expiresInMs: number }).expiresInMs).toBeGreaterThan(20_000);
    for (const place of elsewhere) {
      expect(await locks.acquire(place, 'b', { pid: 2 })).toEqual({ wasLost: false });
      await locks.release(place, 'b');
    }
    expect(await locks.tell(PLACE, 'a', { pid: 1, run: 'r' })).toBe(true);
    expect(await locks.tell(PLACE, 'b', { pid: 2 })).toBe(false);
    expect(await locks.notes()).toEqual([{ pid: 1, run: 'r' }]);
    await locks.release(PLACE, 'b');
    expect(await locks.acquire(PLACE, 'b', {})).toMatchObject({ note: { pid: 1, run: 'r' } });
    await expire();
    expect(await locks.notes()).toEqual([]);
    expect(await locks.renew(PLACE, 'b')).toBe(false);
    expect(await locks.renew(PLACE, 'a')).toBe(true);
    expect(await locks.notes()).toHaveLength(1);
    await locks.release(PLACE, 'a');
    expect(await locks.notes()).toEqual([]);
    expect(await locks.renew(PLACE, 'a')).toBe(false);
    expect(await locks.acquire(PLACE, 'b', {})).toEqual({ wasLost: false });
    await locks.release(PLACE, 'b');
  });

  it('is what an import of any machine takes, and waits for', async () => {
    const home = await freshFolder();
    const env = { PROC_CONFIG_DIR: home, PROC_STATE_DIR: home, HOME: home, PROC_LEDGER: url };
    const self = { flags: {}, cwd: home, env: { ...env, PROC_BASE_URL: 'https://a.example' } };
    const folder = join(ledgerFolder(self as never), 'imports');
    const what = { folder, noun: 'items', baseUrl: 'https://a.example', organization: 'acme' };
    const slept: number[] = [];
    let onSleep = async (): Promise<unknown> => undefined;
    const said: Said[] = [];
    const clock = {
      time: 0,
      now: () => clock.time,
      monotonic: () => clock.time,
      async sleep(ms: number) {
        slept.push(ms);
        clock.time += ms;
        await onSleep();
      },
    };
    const { signal } = new AbortController();
    const lock = (more: Partial<Waiting> = {}) =>
      lockImport(what, { clock: clock as never, pid: 7, signal, ...more });
    const first = await lock();
    await first.tell('r1');
    const runs = await processesIn(folder);
    expect(runs({ ...what, run: 'r1' })).toMatchObject({ pid: 7, run: 'r1', host: hostname() });
    expect(runs({ ...what, run: 'r2' })).toBeUndefined();
    const refused = {
      code: 'import_busy',
      message: `another import of items into a.example is running (run r1, process 7 on ${hostname()})`,
    };
    await expect(lock({ waitMs: 12_000 })).rejects.toMatchObject(refused);
    expect(slept).toEqual([5_000, 5_000, 5_000]);
    onSleep = () => first.release();
    const second = await lock({ waitMs: 1 });
    // Suspended, until another process took over: nothing is sent.
    await expire();
    const discarding = await lock();
    await expect(second.tell('r2')).rejects.toMatchObject({
      code: 'import_busy',
      message: expect.stringContaining('another process has taken over the import of items'),
      hint: 'Wait until it ends, then try again. List all runs: proc imports list',
    });
    await second.release();
    // Who sends nothing does not wait for the last requests of the process that is gone; the next one does.
    await discarding.release();
    slept.length = 0;
    onSleep = async () => undefined;
    const takingOver = { settleMs: 1_500, say: (one: Said) => void said.push(one) };
    const taken = await lock({ takingOver });
    expect([slept, said]).toEqual([
      [6_500],
      [
        {
          kind: 'notice',
          text: {
            en: 'the last import of items did not release its lock: waiting 7 s for its last requests',
            es: 'la última importación de artículos no terminó bien: esperando 7 s a sus últimas peticiones',
          },
        },
      ],
    ]);
    await taken.release();
    const after = await lock({ takingOver });
    expect(slept).toEqual([6_500]);
    // Interrupted while it waits: it stays lost for the next one.
    await expire();
    onSleep = () => Promise.reject(new Error('ctrl-c'));
    await expect(lock({ takingOver })).rejects.toThrow('ctrl-c');
    onSleep = async () => undefined;
    await (await lock({ takingOver })).release();
    expect(slept).toEqual([6_500, 6_500, 6_500]);
    await after.release();
  });

  it('that was lost stays lost until somebody has waited for it', async () => {
    const locks = new LedgerLocks(connected());
    await locks.acquire(PLACE, 'a', {});
    await expire();
    expect(await locks.acquire(PLACE, 'b', {})).toEqual({ wasLost: true });
    expect(await locks.tell(PLACE, 'a', {})).toBe(false);
    await locks.pass(PLACE, 'a');
    expect(await locks.renew(PLACE, 'b')).toBe(true);
    await locks.pass(PLACE, 'b');
    expect(await locks.renew(PLACE, 'b')).toBe(false);
    expect(await locks.notes()).toEqual([]);
    expect(await locks.acquire(PLACE, 'c', {})).toEqual({ wasLost: true });
    await locks.release(PLACE, 'c');
    expect(await locks.acquire(PLACE, 'd', {})).toEqual({ wasLost: false });
    await locks.release(PLACE, 'd');
  });

  it('that was lost and is taken over opens the runs that were being written there', async () => {
    const sql = connected();
    const [ledger, locks] = [new Ledger(sql), new LedgerLocks(sql)];
    const adding = (place: typeof PLACE | (typeof elsewhere)[number], name: string) =>
      ledger.add({ ...place, name, phase: 'begun', header: {} });
    const written = await adding(PLACE, 'written');
    const ended = await adding(PLACE, 'ended');
    await ledger.note(ended, { counts: {} });
    const others = await Promise.all(elsewhere.map((place, at) => adding(place, `other-${at}`)));
    await locks.acquire(PLACE, 'a', {});
    expect(await ledger.holds(written)).toBe(true);
    await expire();
    await locks.acquire(PLACE, 'b', {});
    expect(await ledger.holds(written)).toBe(false);
    for (const run of [ended, ...others]) expect(await ledger.holds(run)).toBe(true);
    await locks.release(PLACE, 'b');
    // Without an organization, there is a place too.
    const nobody = { ...PLACE, organization: undefined };
    await locks.acquire(nobody, 'a', {});
    await expire();
    await locks.acquire(nobody, 'b', {});
    const [, , orphan] = others;
    expect(await ledger.holds(orphan!)).toBe(false);
    await locks.release(nobody, 'b');
  });

  it.each([
    ['synchronous_commit', 'synchronous_commit=off'],
    ['timeline', 'was on the timeline old, and is on'],
  ])('is refused if commits may be lost: %s', async (what, said) => {
    const locks = new LedgerLocks(connected());
    const { timeline } = await locks.durability();
    const name = new URL(url).pathname.slice(1);
    if (what === 'timeline') await locks.accept('old');
    else await query(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const fresh = new LedgerLocks(connected());
    const refused = { code: 'ledger_unsafe', message: expect.stringContaining(said) };
    await expect(fresh.acquire(PLACE, 'a', {})).rejects.toMatchObject(refused);
    expect(await fresh.durability()).toEqual({
      unsafe: what === 'timeline' ? [] : ['synchronous_commit=off'],
      ...{ timeline, known: what === 'timeline' ? 'old' : timeline },
    });
    await locks.accept(timeline);
    await query(url, `ALTER DATABASE ${name} RESET synchronous_commit`);
    expect(await new LedgerLocks(connected()).acquire(PLACE, 'a', {})).toEqual({ wasLost: false });
    await locks.release(PLACE, 'a');
  });
});
