import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/database.ts';
import { freshFolder } from '../../support/sandbox.ts';

it('creates the file with 0600 and its folder with 0700, in WAL mode', async () => {
  const path = join(await freshFolder(), 'new', 'a.db');
  const database = openDatabase(path);
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  database.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('opening the file again does not release the locks of the first opening', async () => {
  const path = join(await freshFolder(), 'a.db');
  const first = openDatabase(path, { synchronous: 'NORMAL' });
  expect(first.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
  first.exec('CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
  const second = openDatabase(path, { readOnly: true });
  expect(second.prepare('SELECT * FROM t').all()).toEqual([]);
  first.exec('COMMIT');
  expect(second.prepare('SELECT * FROM t').all()).toEqual([{ a: 1 }]);
  second.close();
  first.close();
});

it('reports a file that is no database, is missing, or is in an unreadable folder', async () => {
  const folder = await freshFolder();
  const text = join(folder, 'notes.txt');
  writeFileSync(text, 'These are my notes, and they are not a database. '.repeat(20));
  expect(() => openDatabase(text)).toThrow(`${text} is damaged, or not an SQLite database`);
  expect(() => openDatabase(join(folder, 'none.db'), { readOnly: true })).toThrow(
    expect.objectContaining({ code: 'state_unwritable' }),
  );
  const blocked = join(text, 'a.db');
  expect(() => openDatabase(blocked)).toThrow(
    expect.objectContaining({ code: 'state_unwritable' }),
  );
});
