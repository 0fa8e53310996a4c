import { beforeEach, describe, expect, test } from 'vitest';
import { foldCode } from '../../../src/core/fold-code.ts';
import { problemIn } from '../../../src/core/row-problem.ts';
import type { Draft } from '../../../src/import/draft/draft.ts';
import { atOf, type Place } from '../../../src/ledger/rows.ts';
import {
  type Connected,
  draftOf,
  IMPUTATIONS,
  ITEMS,
  newLedger,
  rowOf,
} from '../ledger/one-database.ts';

const ONCE = { sendsEqual: false, keyField: 'reference' };

let ledger: Connected;
let draft: Draft;

beforeEach(() => {
  ledger = newLedger(ITEMS);
  draft = draftOf(ledger);
});

const item = (row: number, code: string, name: string) =>
  draft.add(rowOf(row, foldCode(code), null, { code, name }));
const imputation = (row: number, reference: string, amount: number) =>
  draft.add(rowOf(row, foldCode(reference), `${reference} ${amount}`, { reference, amount }));

/** A run with rows that were sent, `created` or in another state. */
function ran(
  number: number,
  { noun, place }: Place,
  rows: readonly { key: string; digest?: string; body?: object; state?: string; id?: string }[],
  { phase = 'ended', intent = number * 10 } = {},
): void {
  ledger.all(
    `INSERT INTO runs (number, name, place, noun, phase, generation, header, planned, last_intent, begun_at)
      VALUES (?, ?, ?, ?, ?, 1, '{}', 0, ?, 1)`,
    ...[number, `run-${number}`, place, noun, phase, intent],
  );
  for (const [at, one] of rows.entries()) {
    const { key, digest = '', body = {}, state = 'created', id = 'i' } = one;
    const row = atOf(number, at + 1);
    ledger.all(
      `INSERT INTO rows (at, state, key, digest, id, intent, sent_at)
        VALUES (?, ?, ?, nullif(?, ''), ?, ?, 1793400000000)`,
      ...[row, state, key, digest, id, intent],
    );
    ledger.all('INSERT INTO bodies (at, body) VALUES (?, ?)', row, JSON.stringify(body));
  }
  ledger.all('UPDATE intents SET last = ?', intent);
}

const states = () =>
  [...draft.rows('pending', 'existing', 'rejected', 'unconfirmed', 'sentBefore')].map(
    ({ state }) => state,
  );

const rejection = () => problemIn([...draft.rows('rejected')][0]!.reason!).text;

describe('with the list', () => {
  test('of records with one code in several spellings, that with the name is the one', () => {
    item(1, 'a-1', 'Bolt');
    draft.addListed([
      { id: 'i-1', code: 'A-1', name: 'Nut' },
      { id: 'i-2', code: 'A–1', name: 'Bolt' },
      { id: 'i-3', code: 'a -1', name: 'Bolt' },
      { id: 'i-4', code: null, name: 'Bolt' },
    ]);
    draft.compareWithList();
    expect([...draft.rows('existing')]).toMatchObject([{ row: 1, id: 'i-2' }]);
  });

  test('another spelling with another name exists if a row like it has created it, and counts as renamed', async () => {
    ran(1, ITEMS, [{ key: 'd-1', id: 'i-4' }]);
    item(1, 'd-1', 'Disc');
    item(2, 'e-1', 'Edge');
    draft.addListed([
      { id: 'i-4', code: 'D-1', name: 'Drum' },
      { id: 'i-5', code: 'E-1', name: 'Ebb' },
    ]);
    draft.compareWithList();
    await draft.compareWithLedger(ledger, ITEMS, ONCE);
    // Behind the lock, after somebody has written to the ledger.
    ran(2, ITEMS, []);
    await draft.compareWithLedger(ledger, ITEMS, ONCE);
    expect(states()).toEqual(['existing', 'rejected']);
    expect(draft.otherNames(3)).toMatchObject({
      count: 1,
      samples: [{ row: 1, code: 'd-1', name: 'Disc', catalogueName: 'Drum' }],
    });
  });

  test('--exact-codes: another spelling is another record, in list and ledger', async () => {
    ran(1, ITEMS, [
      { key: 'd-1', id: 'i-4' },
      { key: 'e-1', id: 'i-5' },
    ]);
    item(1, 'd-1', 'Disc');
    item(2, 'e-1', 'Edge');
    item(3, 'F-1', 'Foot');
    item(4, 'g-1', 'Gear');
    draft.addListed([
      { id: 'i-4', code: 'D-1', name: 'Disc' },
      { id: 'i-6', code: 'F-1', name: 'Leg' },
    ]);
    const exactly = { ...ONCE, isExact: true };
    draft.compareWithList(exactly);
    await draft.compareWithLedger(ledger, ITEMS, exactly);
    // Nothing shows that e-1 was created under another spelling.
    expect(states()).toEqual(['pending', 'sentBefore', 'existing', 'pending']);
  });
});

