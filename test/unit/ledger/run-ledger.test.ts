import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Draft, type DraftRow } from '../../../src/import/draft/draft.ts';
import { pruneRuns } from '../../../src/ledger/decided-rows.ts';
import type { Place } from '../../../src/ledger/rows.ts';
import { type Claim, LedgerChanged, type RowOutcome } from '../../../src/ledger/run-ledger.ts';
import { type Connected, connect, IMPUTATIONS, ITEMS, newLedger } from './one-database.ts';

const listed = (code: string, id: string) => ({ id, code, name: null });

let folder: string;
let path: string;
let one: Connected;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  path = newLedger(folder);
  one = connect(path, ITEMS);
});

afterEach(() => {
  one.close();
  rmSync(folder, { recursive: true });
});

function rowOf(row: number, key: string | null, digest: string | null = null): DraftRow {
  return {
    row,
    state: 'pending',
    key,
    digest,
    body: `{"code":"${key}"}`,
    source: null,
    line: row,
    reason: null,
  };
}

/** A run of these rows that may send. */
async function begun(
  { runs }: Connected,
  rows: readonly DraftRow[],
  where: Place = ITEMS,
  sendsEqual = false,
): Promise<Claim> {
  const draft = new Draft(folder);
  try {
    for (const row of rows) draft.add(row);
    const opened = await runs.open();
    await draft.compareWithLedger({ path }, where, { sendsEqual });
    const name = `r${Math.random()}`;
    const claim = await runs.create({ name, header: {}, planned: opened!.planned, now: 1 });
    for (const lot of draft.lots(2)) expect(await runs.fill(claim!, lot)).toBe(true);
    expect(await runs.begin(claim!)).toBe(true);
    return claim!;
  } finally {
    draft.close();
  }
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
    const other = connect(path, IMPUTATIONS);
    await begun(other, [rowOf(1, 'K', 'd')], IMPUTATIONS);
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A')]));
    const outcomes = [created(1, first.claim.lastIntent)];
    const { claim } = await take(one.runs, first.claim, 0, outcomes);
    expect(await one.runs.end(claim, {}, 5)).toEqual({ created: 1 });
    expect(one.all('SELECT at >> 32 AS run FROM bodies')).toEqual([{ run: 1 }]);
    other.close();
  });

  test('that was not filled is gone when the place is opened again', async () => {
    const { planned } = (await one.runs.open())!;
    await one.runs.create({ name: 'half', header: {}, planned, now: 1 });
    await one.runs.open();
    expect(one.all('SELECT * FROM runs')).toEqual([]);
  });

  test('is stopped by another process that opens it; its late answers only confirm', async () => {
    const first = await take(one.runs, await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]));
    const two = connect(path, ITEMS);
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
    two.close();
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
    const other = connect(path, ITEMS, () => false);
    expect(await other.runs.open()).toBeUndefined();
    expect(await other.runs.create({ name: 'r', header: {}, planned: 0, now: 1 })).toBeUndefined();
    other.close();
  });

  test('that is not filled goes with the next opening, and its number is not used again', async () => {
    const claim = await one.runs.create({ name: 'r', header: {}, planned: 0, now: 1 });
    const row = {
      row: 1,
      state: 'pending',
      key: 'A',
      digest: null,
      body: '{}',
      source: null,
      line: 1,
    } as const;
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
    const two = connect(path, IMPUTATIONS);
    const first = await take(two.runs, await begun(two, [rowOf(1, null, 'd1')], IMPUTATIONS));
    const last = await take(two.runs, first.claim, 0, [
      { row: 1, intent: 1, state: 'unconfirmed' },
    ]);
    expect(await two.runs.end(last.claim, {}, 5)).toEqual({ unconfirmed: 1 });
    expect(two.all('SELECT at FROM bodies')).toHaveLength(1);
    two.close();
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

  test('a run with nothing left ends', async () => {
    await begun(one, [rowOf(1, 'A')]);
    await begun(one, [rowOf(1, 'A')]);
    expect(one.all('SELECT phase FROM runs')).toEqual([{ phase: 'ended' }, { phase: 'sending' }]);
  });

  test('of equal rows as many as it has; equal bodies before equal keys', async () => {
    const two = connect(path, IMPUTATIONS);
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
    two.close();
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

  test('sends what a look-up found absent, although an earlier write was open', async () => {
    const claim = await begun(one, [rowOf(1, 'A')]);
    await one.singles.begin({ id: 'w1', key: 'A', digest: 'x' }, 0);
    const held = await take(one.runs, claim);
    await one.runs.settle(held.claim, new Map([['A', null]]));
    expect((await take(one.runs, held.claim)).taken).toHaveLength(1);
    expect(one.all('SELECT state FROM entries')).toEqual([{ state: 'not-applied' }]);
  });

  test('rejects another value of a key that nothing lists', async () => {
    const two = connect(path, IMPUTATIONS);
    const claim = await begun(two, [rowOf(1, 'F-2', 'new'), rowOf(2, null, 'same')], IMPUTATIONS);
    await two.singles.begin({ id: 'w1', key: 'F-2', digest: 'old' }, 0);
    await two.singles.finish('w1', 'i-1');
    await two.singles.begin({ id: 'w2', key: null, digest: 'same' }, 0);
    await two.singles.finish('w2', 'i-2');
    expect((await take(two.runs, claim)).held).toMatchObject([
      { row: 1, state: 'rejected' },
      { row: 2, state: 'existing' },
    ]);
    two.close();
  });

  test('holds back what another run has sent since', async () => {
    // Two processes think that they have the lock.
    const claim = await begun(one, [rowOf(1, 'A'), rowOf(2, 'B')]);
    const two = connect(path, { ...ITEMS, place: ITEMS.place });
    const other = await two.runs.create({ name: 'other', header: {}, planned: 0, now: 1 });
    const row = {
      row: 1,
      state: 'pending',
      key: 'B',
      digest: null,
      body: '{}',
      source: null,
      line: 1,
    } as const;
    await two.runs.fill(other!, [row]);
    two.all("UPDATE runs SET phase = 'sending' WHERE number = 2");
    await take(two.runs, other!);
    const first = await take(one.runs, claim, 1);
    expect([first.held, first.taken.map((taken) => taken.row)]).toEqual([[], [1]]);
    const second = await take(one.runs, first.claim, 1, [], 1);
    expect(second.held).toEqual([{ row: 2, key: 'B', state: 'unconfirmed', id: null }]);
    expect(one.all('SELECT planned FROM runs WHERE number = 1')).toEqual([{ planned: 0 }]);
    two.close();
  });

  test('keeps what a person gave up as sent', async () => {
    const two = connect(path, IMPUTATIONS);
    await take(two.runs, await begun(two, [rowOf(1, null, 'd')], IMPUTATIONS));
    two.all("UPDATE rows SET state = 'abandoned'");
    const draft = new Draft(folder);
    draft.add(rowOf(1, null, 'd'));
    await draft.compareWithLedger({ path }, IMPUTATIONS, { sendsEqual: false });
    expect([...draft.rows('sentBefore')]).toMatchObject([
      { row: 1, by_run: 1, by_row: 1, is_open: 0 },
    ]);
    draft.close();
    expect(await two.singles.begin({ id: 'w', key: null, digest: 'd' }, 0)).toMatchObject({
      row: 1,
      isOpen: false,
    });
    two.close();
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
      const two = connect(path, { ...ITEMS, isExact });
      const opened = await two.runs.open();
      const claim = opened!.unfinished.find(({ number }) => number === 2);
      expect(await two.runs.compare(claim!, opened!.planned)).toMatchObject(held);
      two.close();
    }
  });

  test('with --exact-codes, takes over no row with another spelling', async () => {
    await begun(one, [rowOf(1, 'ab'), rowOf(2, 'cd')]);
    const two = connect(path, { ...ITEMS, isExact: true });
    await begun(two, [
      { ...rowOf(1, 'ab'), code: 'AB' },
      { ...rowOf(2, 'cd'), code: null },
    ]);
    expect([two.states(1), two.states(2)]).toEqual([
      ['pending', 'dropped'],
      ['pending', 'pending'],
    ]);
    const draft = new Draft(folder);
    draft.add({ ...rowOf(1, 'ab'), code: 'Ab' });
    await draft.compareWithLedger({ path }, ITEMS, { sendsEqual: false, isExact: true });
    expect(Object.values(draft.remaining({ ...ITEMS, isExact: true }))).toEqual([1, 2]);
    draft.close();
    two.close();
  });

  test('with --exact-codes, a look-up tells nothing of another spelling that is open elsewhere', async () => {
    await take(one.runs, await begun(one, [rowOf(1, 'ab')]));
    const two = connect(path, { ...ITEMS, isExact: true });
    const second = await begun(two, [{ ...rowOf(1, 'ab'), code: 'AB' }]);
    expect(two.states(2)).toEqual(['unconfirmed']);
    expect(await two.runs.settle(second, new Map([['ab', null]]))).toBe(true);
    expect([two.states(1), two.states(2)]).toEqual([['unconfirmed'], ['pending']]);
    const draft = new Draft(folder);
    draft.add({ ...rowOf(1, 'ab'), code: 'AB', body: '{"code":"AB"}' });
    draft.addListed([{ id: 'i-1', code: 'AB', name: null }]);
    draft.compareWithList({ isExact: true });
    await draft.compareWithLedger({ path }, ITEMS, { sendsEqual: false, isExact: true });
    expect(draft.covered({ ...ITEMS, isExact: true }).rows).toEqual([[2 ** 33 + 1, 'i-1']]);
    draft.close();
    two.close();
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
  const draft = new Draft(folder);
  for (const [at, key] of ['a', 'c', 'd'].entries()) draft.add(rowOf(at + 1, key));
  draft.addListed([listed('a', 'i-1'), listed('d', 'i-4')]);
  draft.compareWithList();
  await draft.compareWithLedger({ path }, ITEMS, { sendsEqual: false });
  const covered = draft.covered(ITEMS);
  expect(covered.rows.map(([, id]) => id)).toEqual(['i-1', 'i-3']);
  expect(covered.entries).toEqual([['w1', 'i-4']]);
  draft.close();
  expect(await one.runs.settleCovered(covered)).toBe(true);
  expect(one.states(1)).toEqual(['created', 'unconfirmed', 'existing']);
});

describe('a draft', () => {
  test('leaves no file', () => {
    const draft = new Draft(folder);
    draft.add(rowOf(1, 'A'));
    expect(readdirSync(folder).filter((name) => name.startsWith('draft'))).toEqual([]);
    draft.close();
  });

  test('knows what the list shows, what was sent, and what was sent with other values', async () => {
    const two = connect(path, IMPUTATIONS);
    const first = await take(
      two.runs,
      await begun(
        two,
        [rowOf(1, 'F-1', 'd1'), rowOf(2, 'F-2', 'd2'), rowOf(3, 'F-3', 'd3')],
        IMPUTATIONS,
      ),
    );
    await take(two.runs, first.claim, 0, [created(1, 1), created(2, 1)]);
    const draft = new Draft(folder);
    for (const row of [
      rowOf(1, 'F-1', 'd1'),
      rowOf(2, 'F-2', 'other'),
      rowOf(3, 'F-3', 'd3'),
      rowOf(4, 'F-4', 'd4'),
    ])
      draft.add(row);
    await draft.compareWithLedger({ path }, IMPUTATIONS, { sendsEqual: false });
    expect(draft.planned()).toMatchObject({
      create: 1,
      rejected: 1,
      sentBefore: 1,
      unconfirmed: 1,
    });
    // Again, behind the lock: what was dropped since is to be sent.
    two.all("UPDATE rows SET state = 'dropped' WHERE key = 'F-3'");
    await draft.compareWithLedger({ path }, IMPUTATIONS, { sendsEqual: false });
    expect(draft.planned()).toMatchObject({ create: 2, rejected: 1, sentBefore: 1 });
    draft.close();
    two.close();
    const items = new Draft(folder);
    items.add(rowOf(1, 'a'));
    items.add(rowOf(2, 'b'));
    items.addListed([listed('a', 'i-1'), listed('z', 'i-2')]);
    items.compareWithList();
    expect(items.planned().existing).toBe(1);
    expect([...items.rows('existing')]).toMatchObject([{ row: 1, id: 'i-1' }]);
    items.close();
  });

  test('of equal rows, sends as many as were not sent before', async () => {
    const two = connect(path, IMPUTATIONS);
    const first = await take(two.runs, await begun(two, [rowOf(1, null, 'd')], IMPUTATIONS));
    await take(two.runs, first.claim, 0, [created(1, 1)]);
    const draft = new Draft(folder);
    for (const row of [rowOf(1, null, 'd'), rowOf(2, null, 'd'), rowOf(3, null, 'd')])
      draft.add(row);
    await draft.compareWithLedger({ path }, IMPUTATIONS, { sendsEqual: true });
    expect([...draft.rows('pending')].map(({ row }) => row)).toEqual([2, 3]);
    draft.close();
    two.close();
  });

  test('with --again, knows what runs have sent whose rest an unfinished run has taken over', async () => {
    const two = connect(path, IMPUTATIONS);
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
    const draft = new Draft(folder);
    for (const row of rows) draft.add(row);
    await draft.compareWithLedger({ path }, IMPUTATIONS, { sendsEqual: false, again: true });
    expect([...draft.rows('pending')].map(({ row }) => row)).toEqual([4]);
    draft.close();
    two.close();
  });
});
