import { beforeEach, describe, expect, test } from 'vitest';
import type { DraftRow } from '../../../src/import/draft/draft.ts';
import { pruneRuns } from '../../../src/ledger/decided-rows.ts';
import type { Place } from '../../../src/ledger/rows.ts';
import { type Claim, LedgerChanged, type RowOutcome } from '../../../src/ledger/run-ledger.ts';
import {
  type Connected,
  connect,
  draftOf,
  IMPUTATIONS,
  ITEMS,
  newLedger,
  rowOf,
} from './one-database.ts';

const listed = (code: string, id: string) => ({ id, code, name: null });

let one: Connected;

beforeEach(() => {
  one = newLedger(ITEMS);
});

/** A run of these rows that may send. */
async function begun(
  { runs }: Connected,
  rows: readonly DraftRow[],
  where: Place = ITEMS,
  sendsEqual = false,
): Promise<Claim> {
  const draft = draftOf(one, rows);
  const opened = await runs.open();
  await draft.compareWithLedger(one, where, { sendsEqual });
  const name = `r${Math.random()}`;
  const claim = await runs.create({ name, header: {}, planned: opened!.planned, now: 1 });
  for (const lot of draft.lots(2)) expect(await runs.fill(claim!, lot)).toBe(true);
  expect(await runs.begin(claim!)).toBe(true);
  return claim!;
}

async function take(
  runs: Connected['runs'],
  claim: Claim,
  most = 10,
  outcomes: readonly RowOutcome[] = [],
  after = 0,
) {
  return (await runs.batch(claim, { outcomes, most, after, now: 2 }))!;
}

const created = (row: number, intent: number): RowOutcome => ({
  row,
  intent,
  state: 'created',
  id: `i-${row}`,
});

describe('a run', () => {
  test('sends its rows in batches, and ends', async () => {
    const claim = await begun(one, [rowOf(1, 'A'), rowOf(2, 'B'), rowOf(3, 'C')]);
    const first = await take(one.runs, claim, 2);
    expect(first.taken).toMatchObject([
      { row: 1, key: 'A', body: '{"code":"A"}' },
      { row: 2, key: 'B' },
    ]);
    expect(one.states(1)).toEqual(['sending', 'sending', 'pending']);
    const { lastIntent } = first.claim;
    const second = await take(
      one.runs,
      first.claim,
      2,
      [created(1, lastIntent), created(2, lastIntent)],
      2,
    );
    expect(second.taken.map(({ row }) => row)).toEqual([3]);
    expect(await one.runs.end(second.claim, {}, 5)).toBeUndefined();
    const last = await take(one.runs, second.claim, 0, [created(3, second.claim.lastIntent)]);
    expect(await one.runs.end(last.claim, { verified: true }, 5)).toEqual({ created: 3 });
    expect(one.all('SELECT phase, counts, findings FROM runs')).toEqual([
      { phase: 'ended', counts: '{"created":3}', findings: '{"verified":true}' },
    ]);
    expect(one.all('SELECT * FROM bodies')).toEqual([]);
  });

  test('that ends removes no body of another one', async () => {
    const other = connect(one, IMPUTATIONS);
    await begun(other, [rowOf(1, 'K', 'd')], IMPUTATIONS);
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A')]));
    const outcomes = [created(1, first.claim.lastIntent)];
    const { claim } = await take(one.runs, first.claim, 0, outcomes);
    expect(await one.runs.end(claim, {}, 5)).toEqual({ created: 1 });
    expect(one.all('SELECT at >> 32 AS run FROM bodies')).toEqual([{ run: 1 }]);
  });

  test('is stopped by another process that opens it; its late answers only confirm', async () => {
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]));
    const two = connect(one, ITEMS);
    const opened = await two.runs.open();
    expect(opened!.unfinished).toMatchObject([{ number: 1, generation: 2, lastIntent: 1 }]);
    expect(one.states(1)).toEqual(['unconfirmed', 'unconfirmed']);
    expect(
      await one.runs.batch(first.claim, { outcomes: [], most: 1, after: 0, now: 3 }),
    ).toBeUndefined();
    await one.runs.confirm(1, [
      created(1, 1),
      { row: 2, intent: 1, state: 'rejected' },
      created(2, 7),
    ]);
    expect(one.states(1)).toEqual(['created', 'unconfirmed']);
  });

  test('stops when an outcome misses its intent', async () => {
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A')]));
    const outcomes = [created(1, 7)];
    await expect(
      one.runs.batch(first.claim, { outcomes, most: 1, after: 0, now: 3 }),
    ).rejects.toThrow(LedgerChanged);
    expect(one.all('SELECT last FROM intents')).toEqual([{ last: 1 }]);
  });

  test('is created and opened only by the process that has the lock', async () => {
    const other = connect(one, ITEMS, () => false);
    expect(await other.runs.open()).toBeUndefined();
    expect(await other.runs.create({ name: 'r', header: {}, planned: 0, now: 1 })).toBeUndefined();
  });

  test('that is not filled goes with the next opening, and its number is not used again', async () => {
    const claim = await one.runs.create({ name: 'r', header: {}, planned: 0, now: 1 });
    const row = rowOf(1, 'A');
    await one.runs.fill(claim!, [row]);
    await one.runs.open();
    expect(one.all('SELECT * FROM rows')).toEqual([]);
    expect(one.all('SELECT * FROM bodies')).toEqual([]);
    const next = await one.runs.create({ name: 's', header: {}, planned: 0, now: 1 });
    expect(next!.number).toBe(2);
    expect(await one.runs.fill(claim!, [row])).toBe(false);
    expect(await one.runs.begin(claim!)).toBe(false);
  });

  test('without a list ends with unconfirmed rows, and keeps its bodies', async () => {
    const two = connect(one, IMPUTATIONS);
    const first = await take(two.runs, await begun(two, [rowOf(1, null, 'd1')], IMPUTATIONS));
    const last = await take(two.runs, first.claim, 0, [
      { row: 1, intent: 1, state: 'unconfirmed' },
    ]);
    expect(await two.runs.end(last.claim, {}, 5)).toEqual({ unconfirmed: 1 });
    expect(two.all('SELECT at FROM bodies')).toHaveLength(1);
  });
});

