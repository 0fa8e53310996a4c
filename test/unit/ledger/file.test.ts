import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { newRun } from '../../../src/import/import-file.ts';
import { type Ledger, ledgerExists, openLedger } from '../../../src/ledger/open-ledger.ts';
import type { Sql } from '../../../src/ledger/sql.ts';
import { freshFolder } from '../../support/sandbox.ts';

const selfOf = (folder: string, env: object = {}) =>
  ({
    flags: {},
    io: { say() {} },
    cwd: folder,
    env: { HOME: folder, PROC_STATE_DIR: folder, ...env },
  }) as never;
const openIn = (folder: string): Promise<Ledger> => openLedger(selfOf(folder), false);
const last = async (sql: Sql) => Number((await sql.all('SELECT last FROM intents'))[0]!.last);

describe('the file of a ledger', () => {
  it('is made with the first command, and read by the next', async () => {
    const folder = join(await freshFolder(), 'state');
    expect(ledgerExists(selfOf(folder))).toBe(false);
    const first = await openIn(folder);
    expect(ledgerExists(selfOf(folder))).toBe(true);
    expect(first.path).toBe(join(folder, 'ledger.db'));
    expect(statSync(first.path!).mode & 0o777).toBe(0o600);
    await first.sql.run('UPDATE intents SET last = 7');
    for (const other of [await openIn(folder), await openLedger(selfOf(folder), true)]) {
      expect(await last(other.sql)).toBe(7);
      other.close();
    }
    first.close();
    first.close();
    expect(readdirSync(folder)).toEqual(['ledger.db']);
  });

  it('is not made by a dry run, which reads an empty one, and changes none', async () => {
    const folder = await freshFolder();
    const twin = await openLedger(selfOf(folder), true);
    expect(await last(twin.sql)).toBe(0);
    twin.close();
    expect(readdirSync(folder)).toEqual([]);
    (await openIn(folder)).close();
    const found = await openLedger(selfOf(folder), true);
    await expect(found.sql.run('UPDATE intents SET last = 1')).rejects.toMatchObject({
      code: 'state_unwritable',
    });
    found.close();
  });

  it('with other tables is refused, and stays as it is', async () => {
    const folder = await freshFolder();
    const path = join(folder, 'ledger.db');
    const database = new DatabaseSync(path);
    database.exec(`CREATE TABLE runs (a); PRAGMA user_version = 6`);
    database.close();
    const refused = {
      code: 'config_unreadable',
      message: `${path} was written by another version of proc`,
    };
    for (const readOnly of [false, true])
      await expect(openLedger(selfOf(folder), readOnly)).rejects.toThrow(
        expect.objectContaining(refused),
      );
    expect(readdirSync(folder)).toEqual(['ledger.db']);
  });

  it('that is another file, or damaged later, is said so', async () => {
    const folder = await freshFolder();
    const path = join(folder, 'ledger.db');
    writeFileSync(path, 'These are my notes. '.repeat(100));
    await expect(openIn(folder)).rejects.toThrow(
      expect.objectContaining({ code: 'config_unreadable' }),
    );
    rmSync(path);
    const { sql } = await openIn(folder);
    const named = { code: 'state_unwritable', message: expect.stringContaining('ledger.db') };
    await expect(sql.all('SELECT nothing FROM nowhere')).rejects.toMatchObject(named);
    await expect(sql.run('DELETE FROM nowhere')).rejects.toMatchObject(named);
    sql.close();
  });

  it('is refused where others may replace files, but not in a folder with the sticky bit', async () => {
    const folder = await freshFolder();
    for (const mode of [0o770, 0o702]) {
      chmodSync(folder, mode);
      await expect(openIn(folder)).rejects.toThrow(
        expect.objectContaining({
          ...{ code: 'config_insecure', exitCode: 3 },
          hint: expect.stringContaining(join(folder, 'proc')),
        }),
      );
      expect(readdirSync(folder)).toEqual([]);
    }
    chmodSync(folder, 0o1777);
    (await openIn(folder)).close();
    expect(readdirSync(folder)).toEqual(['ledger.db']);
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
    const [a, b] = [(await openIn(folder)).sql, (await openIn(folder)).sql];
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
    const all = [a, b, a, b, a, b].map((sql) => raised(sql, pause));
    // What is not part of it waits too.
    const reads = Promise.all([
      a.all('SELECT last FROM intents'),
      b.run('UPDATE intents SET last = last + 100'),
    ]);
    expect(await Promise.all(all)).toEqual([1, 1, 1, 1, 1, 1]);
    await reads;
    expect(await last(a)).toBe(106);
    a.close();
    b.close();
  });

  it('is on the disk when it ends, also for another process', async () => {
    const folder = await freshFolder();
    const sql = (await openIn(folder)).sql;
    expect(await raised(sql)).toBe(1);
    const other = new DatabaseSync(join(folder, 'ledger.db'), { readOnly: true });
    expect(other.prepare('SELECT last FROM intents').get()).toEqual({ last: 1 });
    other.close();
    // A single statement is synced by SQLite, a transaction by another thread.
    expect(await sql.all('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    sql.close();
  });

  it('that fails changes nothing, and the next one may begin', async () => {
    const folder = await freshFolder();
    const sql = (await openIn(folder)).sql;
    const failing = sql.transaction(async (own) => {
      await own.run('UPDATE intents SET last = 99');
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await last(sql)).toBe(0);
    await expect(sql.transaction((own) => own.all('SELECT * FROM nowhere'))).rejects.toMatchObject({
      code: 'state_unwritable',
    });
    expect(await sql.all('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await raised(sql)).toBe(1);
    sql.close();
  });
});

it('the name of a run says when it started, to the second, and sorts by that', () => {
  const now = Date.UTC(2026, 11, 3, 4, 5, 6, 789);
  expect(newRun(now)).toMatch(/^20261203-040506-[0-9a-f]{6}$/);
  const [earlier, later] = [newRun(now - 1_000), newRun(now)];
  expect(earlier < later).toBe(true);
});
