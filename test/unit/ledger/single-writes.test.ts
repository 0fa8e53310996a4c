import { beforeEach, describe, expect, test } from 'vitest';
import type { Claim, RowOutcome } from '../../../src/ledger/run-ledger.ts';
import { type Connected, connect, IMPUTATIONS, ITEMS, newLedger, rowOf } from './one-database.ts';

const SENT_AT = 1_000;

let at: Connected;

beforeEach(() => {
  at = newLedger(ITEMS);
});

/** A run with a row for each code, in lots of two. */
async function filled({ runs }: Connected, ...codes: readonly string[]): Promise<Claim> {
  const { planned } = (await runs.open())!;
  const claim = (await runs.create({ name: `r${Math.random()}`, header: {}, planned, now: 1 }))!;
  const rows = codes.map((key, index) => rowOf(index + 1, key));
  for (let from = 0; from < rows.length; from += 2)
    await runs.fill(claim, rows.slice(from, from + 2));
  return claim;
}

async function sent({ runs }: Connected, claim: Claim): Promise<Claim> {
  await runs.begin(claim);
  return (await runs.batch(claim, { outcomes: [], most: 99, after: 0, now: SENT_AT }))!.claim;
}

async function told(
  { runs }: Connected,
  claim: Claim,
  states: readonly RowOutcome['state'][],
): Promise<Claim> {
  const outcomes = states.map((state, at) => ({
    ...{ row: at + 1, intent: claim.lastIntent, state },
    id: state === 'created' ? `i-${at + 1}` : null,
  }));
  return (await runs.batch(claim, { outcomes, most: 0, after: 0, now: SENT_AT }))!.claim;
}

let writes = 0;
const single = (key: string, since = 0, { singles }: Connected = at) =>
  singles.begin({ id: `w-${writes++}`, key, digest: `d ${writes}` }, since);

describe('the code of a row of an import', () => {
  test('stops a single write once it was sent, and not before', async () => {
    const filling = await filled(at, 'a', 'b', 'c', 'd', 'e');
    // A run that fills has sent nothing.
    expect(await single('c')).toBeUndefined();
    at.all('DELETE FROM entries');
    const claim = await sent(at, filling);
    expect(await single('c')).toMatchObject({ row: 3, isOpen: true });
    await told(at, claim, ['created', 'rejected', 'created', 'pending', 'unconfirmed']);
    expect(await single('a')).toMatchObject({ row: 1, isOpen: false });
    expect(await single('c')).toMatchObject({ row: 3, isOpen: false });
    expect(await single('e')).toMatchObject({ row: 5, isOpen: true });
    expect(await single('b')).toBeUndefined();
    expect(await single('d')).toBeUndefined();
    expect(await single('f')).toBeUndefined();
  });

  test('stops only for a time, at its place, and if nobody wants it again', async () => {
    const claim = await told(at, await sent(at, await filled(at, 'a')), ['created']);
    await at.runs.end(claim, {}, SENT_AT + 5);
    expect(await single('a', SENT_AT)).toMatchObject({ row: 1 });
    expect(await single('a', SENT_AT + 1)).toBeUndefined();
    at.all('DELETE FROM entries');
    const elsewhere = connect(at, { ...ITEMS, place: 'http://b.example acme' });
    expect(await single('a', 0, elsewhere)).toBeUndefined();
    expect(await at.singles.begin({ id: 'again', key: 'a', digest: 'x' }, undefined)).toBe(
      undefined,
    );
  });

  test('that a dead process was filling is forgotten with its run', async () => {
    await filled(at, 'a', 'b', 'c');
    await at.runs.open();
    expect(at.all('SELECT count(*) AS n FROM lots')).toEqual([{ n: 0 }]);
    expect(await single('a')).toBeUndefined();
  });
});

test('a write of a noun without a list repeats only what has its body, unless that is open', async () => {
  const two = connect(at, IMPUTATIONS);
  const begin = (id: string, digest: string) => two.singles.begin({ id, key: 'F-1', digest }, 0);
  expect(await begin('w1', 'd1')).toBeUndefined();
  expect(await begin('w2', 'd2')).toEqual({ entry: 'w1', isOpen: true });
  await two.singles.finish('w1', 'im-1');
  expect(await begin('w3', 'd2')).toBeUndefined();
  await two.singles.finish('w3', 'im-2');
  expect(await begin('w4', 'd1')).toEqual({ entry: 'w1', isOpen: false });
});

describe('a request that was turned away and is sent again', () => {
  const again = () => at.singles.begin({ id: 'w', key: 'a', digest: 'x' }, 0, true);

  test('gets a later intent', async () => {
    await at.singles.begin({ id: 'w', key: 'a', digest: 'x' }, 0);
    await single('b');
    expect(await again()).toBeUndefined();
    expect(at.all("SELECT intent, state FROM entries WHERE id = 'w'")).toEqual([
      { intent: 3, state: 'pending' },
    ]);
  });

  test('is not sent if an import has meanwhile found that it never arrived, and sends the row', async () => {
    const filling = await filled(at, 'a');
    await at.singles.begin({ id: 'w', key: 'a', digest: 'x' }, 0);
    await at.runs.begin(filling);
    const held = await at.runs.batch(filling, { outcomes: [], most: 9, after: 0, now: SENT_AT });
    expect(held!.taken).toEqual([]);
    await at.runs.settle(held!.claim, new Map([['a', null]]));
    expect(at.all("SELECT state FROM entries WHERE id = 'w'")).toEqual([{ state: 'not-applied' }]);
    const batch = await at.runs.batch(held!.claim, {
      outcomes: [],
      most: 9,
      after: 0,
      now: SENT_AT,
    });
    expect(batch!.taken).toMatchObject([{ row: 1 }]);
    expect(await again()).toMatchObject({ row: 1, isOpen: true });
  });
});