describe('with the ledger', () => {
  test('a corrected row is rejected with all values that were sent under its key', async () => {
    ran(1, IMPUTATIONS, [
      { key: 'f-2', digest: 'F-2 5.25', body: { reference: 'F-2', amount: 5.25 } },
      { key: 'f-2', digest: 'F-2 7', body: { reference: 'F-2', amount: 7, notes: 'n' } },
    ]);
    imputation(1, 'F-2', 5.2);
    imputation(2, 'F-2', 7);
    await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE);
    expect(states()).toEqual(['rejected', 'sentBefore']);
    expect(rejection()).toMatch(
      /^F-2 .*amount 5\.25 → 5\.2 \(run run-1 row 1\), amount 7 → 5\.2, notes n → \(none\) \(run run-1 row 2\)/,
    );
    expect(draft.lastSent()).toEqual({ at: 1793400000000, run: 'run-1' });
  });

  test('with what differs inside', async () => {
    const lines = (quantity: number) => ({
      code: 'R',
      groups: [{ items: [{ id: 'i', quantity }] }],
    });
    ran(1, IMPUTATIONS, [{ key: 'r', digest: 'R 1', body: lines(1) }]);
    draft.add(rowOf(1, 'r', 'R 9', lines(9)));
    await draft.compareWithLedger(ledger, IMPUTATIONS, { ...ONCE, keyField: 'code' });
    expect(rejection()).toContain(': groups.0.items.0.quantity 1 → 9 (run run-1 row 1);');
  });

  test('but a row that an unfinished run still has to send is sent, also after it was taken over', async () => {
    const sent = { key: 'f-1', digest: 'F-1 5', body: { reference: 'F-1', amount: 5 } };
    const left = { key: 'f-1', digest: 'F-1 6', body: {}, state: 'pending' };
    const compared = async () => {
      imputation(1, 'F-1', 5);
      imputation(2, 'F-1', 6);
      await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE);
      return states();
    };
    ran(1, IMPUTATIONS, [sent]);
    ran(2, IMPUTATIONS, [left], { phase: 'sending' });
    // A run of another service sends nothing here.
    ran(3, { ...IMPUTATIONS, place: 'http://b.example acme' }, [left], { phase: 'sending' });
    ledger.all('UPDATE runs SET planned = 15 WHERE number = 3');
    // Run 2 has not known of what run 1 sent.
    expect(await compared()).toEqual(['sentBefore', 'rejected']);
    ledger.all('UPDATE runs SET planned = 15 WHERE number = 2');
    await draft.compareWithLedger(ledger, IMPUTATIONS, { ...ONCE, keyField: 'reference' });
    expect(states()).toEqual(['sentBefore', 'pending']);
  });

  test('also if equal rows are to be sent', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-2', digest: 'F-2 5', body: { reference: 'F-2', amount: 5 } }]);
    imputation(1, 'F-2', 5);
    imputation(2, 'F-2', 5);
    imputation(3, 'F-2', 6);
    await draft.compareWithLedger(ledger, IMPUTATIONS, { ...ONCE, sendsEqual: true });
    expect(states()).toEqual(['sentBefore', 'pending', 'rejected']);
  });

  test('--again leaves out what ended runs had sent when the plan was made', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-1', digest: 'F-1 1' }]);
    ran(2, IMPUTATIONS, [{ key: 'f-2', digest: 'F-2 1' }], { phase: 'sending' });
    for (const row of [1, 2, 3, 4]) imputation(row, `F-${row}`, 1);
    const again = { ...ONCE, again: true };
    await draft.compareWithLedger(ledger, IMPUTATIONS, again);
    expect(states()).toEqual(['pending', 'sentBefore', 'pending', 'pending']);
    expect(draft.againUpTo).toBe(20);
    // An unfinished run of then counts, also when it has ended; and whatever was sent since.
    ledger.all("UPDATE runs SET phase = 'ended'");
    ran(3, IMPUTATIONS, [{ key: 'f-3', digest: 'F-3 1' }]);
    await draft.compareWithLedger(ledger, IMPUTATIONS, again);
    expect(states()).toEqual(['pending', 'sentBefore', 'sentBefore', 'pending']);
  });

  test('is compared once more if anybody has written to it, also without an intent', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-1', digest: 'F-1 1', state: 'unconfirmed' }], {
      phase: 'sending',
    });
    imputation(1, 'F-1', 1);
    await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE);
    expect(draft.planned()).toMatchObject({ sentBefore: 0, unconfirmed: 1 });
    ledger.all("UPDATE rows SET state = 'created'");
    await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE);
    expect(draft.planned()).toMatchObject({ sentBefore: 1, unconfirmed: 0 });
  });

  test('what the confirmed plan leaves out stays out, even if a person has decided since that it was not sent', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-1', digest: 'F-1 1', state: 'unconfirmed' }], {
      phase: 'sending',
    });
    imputation(1, 'F-1', 1);
    imputation(2, 'F-2', 1);
    await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE);
    ledger.all("UPDATE rows SET state = 'pending'");
    await draft.compareWithLedger(ledger, IMPUTATIONS, ONCE, true);
    expect(draft.planned()).toMatchObject({ create: 1, unconfirmed: 1 });
  });

  test('single writes count as well, unless they had no effect', async () => {
    for (const [id, created] of [
      ['w-1', 'i-1'],
      ['w-2', null],
      ['w-3', undefined],
    ] as const) {
      await ledger.singles.begin({ id, key: id, digest: id }, undefined);
      await ledger.singles.finish(id, created);
      item(Number(id.slice(2)), id, 'Bolt');
    }
    await draft.compareWithLedger(ledger, ITEMS, ONCE);
    expect(states()).toEqual(['sentBefore', 'pending', 'unconfirmed']);
  });
});
