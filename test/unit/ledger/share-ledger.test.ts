import { expect, test } from 'vitest';
import { moveLedger } from '../../../src/ledger/share-ledger.ts';
import type { Sql } from '../../../src/ledger/sql.ts';
import { ITEMS, newLedger, rowOf } from './one-database.ts';

test('whoever loses the lock of the shared ledger does not believe that runs are there', async () => {
  const [own, shared] = [newLedger(ITEMS), newLedger(ITEMS)];
  const claim = await own.runs.create({ name: 'r-1', header: {}, planned: 0, now: 1 });
  await own.runs.fill(claim!, [rowOf(1, 'p-1', 'd')]);
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
