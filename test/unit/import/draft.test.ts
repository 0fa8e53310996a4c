import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemIn } from '../../../src/core/row-problem.ts';
import { foldCode } from '../../../src/core/wording.ts';
import { Draft } from '../../../src/import/draft/draft.ts';
import { atOf, type Place } from '../../../src/ledger/rows.ts';
import { type Connected, connect, IMPUTATIONS, ITEMS, newLedger } from '../ledger/one-database.ts';

const ONCE = { sendsEqual: false, keyField: 'reference' };

let folder: string;
let path: string;
let ledger: Connected;
let draft: Draft;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'draft-'));
  path = newLedger(folder);
  ledger = connect(path, ITEMS);
  draft = new Draft(folder);
});

afterEach(() => {
  draft.close();
  ledger.close();
  rmSync(folder, { recursive: true });
});

function add(
  row: number,
  body: Readonly<Record<string, unknown>>,
  key: string | null,
  digest: string | null = null,
): void {
  const rest = { source: null, line: row + 1, reason: null };
  draft.add({ row, state: 'pending', key, digest, body: JSON.stringify(body), ...rest });
}

const item = (row: number, code: string, name: string, more = {}) =>
  add(row, { code, name, ...more }, foldCode(code));
/** As a file has it: the code beside its key. */
const spelled = (row: number, code: string, name: string) => {
  const rest = { key: foldCode(code), digest: null, source: null, line: row + 1, reason: null };
  draft.add({ row, state: 'pending', code, body: JSON.stringify({ code, name }), ...rest });
};
const imputation = (row: number, reference: string, amount: number) =>
  add(row, { reference, amount }, foldCode(reference), `${reference} ${amount}`);

/** A run with rows that were sent, `created` or in another state. */
function ran(
  number: number,
  { noun, place }: Place,
  rows: readonly {
    key: string;
    digest?: string | null;
    body?: object;
    state?: string;
    id?: string;
  }[],
  { phase = 'ended', intent = number * 10 } = {},
): void {
  ledger.all(
    `INSERT INTO runs (number, name, place, noun, phase, generation, header, planned, last_intent, begun_at)
      VALUES (?, ?, ?, ?, ?, 1, '{}', 0, ?, 1)`,
    ...[number, `run-${number}`, place, noun, phase, intent],
  );
  for (const [
    at,
    { key, digest = null, body = {}, state = 'created', id = 'i' },
  ] of rows.entries()) {
    const row = atOf(number, at + 1);
    ledger.all(
      `INSERT INTO rows (at, state, key, digest, id, intent, sent_at)
        VALUES (${row}, '${state}', '${key}', ${digest === null ? 'NULL' : `'${digest}'`}, '${id}', ${intent}, 1793400000000)`,
    );
    ledger.all('INSERT INTO bodies (at, body) VALUES (?, ?)', row, JSON.stringify(body));
  }
  ledger.all('UPDATE intents SET last = ?', intent);
}

const states = () =>
  [
    ...draft.rows(
      ...(['pending', 'existing', 'rejected', 'unconfirmed', 'sentBefore', 'repeated'] as const),
    ),
  ].map(({ state }) => state);

function reasonOf(row: number): string {
  const found = [...draft.rows('rejected', 'repeated')].find((one) => one.row === row);
  return problemIn(found!.reason!).text;
}

