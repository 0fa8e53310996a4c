import { join } from 'node:path';
import type { Place } from '../../../src/ledger/rows.ts';
import { RunLedger } from '../../../src/ledger/run-ledger.ts';
import { SCHEMA } from '../../../src/ledger/run-tables.ts';
import { beginWrite, finishWrite, type SingleWrite } from '../../../src/ledger/single-writes.ts';
import { Sqlite } from '../../../src/ledger/sqlite.ts';
import { openDatabase } from '../../../src/store/database.ts';

export const ITEMS: Place = { place: 'http://a.example acme', noun: 'items', isListed: true };
export const IMPUTATIONS: Place = { ...ITEMS, noun: 'imputations', isListed: false };

/** Creates the tables in a folder. @returns the path of the ledger */
export function newLedger(folder: string): string {
  const path = join(folder, 'one.db');
  const database = openDatabase(path);
  database.exec(SCHEMA);
  database.close();
  return path;
}

/** The ledger as one process uses it. A kill is to close the connection. */
export function connect(path: string, where: Place, hasLock = () => true) {
  const database = openDatabase(path);
  const sql = new Sqlite(database, path);
  const all = (text: string, ...values: readonly (string | number)[]) =>
    database.prepare(text).all(...values) as Record<string, string | number | null>[];
  return {
    sql,
    runs: new RunLedger(sql, where, hasLock),
    singles: {
      begin: (write: SingleWrite, since: number | undefined, isAgain = false) =>
        beginWrite(sql, where, write, since, isAgain),
      /** @param created the id; null: the write had no effect; undefined: nobody knows */
      finish(id: string, created: string | null | undefined) {
        const state = created === undefined ? 'unknown' : created === null ? 'rejected' : 'done';
        return finishWrite(sql, id, { state, created: created ?? null });
      },
    },
    all,
    /** States of the rows of a run, in order. */
    states: (run: number) =>
      all('SELECT state FROM rows WHERE at >> 32 = ? ORDER BY at', run).map(({ state }) => state),
    close: () => sql.close(),
  };
}

export type Connected = ReturnType<typeof connect>;
