import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import {
  hasLedger,
  isShared,
  ledgerFolder,
  ledgerPath,
  openLedger,
  sharedLocks,
} from '../../../src/ledger/open-ledger.ts';
import { newRun, startedAt } from '../../../src/ledger/run-name.ts';
import type { Sql } from '../../../src/ledger/sql.ts';
import { Ledger } from '../../../src/ledger/sql-ledger.ts';
import { freshFolder } from '../../support/sandbox.ts';

const RUN = {
  ...{ noun: 'items', service: 'http://a.example', organization: 'acme' },
  ...{ phase: 'reading', header: {} },
};

const names = async (sql: Sql) =>
  (await new Ledger(sql).runs()).map(({ number, name }) => `${number} ${name}`);

describe('the file of a ledger', () => {
  it('is made with the first command, and read by the next', async () => {
    const folder = join(await freshFolder(), 'state');
    expect([hasLedger(folder), isShared(folder), sharedLocks(folder)]).toEqual([
      ...[false, false, undefined],
    ]);
    const first = openLedger(folder);
    expect(hasLedger(folder)).toBe(true);
    expect(ledgerPath(folder)).toBe(join(folder, 'ledger.db'));
    expect(statSync(ledgerPath(folder)).mode & 0o777).toBe(0o600);
    await new Ledger(first).add({ ...RUN, name: 'a' });
    for (const readOnly of [true, false]) {
      const other = openLedger(folder, { readOnly });
      expect(await names(other)).toEqual(['1 a']);
      other.close();
    }
    first.close();
    first.close();
    expect(readdirSync(folder)).toEqual(['ledger.db']);
    // A number is never used again: files and entries of other runs may have it.
    const again = openLedger(folder);
    const ledger = new Ledger(again);
    await expect(ledger.add({ ...RUN, name: 'a' })).rejects.toMatchObject({
      code: 'state_unwritable',
    });
    await ledger.beginDiscard('a');
    await ledger.endDiscard(1);
    await ledger.add({ ...RUN, name: 'a' });
    expect(await names(again)).toEqual(['2 a']);
    again.close();
  });

  it('is made, and filled, also by a command that only reads', async () => {
    const folder = await freshFolder();
    const reading = openLedger(folder, { readOnly: true });
    expect(await names(reading)).toEqual([]);
    reading.close();
    const empty = await freshFolder();
    writeFileSync(ledgerPath(empty), '');
    const found = openLedger(empty, { readOnly: true });
    expect(await names(found)).toEqual([]);
    await expect(new Ledger(found).add({ ...RUN, name: 'a' })).rejects.toMatchObject({
      code: 'state_unwritable',
    });
    found.close();
    expect(readdirSync(empty)).toEqual(['ledger.db']);
  });

  it.each([
    [4, 'an older', 'Set PROC_STATE_DIR to another folder'],
    [6, 'a newer', 'Update proc, or set PROC_STATE_DIR to another folder'],
  ])('of version %d is refused, and stays as it is', async (version, age, hint) => {
    const folder = await freshFolder();
    const path = ledgerPath(folder);
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE runs (a); PRAGMA user_version = ${version}`);
    database.close();
    const refused = {
      ...{ code: 'config_unreadable', hint },
      message: `${path} was written by ${age} version of proc`,
    };
    for (const readOnly of [true, false]) {
      expect(() => openLedger(folder, { readOnly })).toThrow(expect.objectContaining(refused));
    }
    expect(readdirSync(folder)).toEqual(['ledger.db']);
  });

  it('that is another file, or damaged later, is said so', async () => {
    const folder = await freshFolder();
    writeFileSync(ledgerPath(folder), 'These are my notes. '.repeat(100));
    expect(() => openLedger(folder)).toThrow(
      expect.objectContaining({ code: 'config_unreadable' }),
    );
    rmSync(ledgerPath(folder));
    const sql = openLedger(folder);
    const named = { code: 'state_unwritable', message: expect.stringContaining('ledger.db') };
    await expect(sql.all('SELECT nothing FROM nowhere')).rejects.toMatchObject(named);
    await expect(sql.run('DELETE FROM nowhere')).rejects.toMatchObject(named);
    sql.close();
  });

  it('belongs to this machine, unless a database is set for a service elsewhere', async () => {
    const home = await freshFolder();
    const self = (env: object) => ({
      ...{ flags: {}, cwd: home },
      env: { HOME: home, PROC_CONFIG_DIR: home, PROC_STATE_DIR: join(home, 's'), ...env },
    });
    const at = (host: string) =>
      self({ PROC_LEDGER: `postgres://u@${host}/d`, PROC_BASE_URL: 'https://a.example' }) as never;
    const local = ledgerFolder(self({}) as never);
    expect([local, isShared(local), hasLedger(local)]).toEqual([join(home, 's'), false, false]);
    const [one, two] = [ledgerFolder(at('db1.example')), ledgerFolder(at('db2.example'))];
    expect(one).not.toBe(two);
    for (const folder of [one, two]) {
      expect([isShared(folder), hasLedger(folder), existsSync(folder)]).toEqual([
        ...[true, true, false],
      ]);
      // Its connections are shared by all parts of a command.
      expect(openLedger(folder)).toBe(openLedger(folder, { readOnly: true }));
      expect(sharedLocks(folder)).toBeDefined();
      openLedger(folder).close();
    }
    const before = openLedger(one);
    expect(ledgerFolder(at('db1.example'))).toBe(one);
    expect(openLedger(one)).toBe(before);
  });
});