describe('rows of one file', () => {
  test('with a list, equal rows count once, and one code with other values is rejected everywhere', () => {
    item(1, 'A-1', 'Bolt', { size: 1, colour: 'red' });
    spelled(2, 'B-1', 'Nut');
    item(3, 'a-1', 'Bolt', { size: 1 });
    spelled(4, 'b-1', 'Nut');
    item(5, 'C-1', 'Cap');
    spelled(6, 'B-1', 'Nut');
    draft.compareWithin(ITEMS, { ...ONCE, keyField: 'code' });
    expect(states()).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'rejected',
      'pending',
      'rejected',
    ]);
    expect(reasonOf(3)).toMatch(/^row 1 /);
    expect(reasonOf(4)).toMatch(/rows 2, 6 .*spelling/);
  });

  test('equal rows count as one', () => {
    item(1, 'B-1', 'Nut');
    item(2, 'B-1', 'Nut');
    item(3, 'B-1', 'Nut');
    draft.compareWithin(ITEMS, ONCE);
    expect(states()).toEqual(['pending', 'repeated', 'repeated']);
    expect(reasonOf(3)).toMatch(/ row 1$/);
    expect(draft.planned()).toMatchObject({ rows: 3, create: 1, repeated: 2 });
  });

  test('without a list, the second equal row is rejected, unless all are to be sent', () => {
    imputation(1, 'F-1', 5);
    imputation(2, 'F-1', 6);
    imputation(3, 'F-1', 5);
    draft.compareWithin(IMPUTATIONS, { ...ONCE, sendsEqual: true });
    expect(states()).toEqual(['pending', 'pending', 'pending']);
    draft.compareWithin(IMPUTATIONS, ONCE);
    expect(states()).toEqual(['pending', 'pending', 'rejected']);
    expect(reasonOf(3)).toMatch(/ row 1;.*--send-equal/);
  });
});

