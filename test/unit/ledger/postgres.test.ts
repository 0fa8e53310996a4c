import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import type { Message } from '../../../src/core/ports.ts';
import { Secret } from '../../../src/core/service/secret.ts';
import { lockImport, processesIn, type Waiting } from '../../../src/import/import-lock.ts';
import { Run } from '../../../src/import/store/run-file.ts';
import type { RunState } from '../../../src/import/store/run-summary.ts';
import {
  eachRun,
  findElsewhere,
  importsFolder,
  runNames,
  runPath,
} from '../../../src/import/store/runs.ts';
import { noCounts } from '../../../src/import/store/transitions.ts';
import { LedgerLocks, problemOf } from '../../../src/ledger/ledger-locks.ts';
import { ledgerFolder } from '../../../src/ledger/open-ledger.ts';
import { Postgres } from '../../../src/ledger/postgres.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import type { PostgresPlace } from '../../../src/settings/read/ledger-address.ts';
import { atNight } from '../../support/at-night.ts';
import { makeAuthority } from '../../support/certificates.ts';
import { type Cluster, query, startPostgres } from '../../support/postgres.ts';
import { freshFolder } from '../../support/sandbox.ts';
import { behavesAsPromised } from './any-use.ts';

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
  return new Postgres({
    ...{ name: 'the ledger', host, port: Number(port), database: pathname.slice(1), user },
    ...{ password: new Secret(password), tls: undefined, ...more },
  });
}

const inDatabase = (of: string) => ({ database: new URL(of).pathname.slice(1) });

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