describe('a transaction', () => {
  const raised = (sql: Sql, meanwhile?: () => Promise<unknown>) =>
    sql.transaction(async (own) => {
      const [found] = await own.all('SELECT last FROM intents');
      await meanwhile?.();
      return own.run('UPDATE intents SET last = ?', Number(found!.last) + 1);
    });

  it('is the only one of a process, whichever connection has it', async () => {
    const folder = await freshFolder();
    const [a, b] = [openLedger(folder), openLedger(folder)];
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
    const all = [a, b, a, b, a, b].map((sql) => raised(sql, pause));
    // What is not part of it waits too.
    const reads = Promise.all([
      a.all('SELECT last FROM intents'),
      b.run('UPDATE intents SET last = last + 100'),
    ]);
    expect(await Promise.all(all)).toEqual([1, 1, 1, 1, 1, 1]);
    await reads;
    expect(await new Ledger(a).lastIntent()).toBe(106);
    a.close();
    b.close();
  });

  it('is on the disk when it ends, also for another process', async () => {
    const folder = await freshFolder();
    const sql = openLedger(folder);
    expect(await raised(sql)).toBe(1);
    const other = new DatabaseSync(ledgerPath(folder), { readOnly: true });
    expect(other.prepare('SELECT last FROM intents').get()).toEqual({ last: 1 });
    other.close();
    // A single statement is synced by SQLite, a transaction by another thread.
    expect(await sql.all('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    sql.close();
  });

  it('that fails changes nothing, and the next one may begin', async () => {
    const folder = await freshFolder();
    const sql = openLedger(folder);
    const failing = sql.transaction(async (own) => {
      await own.run('UPDATE intents SET last = 99');
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await new Ledger(sql).lastIntent()).toBe(0);
    await expect(sql.transaction((own) => own.all('SELECT * FROM nowhere'))).rejects.toMatchObject({
      code: 'state_unwritable',
    });
    expect(await sql.all('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await raised(sql)).toBe(1);
    sql.close();
  });

  it('waits for another process, and says so if that never ends', async () => {
    const folder = await freshFolder();
    const sql = openLedger(folder, { busyTimeoutMs: 1 });
    const other = new DatabaseSync(ledgerPath(folder));
    other.exec('BEGIN IMMEDIATE');
    await expect(raised(sql)).rejects.toMatchObject({ code: 'state_unwritable' });
    other.exec('COMMIT');
    other.close();
    expect(await raised(sql)).toBe(1);
    sql.close();
  });
});

describe('the name of a run', () => {
  it('says when it started, to the second', () => {
    const now = Date.UTC(2026, 11, 3, 4, 5, 6, 789);
    expect(newRun(now)).toMatch(/^20261203-040506-[0-9a-f]{4}$/);
    expect(startedAt(newRun(now))).toBe(now - 789);
    const [earlier, later] = [newRun(now - 1_000), newRun(now)];
    expect(earlier < later).toBe(true);
  });

  it.each(['', 'last', '2026-12-03', 'x20261203-040506-ab12', '20261203040506', '20261203-04050'])(
    'is not %j',
    (text) => {
      expect(startedAt(text)).toBe(0);
    },
  );
});
