import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveLedger } from '../../../src/ledger/share-ledger.ts';
import type { Sql } from '../../../src/ledger/sql.ts';
import { type Connected, connect, ITEMS, newLedger } from './one-database.ts';

let folders: string[];
let own: Connected;
let shared: Connected;

beforeEach(() => {
  folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'ledger-')));
  [own, shared] = folders.map((folder) => connect(newLedger(folder), ITEMS)) as [
    Connected,
    Connected,
  ];
});

afterEach(() => {
  for (const { close } of [own, shared]) close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test('whoever loses the lock of the shared ledger does not believe that runs are there', async () => {
  const claim = await own.runs.create({ name: 'r-1', header: {}, planned: 0, now: 1 });
  const row = { row: 1, state: 'pending', key: 'p-1', digest: 'd', body: '{}' } as const;
  await own.runs.fill(claim!, [{ ...row, source: null, line: 2 }]);
  await own.runs.begin(claim!);
  await own.runs.batch(claim!, { outcomes: [], most: 1, after: 0, now: 2 });
  const move = { from: ITEMS.place, to: ITEMS.place, organization: 'acme' };
  let transactions = 0;
  // Another process opens the place, and removes what was not filled.
  const losing: Sql = {
    ...{ all: (...sent) => shared.sql.all(...sent), run: (...sent) => shared.sql.run(...sent) },
    async transaction(work) {
      const result = await shared.sql.transaction(work);
      if (++transactions === stop) await shared.runs.open();
      return result;
    },
    close: () => undefined,
  };
  let stop = 1;
  for (; stop <= 2; stop++) {
    transactions = 0;
    await expect(moveLedger(own.sql, losing, move)).rejects.toMatchObject({ code: 'busy' });
    expect(own.all('SELECT phase FROM runs')).toEqual([{ phase: 'sharing' }]);
  }
  await moveLedger(own.sql, shared.sql, move);
  const [run] = shared.all('SELECT number, phase FROM runs');
  expect(run).toMatchObject({ phase: 'sending' });
  expect(shared.states(Number(run!.number))).toEqual(['unconfirmed']);
});
