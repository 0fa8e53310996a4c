import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresPlace } from '../../src/config/addresses.ts';
import { ProcError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { LedgerLocks } from '../../src/ledger/ledger-locks.ts';
import { Postgres } from '../../src/ledger/postgres.ts';
import { POSTGRES_VERSION } from '../../src/ledger/run-tables.ts';
import { makeAuthority } from '../support/certificates.ts';
import { type Cluster, query, startPostgres } from '../support/postgres.ts';

let cluster: Cluster;
let url: string;
/** The certificate of the authority that signed the server's, and of another one. */
let certificates: readonly string[];
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proc-authority-'));
  const [own, other] = [await makeAuthority(folder), await makeAuthority(folder, 'other')];
  certificates = [own.caFile, other.caFile];
  cluster = await startPostgres(await own.issue({ name: 'db', hosts: ['IP:127.0.0.1'] }));
  url = await cluster.database();
});
afterAll(() => cluster[Symbol.asyncDispose]());

function connected(more: Partial<PostgresPlace> = {}): Postgres {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  return new Postgres(
    {
      ...{ name: 'the ledger', host, port: Number(port), database: pathname.slice(1), user },
      ...{ password: new Secret(password), tls: undefined, ...more },
    },
    { timeoutMs: 20_000 },
  );
}

const inDatabase = (of: string) => ({ database: new URL(of).pathname.slice(1) });

it('only one transaction at a time is open, and one that fails changes nothing', async () => {
  const [a, b] = [connected(), connected()];
  const last = async () => Number((await a.all('SELECT last FROM intents'))[0]!.last);
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
    throw new ProcError('bug', 'stop');
  });
  await expect(failing).rejects.toMatchObject({ code: 'bug' });
  expect(await last()).toBe(before + 5);
  // An error of SQL, too, ends the transaction, and is no matter of the connection.
  await expect(b.transaction((sql) => sql.run('UPDATE intents SET'))).rejects.toThrow(/syntax/);
  expect(await last()).toBe(before + 5);
});