describe('an import takes over', () => {
  test('rows that an unfinished run left pending; the others stay', async () => {
    await begun(one, [rowOf(1, 'A'), rowOf(2, 'B'), rowOf(3, 'C')]);
    await begun(one, [rowOf(1, 'C'), rowOf(2, 'A'), rowOf(3, 'D')]);
    expect(one.states(1)).toEqual(['dropped', 'pending', 'dropped']);
    expect(one.states(2)).toEqual(['pending', 'pending', 'pending']);
    expect(one.all('SELECT phase FROM runs')).toEqual([{ phase: 'sending' }, { phase: 'sending' }]);
    await begun(one, [rowOf(1, 'B')]);
    // Nothing went over from the second run to the third.
    expect(one.all('SELECT old, new FROM moves')).toEqual([
      { old: 1, new: 2 },
      { old: 1, new: 3 },
    ]);
  });

  test('of equal rows as many as it has; equal bodies before equal keys', async () => {
    const two = connect(one, IMPUTATIONS);
    await begun(
      two,
      [rowOf(1, 'K', 'x'), rowOf(2, 'K', 'd'), rowOf(3, 'K', 'd'), rowOf(4, null, 'e')],
      IMPUTATIONS,
    );
    await begun(two, [rowOf(1, 'K', 'd'), rowOf(2, null, 'e')], IMPUTATIONS, true);
    expect(two.states(1)).toEqual(['pending', 'dropped', 'pending', 'dropped']);
    await begun(two, [rowOf(1, 'K', 'new')], IMPUTATIONS, true);
    expect(two.states(1)).toEqual(['dropped', 'dropped', 'pending', 'dropped']);
    expect(two.all('SELECT digest FROM rows WHERE at >> 32 = 1')).toEqual([
      ...[{ digest: null }, { digest: null }, { digest: 'd' }, { digest: null }],
    ]);
  });

  test('rows that enter unconfirmed are taken over, too', async () => {
    await one.singles.begin({ id: 'w1', key: 'A', digest: 'x' }, 0);
    await begun(one, [rowOf(1, 'A')]);
    await begun(one, [rowOf(1, 'A')]);
    expect([one.states(1), one.states(2)]).toEqual([['dropped'], ['unconfirmed']]);
  });

  test('what was sent enters unconfirmed; one look-up settles both rows', async () => {
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]));
    expect(first.taken).toHaveLength(2);
    const claim = await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]);
    expect(one.states(2)).toEqual(['unconfirmed', 'unconfirmed']);
    expect(
      await one.runs.settle(
        claim,
        new Map([
          ['A', 'i-9'],
          ['B', null],
        ]),
      ),
    ).toBe(true);
    expect(one.states(1)).toEqual(['created', 'dropped']);
    expect(one.states(2)).toEqual(['existing', 'pending']);
    const next = await take(one.runs, claim);
    expect(next.taken.map(({ row }) => row)).toEqual([2]);
  });
});