describe('a database', () => {
  const check = 'Check that the database runs and can be reached: proc doctor';

  it.each<[what: string, place: Partial<PostgresPlace>, hint: string]>([
    [
      'with another password',
      { password: new Secret('x') },
      'Check the user and the password: PROC_LEDGER, PGPASSWORD or .pgpass',
    ],
    ['that is not there', { database: 'nowhere' }, 'Create the database, or correct PROC_LEDGER'],
    [
      'where the user may make no tables',
      { user: 'reader', password: new Secret('x') },
      'Ask for the rights that docs/team-ledger.md names',
    ],
    ['that nobody serves', { port: 1 }, check],
  ])('%s is named with what to do, each time', async (_, place, hint) => {
    await query(
      url,
      "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'x'; EXCEPTION WHEN duplicate_object THEN END $$",
    );
    const empty = inDatabase(await cluster.database());
    const sql = connected({ ...empty, ...place });
    const message = expect.stringMatching(/^cannot use the ledger the ledger: ./);
    const refused = { code: 'ledger_unreachable', message, hint };
    await expect(sql.all('SELECT 1')).rejects.toMatchObject(refused);
    await expect(sql.transaction(async () => 1)).rejects.toMatchObject(refused);
  });

  it('that can be reached later is used then', async () => {
    const name = 'made_later';
    const sql = connected({ database: name });
    await expect(sql.run('SELECT 1')).rejects.toMatchObject({ code: 'ledger_unreachable' });
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
    expect(await sql!.all('SELECT version FROM proc_ledger')).toEqual([{ version: 5 }]);
    expect(await sql!.all('SELECT last FROM intents')).toEqual([{ last: 0 }]);
    const [{ salt } = {}] = await sql!.all('SELECT salt FROM key_salt');
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    [4, 'an older', 'Set PROC_LEDGER to another database'],
    [6, 'a newer', 'Update proc'],
  ])('of version %d is refused', async (version, age, hint) => {
    const own = await cluster.database();
    await query(own, `CREATE TABLE proc_ledger AS SELECT ${version} AS version`);
    await expect(connected(inDatabase(own)).all('SELECT 1')).rejects.toMatchObject({
      code: 'config_unreadable',
      message: `the ledger the ledger was written by ${age} version of proc`,
      hint,
    });
    expect(await query(own, "SELECT to_regclass('runs') AS runs")).toEqual([{ runs: null }]);
  });

  it('is verified by its certificate', async () => {
    const at = (rootCertificate: string | undefined) =>
      connected({ tls: { rootCertificate } }).all('SELECT 1 AS one');
    const [own, other] = certificates;
    expect(await at(own)).toEqual([{ one: 1 }]);
    for (const root of [other, undefined]) {
      const refused = { code: 'ledger_unreachable', message: expect.stringMatching(/certificate/) };
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
    const gone = { code: 'ledger_unreachable', hint: check };
    await expect(sql.all('SELECT 1 FROM nowhere')).rejects.toMatchObject(gone);
    for (const bug of [new TypeError('x'), new RangeError('x')])
      await expect(sql.transaction(() => Promise.reject(bug))).rejects.toBe(bug);
  });

  it('whose connections end goes on with new ones', async () => {
    const sql = connected();
    await sql.all('SELECT 1');
    const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const cut = sql.transaction(async (own) => {
      await own.run('UPDATE intents SET last = 77');
      await query(url, others);
      return own.all('SELECT 1');
    });
    await expect(cut).rejects.toMatchObject({ code: 'ledger_unreachable', hint: check });
    const [{ last } = {}] = await sql.all('SELECT last FROM intents');
    expect(last).not.toBe(77);
  });

  it('of another timeline than before is not written', async () => {
    const sql = connected();
    const real = await new LedgerLocks(sql).durability();
    expect(real.timeline).toMatch(/^\d+-\d{8}$/);
    expect(problemOf(real)).toBeUndefined();
    expect(problemOf({ ...real, known: '7-1' })).toMatchObject({
      code: 'ledger_unsafe',
      message: `the ledger was on the timeline 7-1, and is on ${real.timeline} now: a failover or a restore may have lost the last commits`,
      hint: `Check at the service what was sent last. Then run: proc doctor --accept-ledger ${real.timeline}`,
      details: { known: '7-1', timeline: real.timeline },
    });
    expect(problemOf({ ...real, unsafe: ['fsync=off', 'x=off'] })).toMatchObject({
      code: 'ledger_unsafe',
      message:
        'the ledger runs with fsync=off and x=off: after a crash it could have lost which rows were sent',
      hint: 'Change the setting in PostgreSQL. Nothing was sent',
    });
  });
});

describe('a run whose file is on another machine', () => {
  it('is known from the ledger alone', async () => {
    const home = await freshFolder();
    const own = await cluster.database();
    const env = { PROC_CONFIG_DIR: home, PROC_STATE_DIR: home, HOME: home, PROC_LEDGER: own };
    const self = { flags: {}, cwd: home, env: { ...env, PROC_BASE_URL: 'https://a.example' } };
    const folder = importsFolder(self as never);
    const ledger = new Ledger(connected(inDatabase(own)));
    const add = async (name: string, phase: string, hasBegun: boolean) => {
      const header = { run: name, noun: 'items', baseUrl: 'https://a.example' };
      const run = await ledger.add({
        ...{ name, phase, header, noun: 'items' },
        ...{ service: 'https://a.example', organization: undefined },
      });
      await ledger.move(run, { from: [phase], to: phase, hasBegun, noted: {} });
      return run;
    };
    const [unsent, open, ended, gone] = [
      ...['20260101-000000-aaaa', '20260102-000000-aaaa', '20260103-000000-aaaa'],
      '20260104-000000-aaaa',
    ];
    await add(unsent!, 'planning', false);
    const running = await add(open!, 'begun', true);
    const intents = [1, 2, 3].map((row) => ({ row, key: null, at: 1, body: '{}', seen: 0 }));
    const against = { which: 'nothing', since: 0 } as const;
    await ledger.write(running, { commits: 1, outcomes: [], intents, against });
    const outcomes = [{ row: 1, state: 'created', id: 'i-1' }] as const;
    await ledger.write(running, { commits: 2, outcomes, intents: [], against });
    const counts = { states: { ...noCounts(), created: 7, rejected: 2 }, parked: 3 };
    await ledger.note(await add(ended!, 'ended', true), { commits: 0, counts });
    await add(gone!, 'ended', true);
    await ledger.beginDiscard(gone!);

    // A run that has sent nothing concerns only the machine that has its file.
    expect(await runNames(folder)).toEqual([open, ended]);
    const seen = (run: RunState) => ({
      ...{ run: run.header.run, phase: run.phase, isElsewhere: run.isElsewhere },
      ...{ created: run.counts().created, unconfirmed: run.counts().unconfirmed },
      ...{ parked: run.countParked(), fact: run.get('seen') },
    });
    const elsewhere = { isElsewhere: true, fact: undefined };
    const states = [
      {
        ...{ ...elsewhere, run: open, phase: 'begun', created: 1, unconfirmed: 2, parked: 2 },
      },
      {
        ...{ ...elsewhere, run: ended, phase: 'ended', created: 7, unconfirmed: 0, parked: 3 },
      },
    ];
    expect(await eachRun(folder, seen)).toEqual(states);
    expect(await findElsewhere(folder, ended!).then((run) => run && seen(run))).toEqual(states[1]);
    expect(await findElsewhere(folder, 'other')).toBeUndefined();
    const path = runPath(folder, open!);
    const refused = {
      code: 'reference_not_found',
      message: `the file of ${open} is on another machine`,
      hint: `To resume it here, import the same file. Without it, record the outcome of unconfirmed rows: proc imports resolve ${open}`,
      details: { run: open },
    };
    await expect(Run.open(path)).rejects.toMatchObject(refused);
    await expect(Run.read(path)).rejects.toMatchObject(refused);
    expect(await ledger.run(open!)).toMatchObject({ generation: 1 });

    // Another machine has continued a run whose file is still here.
    mkdirSync(folder, { recursive: true });
    writeFileSync(runPath(folder, gone!), '');
    expect(await runNames(folder)).toEqual([open, ended, gone]);
    const damage: string[] = [];
    await eachRun(folder, seen, (_, { message, hint }) => void damage.push(message, String(hint)));
    expect(damage).toEqual([
      `another machine has continued ${gone}`,
      'The next import here removes the file of the run; the ledger keeps what was sent',
    ]);
    expect(await findElsewhere(folder, gone!)).toBeUndefined();
    await Run.remove(runPath(folder, gone!));
    expect(existsSync(runPath(folder, gone!))).toBe(false);
  });
});

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
    const said: string[] = [];
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
    const overtaken = await second.tell('r2').catch((thrown: unknown) => thrown);
    const { code, message, hint } = overtaken as ProcError;
    expect([code, message, hint]).toEqual([
      'import_busy',
      'another process has taken over the import of items while this one was suspended; nothing was sent',
      'Wait until it ends, then try again. List all runs: proc imports list',
    ]);
    await second.release();
    // Who sends nothing does not wait for the last requests of the process that is gone; the next one does.
    await discarding.release();
    slept.length = 0;
    onSleep = async () => undefined;
    const takingOver = { settleMs: 1_500, say: ({ text }: Message) => void said.push(text) };
    const taken = await lock({ takingOver });
    expect([slept, said]).toEqual([
      [6_500],
      ['the last import of items did not release its lock: waiting 7 s for its last requests'],
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
    if (what === 'timeline') await locks.accept('old');
    else if (what === 'fsync') await setFsync('off');
    else await query(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const fresh = new LedgerLocks(connected());
    const refused = { code: 'ledger_unsafe', message: expect.stringContaining(said) };
    await expect(fresh.acquire(PLACE, 'a', {})).rejects.toMatchObject(refused);
    expect(await fresh.durability()).toEqual({
      unsafe: what === 'timeline' ? [] : [said],
      ...{ timeline, known: what === 'timeline' ? 'old' : timeline },
    });
    await locks.accept(timeline);
    await query(url, `ALTER DATABASE ${name} RESET synchronous_commit`);
    await setFsync('on');
    expect(await new LedgerLocks(connected()).acquire(PLACE, 'a', {})).toEqual({ wasLost: false });
    await locks.release(PLACE, 'a');
  });
});
