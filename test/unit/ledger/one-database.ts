import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Draft, type DraftRow } from '../../../src/import/draft/draft.ts';
import type { Place } from '../../../src/ledger/rows.ts';
import { RunLedger } from '../../../src/ledger/run-ledger.ts';
import { SCHEMA } from '../../../src/ledger/run-tables.ts';
import { beginWrite, finishWrite, type SingleWrite } from '../../../src/ledger/single-writes.ts';
import { Sqlite } from '../../../src/ledger/sqlite.ts';
import { openDatabase } from '../../../src/store/database.ts';

export const ITEMS: Place = { place: 'http://a.example acme', noun: 'items', isListed: true };
export const IMPUTATIONS: Place = { ...ITEMS, noun: 'imputations', isListed: false };

/** A new ledger in a folder of its own, which ends with the test. */
export function newLedger(where: Place): Connected {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'one.db');
  const database = openDatabase(path);
  database.exec(SCHEMA);
  database.close();
  return connect({ folder, path }, where);
}

/** The ledger as one process uses it. */
export function connect(
  { folder, path }: { readonly folder: string; readonly path: string },
  where: Place,
  hasLock = () => true,
) {
  const database = openDatabase(path);
  const sql = new Sqlite(database, path);
  onTestFinished(() => sql.close());
  const all = (text: string, ...values: readonly (string | number)[]) =>
    database.prepare(text).all(...values) as Record<string, string | number | null>[];
  return {
    folder,
    path,
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
  };
}

export type Connected = ReturnType<typeof connect>;

export function rowOf(
  row: number,
  key: string | null,
  digest: string | null = null,
  body: object = { code: key },
) {
  const rest = { state: 'pending' as const, source: null, line: row + 1, reason: null };
  return { row, key, digest, body: JSON.stringify(body), ...rest };
}

export function draftOf({ folder }: Connected, rows: readonly DraftRow[] = []): Draft {
  const draft = new Draft(folder);
  onTestFinished(() => draft.close());
  for (const row of rows) draft.add(row);
  return draft;
}