describe('with the list', () => {
  test('a row exists under its code, or under another spelling with its name', () => {
    item(1, 'A-1', 'Bolt');
    item(2, 'b-1', 'Nut  M8');
    item(3, 'C-1', 'Cap');
    item(4, 'd-1', 'Disc');
    item(5, 'E-1', 'Edge');
    draft.addListed([
      { id: 'i-1', code: 'A-1', name: 'Bolt' },
      { id: 'i-2', code: 'B-1', name: 'Nut M8' },
      { id: 'i-3', code: 'C-1', name: 'Cover' },
      { id: 'i-4', code: 'D-1', name: 'Drum' },
      { id: 'i-5', code: null, name: 'Edge' },
    ]);
    draft.compareWithList();
    expect(states()).toEqual(['existing', 'existing', 'existing', 'rejected', 'pending']);
    expect(draft.otherNames(3)).toEqual({
      count: 1,
      samples: [
        {
          ...{ row: 3, line: 4, code: 'C-1', id: 'i-3' },
          ...{ name: 'Cap', catalogueName: 'Cover' },
        },
      ],
    });
    expect(reasonOf(4)).toMatch(/"d-1".*"D-1" \(i-4\).*"Drum".*"Disc".*--exact-codes/);
  });

  test('of records with one code in several spellings, that with the name is the one', () => {
    item(1, 'a-1', 'Bolt');
    draft.addListed([
      { id: 'i-1', code: 'A-1', name: 'Nut' },
      { id: 'i-2', code: 'A–1', name: 'Bolt' },
      { id: 'i-3', code: 'a -1', name: 'Bolt' },
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
    await draft.compareWithLedger({ path }, ITEMS, ONCE);
    // Behind the lock, after somebody has written to the ledger.
    ran(2, ITEMS, []);
    await draft.compareWithLedger({ path }, ITEMS, ONCE);
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
    await draft.compareWithLedger({ path }, ITEMS, exactly);
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
    await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE);
    expect(states()).toEqual(['rejected', 'sentBefore']);
    expect(reasonOf(1)).toMatch(
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
    add(1, lines(9), 'r', 'R 9');
    await draft.compareWithLedger({ path }, IMPUTATIONS, { ...ONCE, keyField: 'code' });
    expect(reasonOf(1)).toContain(': groups.0.items.0.quantity 1 → 9 (run run-1 row 1);');
  });

  test('but a row that an unfinished run still has to send is sent, also after it was taken over', async () => {
    const sent = { key: 'f-1', digest: 'F-1 5', body: { reference: 'F-1', amount: 5 } };
    const left = { key: 'f-1', digest: 'F-1 6', body: {}, state: 'pending' };
    const compared = async () => {
      imputation(1, 'F-1', 5);
      imputation(2, 'F-1', 6);
      await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE);
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
    await draft.compareWithLedger({ path }, IMPUTATIONS, { ...ONCE, keyField: 'reference' });
    expect(states()).toEqual(['sentBefore', 'pending']);
  });

  test('also if equal rows are to be sent', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-2', digest: 'F-2 5', body: { reference: 'F-2', amount: 5 } }]);
    imputation(1, 'F-2', 5);
    imputation(2, 'F-2', 5);
    imputation(3, 'F-2', 6);
    await draft.compareWithLedger({ path }, IMPUTATIONS, { ...ONCE, sendsEqual: true });
    expect(states()).toEqual(['sentBefore', 'pending', 'rejected']);
  });

  test('--again leaves out what ended runs had sent when the plan was made', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-1', digest: 'F-1 1' }]);
    ran(2, IMPUTATIONS, [{ key: 'f-2', digest: 'F-2 1' }], { phase: 'sending' });
    for (const row of [1, 2, 3, 4]) imputation(row, `F-${row}`, 1);
    const again = { ...ONCE, again: true };
    await draft.compareWithLedger({ path }, IMPUTATIONS, again);
    expect(states()).toEqual(['pending', 'sentBefore', 'pending', 'pending']);
    expect(draft.againUpTo).toBe(20);
    // An unfinished run of then counts, also when it has ended; and whatever was sent since.
    ledger.all("UPDATE runs SET phase = 'ended'");
    ran(3, IMPUTATIONS, [{ key: 'f-3', digest: 'F-3 1' }]);
    await draft.compareWithLedger({ path }, IMPUTATIONS, again);
    expect(states()).toEqual(['pending', 'sentBefore', 'sentBefore', 'pending']);
  });

  test('is compared once more if anybody has written to it, also without an intent', async () => {
    ran(1, IMPUTATIONS, [{ key: 'f-1', digest: 'F-1 1', state: 'unconfirmed' }], {
      phase: 'sending',
    });
    imputation(1, 'F-1', 1);
    await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE);
    expect(draft.planned()).toMatchObject({ sentBefore: 0, unconfirmed: 1 });
    ledger.all("UPDATE rows SET state = 'created'");
    await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE);
    expect(draft.planned()).toMatchObject({ sentBefore: 1, unconfirmed: 0 });
  });

  test('what the confirmed plan leaves out stays out, even if a person has decided since that it was not sent', async () => {
    const open = { digest: 'F-1 1', state: 'unconfirmed' };
    ran(1, IMPUTATIONS, [{ key: 'f-1', ...open }], { phase: 'sending' });
    imputation(1, 'F-1', 1);
    imputation(2, 'F-2', 1);
    await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE);
    ledger.all("UPDATE rows SET state = 'pending'");
    await draft.compareWithLedger({ path }, IMPUTATIONS, ONCE, true);
    expect(draft.planned()).toMatchObject({ create: 1, unconfirmed: 1 });
  });

  test('of what a person gave up, a list decides', async () => {
    ran(1, ITEMS, [{ key: 'a-1', state: 'abandoned' }]);
    ran(2, ITEMS, [{ key: 'b-1', state: 'abandoned', digest: 'd' }]);
    item(1, 'A-1', 'Bolt');
    item(2, 'B-1', 'Nut');
    await draft.compareWithLedger({ path }, ITEMS, ONCE);
    expect(states()).toEqual(['unconfirmed', 'sentBefore']);
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
    await draft.compareWithLedger({ path }, ITEMS, ONCE);
    expect(states()).toEqual(['sentBefore', 'pending', 'unconfirmed']);
  });

  test('tells what remains of unfinished runs', async () => {
    ran(
      1,
      ITEMS,
      [
        { key: 'a-1', state: 'pending' },
        { key: 'b-1', state: 'pending' },
      ],
      { phase: 'sending' },
    );
    item(1, 'A-1', 'Bolt');
    await draft.compareWithLedger({ path }, ITEMS, ONCE);
    expect(draft.remaining(ITEMS)).toEqual({ 'run-1': 1 });
  });
});