describe('a batch', () => {
  test('holds back what a single write has sent since', async () => {
    const claim = await begun(one, [rowOf(1, 'A'), rowOf(2, 'B'), rowOf(3, 'C')]);
    expect(await one.singles.begin({ id: 'w1', key: 'A', digest: 'x' }, 0)).toBeUndefined();
    expect(await one.singles.begin({ id: 'w2', key: 'B', digest: 'y' }, 0)).toBeUndefined();
    await one.singles.finish('w2', 'i-2');
    const { taken, held } = await take(one.runs, claim);
    expect(taken.map(({ row }) => row)).toEqual([3]);
    expect(held).toEqual([
      { row: 1, key: 'A', state: 'unconfirmed', id: null },
      { row: 2, key: 'B', state: 'existing', id: 'i-2' },
    ]);
    expect(one.states(1)).toEqual(['unconfirmed', 'existing', 'sending']);
  });

  test('rejects another value of a key that nothing lists', async () => {
    const two = connect(one, IMPUTATIONS);
    const claim = await begun(two, [rowOf(1, 'F-2', 'new'), rowOf(2, null, 'same')], IMPUTATIONS);
    await two.singles.begin({ id: 'w1', key: 'F-2', digest: 'old' }, 0);
    await two.singles.finish('w1', 'i-1');
    await two.singles.begin({ id: 'w2', key: null, digest: 'same' }, 0);
    await two.singles.finish('w2', 'i-2');
    expect((await take(two.runs, claim)).held).toMatchObject([
      { row: 1, state: 'rejected' },
      { row: 2, state: 'existing' },
    ]);
  });

  test('holds back what another run has sent since', async () => {
    // Two processes think that they have the lock.
    const claim = await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]);
    const two = connect(one, { ...ITEMS, place: ITEMS.place });
    const other = await two.runs.create({ name: 'other', header: {}, planned: 0, now: 1 });
    const row = rowOf(1, 'B');
    await two.runs.fill(other!, [row]);
    two.all("UPDATE runs SET phase = 'sending' WHERE number = 2");
    await take(two.runs, other!);
    const first = await take(one.runs, claim, 1);
    expect([first.held, first.taken.map((taken) => taken.row)]).toEqual([[], [1]]);
    const second = await take(one.runs, first.claim, 1, [], 1);
    expect(second.held).toEqual([{ row: 2, key: 'B', state: 'unconfirmed', id: null }]);
    expect(one.all('SELECT planned FROM runs WHERE number = 1')).toEqual([{ planned: 0 }]);
  });
});