describe('a database', () => {
  it.each<[what: string, place: Partial<PostgresPlace>]>([
    ['with another password', { password: new Secret('x') }],
    ['without a password', { password: undefined }],
    ['that is not there', { database: 'nowhere' }],
    ['where the user may make no tables', { user: 'reader', password: new Secret('x') }],
  ])('%s is refused with exit 3, each time', async (what, place) => {
    if (what.includes('tables')) await query(url, "CREATE ROLE reader LOGIN PASSWORD 'x'");
    const sql = connected({ ...inDatabase(await cluster.database()), ...place });
    const refused = { code: 'ledger_refused', exitCode: 3 };
    await expect(sql.all('SELECT 1')).rejects.toMatchObject(refused);
    await expect(sql.transaction(async () => 1)).rejects.toMatchObject(refused);
  });

  it('that can be reached later is used then', async () => {
    const name = 'made_later';
    const sql = connected({ database: name });
    await expect(sql.run('SELECT 1')).rejects.toMatchObject({ code: 'ledger_refused' });
    await query(url, `CREATE DATABASE ${name}`);
    expect(await sql.all('SELECT last FROM intents')).toEqual([{ last: 0 }]);
    sql.close();
    expect(await sql.run('UPDATE intents SET last = 1')).toBe(1);
  });

  it('gets its tables once, from whoever comes first', async () => {
    const place = inDatabase(await cluster.database());
    const all = [1, 2, 3, 4].map(() => connected(place));
    await Promise.all(all.map((sql) => sql.all('SELECT 1 AS one')));
    const [sql] = all;
    expect(await sql!.all('SELECT version FROM proc_ledger')).toEqual([
      { version: POSTGRES_VERSION },
    ]);
    expect(await sql!.all('SELECT last FROM intents')).toEqual([{ last: 0 }]);
    const [{ salt } = {}] = await sql!.all('SELECT salt FROM ledger');
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
  });

  it('with other tables is refused', async () => {
    const own = await cluster.database();
    await query(own, `CREATE TABLE proc_ledger AS SELECT ${POSTGRES_VERSION - 1} AS version`);
    await expect(connected(inDatabase(own)).all('SELECT 1')).rejects.toMatchObject({
      code: 'config_unreadable',
    });
    expect(await query(own, "SELECT to_regclass('runs') AS runs")).toEqual([{ runs: null }]);
  });

  it('is verified by its certificate', async () => {
    const at = (rootCertificate: string | undefined) =>
      connected({ tls: { rootCertificate } }).all('SELECT 1 AS one');
    const [own, other] = certificates;
    expect(await at(own)).toEqual([{ one: 1 }]);
    for (const root of [other, undefined]) {
      const refused = { code: 'ledger_refused', message: expect.stringMatching(/certificate/) };
      await expect(at(root)).rejects.toMatchObject(refused);
    }
  });

  it('keeps texts and numbers as they are, except the character 0', async () => {
    const sql = connected();
    const text = "a'b\\c?ñ\0d";
    const seen = 'SELECT CAST(? AS TEXT) AS text, CAST(? AS BIGINT) AS n, CAST(? AS TEXT) AS none';
    for (const n of [0, -1, Number.MAX_SAFE_INTEGER]) {
      const [row] = await sql.all(seen, text, n, null);
      expect(row).toEqual({ text: text.replace('\0', '\u{fffd}'), n, none: null });
    }
    // A mistake of proc in a statement is no matter of the connection, but tables that are gone are.
    await expect(sql.all('SELECT nothing')).rejects.toMatchObject({ code: '42703' });
    await expect(sql.run('SELECT FROM WHERE')).rejects.toMatchObject({ code: '42601' });
    const gone = { code: 'ledger_unreachable' };
    await expect(sql.all('SELECT 1 FROM nowhere')).rejects.toMatchObject(gone);
    for (const bug of [new TypeError('x'), new RangeError('x')])
      await expect(sql.transaction(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});

const PLACE = { place: 'http://a.example acme', noun: 'items' };

describe('the lock of a place', () => {
  const elsewhere = [
    { ...PLACE, place: 'http://b.example acme' },
    { ...PLACE, place: 'http://a.example globex' },
    { ...PLACE, noun: 'imputations' },
  ];
  const expire = () => query(url, 'UPDATE locks SET expires = 0');

  const isDead = () => false;
  const acquire = (locks: LedgerLocks, holder: string, note: object = {}, place = PLACE) =>
    locks.acquire(place, holder, note, isDead);

  it('has one holder, until it is released, expires or is dead', async () => {
    const sql = connected();
    const locks = new LedgerLocks(sql);
    const isHeld = (holder: string) =>
      sql.transaction((within) => locks.isHeld(within, PLACE, holder));
    expect(await locks.holder(PLACE)).toBeUndefined();
    expect(await acquire(locks, 'a', { pid: 1 })).toBeUndefined();
    const refused = await acquire(locks, 'b', { pid: 2 });
    expect(refused).toMatchObject({ note: { pid: 1 } });
    expect(refused!.expiresInMs).toBeGreaterThan(20_000);
    for (const place of elsewhere) {
      expect(await acquire(locks, 'b', { pid: 2 }, place)).toBeUndefined();
      await locks.release(place, 'b');
    }
    await locks.renew(PLACE, 'a', { pid: 1, run: 'r' });
    await locks.renew(PLACE, 'b', { pid: 2 });
    expect(await locks.holder(PLACE)).toMatchObject({ note: { pid: 1, run: 'r' } });
    await locks.release(PLACE, 'b');
    expect([await isHeld('a'), await isHeld('b')]).toEqual([true, false]);
    await expire();
    expect((await locks.holder(PLACE))!.expiresInMs).toBeLessThan(0);
    await locks.renew(PLACE, 'b', { pid: 2 });
    expect((await locks.holder(PLACE))!.expiresInMs).toBeLessThan(0);
    await locks.renew(PLACE, 'a', { pid: 1 });
    expect(await acquire(locks, 'b')).toMatchObject({ note: { pid: 1 } });
    await expire();
    expect(await acquire(locks, 'b')).toBeUndefined();
    expect([await isHeld('a'), await isHeld('b')]).toEqual([false, true]);
    expect(await locks.acquire(PLACE, 'c', {}, () => true)).toBeUndefined();
    await locks.release(PLACE, 'c');
    expect(await locks.holder(PLACE)).toBeUndefined();
  });

  it.each([
    ['synchronous_commit', 'synchronous_commit=off'],
    ['fsync', 'fsync=off'],
    ['timeline', 'was on the timeline old, and is on'],
  ])('is refused if commits may be lost: %s', async (what, said) => {
    const locks = new LedgerLocks(connected());
    const { timeline } = await locks.durability();
    const name = new URL(url).pathname.slice(1);
    const setFsync = async (value: string) => {
      await query(url, `ALTER SYSTEM SET fsync = ${value}`);
      await query(url, 'SELECT pg_reload_conf()');
      for (let now = ''; now !== value; )
        now = String((await query(url, "SELECT current_setting('fsync') AS now"))[0]!.now);
    };
    if (what === 'timeline') await query(url, "UPDATE proc_ledger SET timeline = 'old'");
    else if (what === 'fsync') await setFsync('off');
    else await query(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const fresh = new LedgerLocks(connected());
    const code = what === 'timeline' ? 'ledger_changed' : 'ledger_refused';
    const refused = { code, message: expect.stringContaining(said) };
    await expect(acquire(fresh, 'a')).rejects.toMatchObject(refused);
    expect(await fresh.durability()).toEqual({
      unsafe: what === 'timeline' ? [] : [said],
      ...{ timeline, known: what === 'timeline' ? 'old' : timeline },
    });
    await query(url, `UPDATE proc_ledger SET timeline = '${timeline}'`);
    await query(url, `ALTER DATABASE ${name} RESET synchronous_commit`);
    await setFsync('on');
    expect(await acquire(new LedgerLocks(connected()), 'a')).toBeUndefined();
    await locks.release(PLACE, 'a');
  });
});