describe('a run that is resumed', () => {
  test('compares again what was held back because others were open', async () => {
    await begun(one, [rowOf(1, 'A')]);
    await one.singles.begin({ id: 'w1', key: 'A', digest: 'x' }, 0);
    const [first] = (await one.runs.open())!.unfinished;
    await one.runs.compare(first!, 1);
    expect(one.states(1)).toEqual(['unconfirmed']);
    await one.singles.finish('w1', null);
    const [second] = (await one.runs.open())!.unfinished;
    expect(one.states(1)).toEqual(['pending']);
    expect(await one.runs.compare(second!, 1)).toEqual([]);
  });

  test('with --exact-codes, sends a code whose other spelling was created', async () => {
    const first = await take(one.runs, await begun(one, [rowOf(1, 'ab')]));
    await take(one.runs, first.claim, 0, [created(1, 1)]);
    await begun(one, [rowOf(1, 'c')]);
    one.all(
      "INSERT INTO rows (at, state, key, code) VALUES (?, 'pending', 'ab', 'AB')",
      2 ** 33 + 2,
    );
    for (const [isExact, held] of [
      [true, []],
      [false, [{ row: 2, state: 'existing' }]],
    ] as const) {
      const two = connect(one, { ...ITEMS, isExact });
      const opened = await two.runs.open();
      const claim = opened!.unfinished.find(({ number }) => number === 2);
      expect(await two.runs.compare(claim!, opened!.planned)).toMatchObject(held);
    }
  });

  test('with --exact-codes, takes over no row with another spelling', async () => {
    await begun(one, [rowOf(1, 'ab'), rowOf(2, 'cd')]);
    const two = connect(one, { ...ITEMS, isExact: true });
    await begun(two, [
      { ...rowOf(1, 'ab'), code: 'AB' },
      { ...rowOf(2, 'cd'), code: null },
    ]);
    expect([two.states(1), two.states(2)]).toEqual([
      ['pending', 'dropped'],
      ['pending', 'pending'],
    ]);
    const draft = draftOf(one, [{ ...rowOf(1, 'ab'), code: 'Ab' }]);
    await draft.compareWithLedger(one, ITEMS, { sendsEqual: false, isExact: true });
    expect(Object.values(draft.remaining({ ...ITEMS, isExact: true }))).toEqual([1, 2]);
  });

  test('with --exact-codes, a look-up tells nothing of another spelling that is open elsewhere', async () => {
    await take(one.runs, await begun(one, [rowOf(1, 'ab')]));
    const two = connect(one, { ...ITEMS, isExact: true });
    const second = await begun(two, [{ ...rowOf(1, 'ab'), code: 'AB' }]);
    expect(two.states(2)).toEqual(['unconfirmed']);
    expect(await two.runs.settle(second, new Map([['ab', null]]))).toBe(true);
    expect([two.states(1), two.states(2)]).toEqual([['unconfirmed'], ['pending']]);
    const draft = draftOf(one, [{ ...rowOf(1, 'ab', null, { code: 'AB' }), code: 'AB' }]);
    draft.addListed([{ id: 'i-1', code: 'AB', name: null }]);
    draft.compareWithList({ isExact: true });
    await draft.compareWithLedger(one, ITEMS, { sendsEqual: false, isExact: true });
    expect(draft.covered({ ...ITEMS, isExact: true }).rows).toEqual([[2 ** 33 + 1, 'i-1']]);
  });

  test('compares all its pending rows first', async () => {
    await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]);
    await one.singles.begin({ id: 'w1', key: 'B', digest: 'x' }, 0);
    await one.singles.finish('w1', 'i-1');
    const opened = await one.runs.open();
    const [claim] = opened!.unfinished;
    expect(await one.runs.compare(claim!, opened!.planned)).toMatchObject([
      { row: 2, state: 'existing', id: 'i-1' },
    ]);
    expect((await take(one.runs, claim!)).taken.map(({ row }) => row)).toEqual([1]);
  });
});

test('an import settles rows of earlier runs that its list or the ledger has', async () => {
  await take(one.runs, await begun(one, [rowOf(1, 'a'), rowOf(2, 'b'), rowOf(3, 'c')]), 2);
  await one.singles.begin({ id: 'w1', key: 'd', digest: 'x' }, 0);
  await one.singles.begin({ id: 'w2', key: 'c', digest: 'y' }, 0);
  await one.singles.finish('w2', 'i-3');
  await one.runs.open();
  const rows = ['a', 'c', 'd'].map((key, at) => rowOf(at + 1, key));
  const draft = draftOf(one, rows);
  draft.addListed([listed('a', 'i-1'), listed('d', 'i-4')]);
  draft.compareWithList();
  await draft.compareWithLedger(one, ITEMS, { sendsEqual: false });
  const covered = draft.covered(ITEMS);
  expect(covered.rows.map(([, id]) => id)).toEqual(['i-1', 'i-3']);
  expect(covered.entries).toEqual([['w1', 'i-4']]);
  expect(await one.runs.settleCovered(covered)).toBe(true);
  expect(one.states(1)).toEqual(['created', 'unconfirmed', 'existing']);
});

describe('a draft', () => {
  test('with --again, knows what runs have sent whose rest an unfinished run has taken over', async () => {
    const two = connect(one, IMPUTATIONS);
    const rows = ['a', 'b', 'c', 'd'].map((digest, at) => rowOf(at + 1, null, digest));
    // Stopped after each row, twice taken over.
    for (const nth of [1, 2, 3]) {
      const sent = await take(two.runs, await begun(two, rows, IMPUTATIONS), 1);
      await take(two.runs, sent.claim, 0, [created(nth, nth * 2 - 1)]);
    }
    expect(two.all('SELECT phase FROM runs')).toEqual([
      { phase: 'ended' },
      { phase: 'ended' },
      { phase: 'sending' },
    ]);
    expect(await pruneRuns(two.sql, [{ number: 1 }, { number: 2 }])).toBe(2);
    const draft = draftOf(one, rows);
    await draft.compareWithLedger(one, IMPUTATIONS, { sendsEqual: false, again: true });
    expect([...draft.rows('pending')].map(({ row }) => row)).toEqual([4]);
  });
});
