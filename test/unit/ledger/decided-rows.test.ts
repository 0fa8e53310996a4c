import { beforeEach, expect, test } from 'vitest';
import {
  type Decision,
  dropRest,
  pruneRuns,
  recordDecisions,
} from '../../../src/ledger/decided-rows.ts';
import type { Claim } from '../../../src/ledger/run-ledger.ts';
import { type Connected, IMPUTATIONS, newLedger, rowOf } from './one-database.ts';

let at: Connected;

beforeEach(() => {
  at = newLedger(IMPUTATIONS);
});

const resolve = (number: number, decisions: readonly Decision[]) =>
  recordDecisions(at.sql, IMPUTATIONS, number, decisions);

/** A run whose rows, with these keys and digests, were sent and are unconfirmed. */
async function unconfirmed(
  ...rows: readonly (readonly [key: string | null, digest: string])[]
): Promise<Claim> {
  const opened = await at.runs.open();
  const name = `r-${Math.random()}`;
  const claim = await at.runs.create({ name, header: {}, planned: opened!.planned, now: 1 });
  const added = rows.map(([key, digest], index) => rowOf(index + 1, key, digest));
  await at.runs.fill(claim!, added);
  await at.runs.begin(claim!);
  const { claim: sent } = (await at.runs.batch(claim!, {
    outcomes: [],
    most: 9,
    after: 0,
    now: 2,
  }))!;
  const outcomes = added.map(({ row }) => ({
    row,
    intent: sent.lastIntent,
    state: 'unconfirmed' as const,
  }));
  const last = (await at.runs.batch(sent, { outcomes, most: 0, after: 0, now: 3 }))!;
  await at.runs.end(last.claim, {}, 4);
  return last.claim;
}

test('a person adopts, resends and gives up; a resent row makes the run unfinished', async () => {
  const claim = await unconfirmed([null, 'a'], [null, 'b'], [null, 'c'], [null, 'd']);
  const decisions = [
    { row: 1, kind: 'adopt', id: 'im-1' },
    { row: 2, kind: 'resend' },
    { row: 3, kind: 'drop' },
    { row: 4, kind: 'adopt', id: undefined },
  ] as const;
  expect(await resolve(claim.number, decisions)).toEqual([]);
  expect(at.states(1)).toEqual(['created', 'pending', 'abandoned', 'created']);
  const opened = await at.runs.open();
  const [resumed] = opened!.unfinished;
  expect(await at.runs.compare(resumed!, opened!.planned)).toEqual([]);
  const batch = await at.runs.batch(resumed!, { outcomes: [], most: 9, after: 0, now: 5 });
  expect(batch!.taken.map(({ row }) => row)).toEqual([2]);
});

test('a row that is sent again is compared with what others have sent since', async () => {
  const first = await unconfirmed(['F-1', 'old'], ['F-2', 'same'], ['F-3', 'x']);
  await at.singles.begin({ id: 'w1', key: 'F-1', digest: 'new' }, undefined);
  await at.singles.finish('w1', 'im-7');
  await at.singles.begin({ id: 'w2', key: 'F-2', digest: 'same' }, undefined);
  await at.singles.finish('w2', 'im-8');
  const decisions = [1, 2, 3].map((row) => ({ row, kind: 'resend' }) as const);
  expect(await resolve(first.number, decisions)).toEqual([]);
  expect(at.states(1)).toEqual(['rejected', 'existing', 'pending']);
  expect(at.all('SELECT id FROM rows ORDER BY at LIMIT 2')).toEqual([
    { id: 'im-7' },
    { id: 'im-8' },
  ]);
});

test('nothing is recorded if a row is not unconfirmed, or another row has the id', async () => {
  const { number } = await unconfirmed([null, 'a'], [null, 'a2'], [null, 'b']);
  await resolve(number, [{ row: 1, kind: 'adopt', id: 'im-1' }]);
  const adopted = await resolve(number, [
    { row: 1, kind: 'resend' },
    { row: 2, kind: 'adopt', id: 'im-1' },
    { row: 3, kind: 'resend' },
  ]);
  expect(adopted).toEqual([
    { row: 1, why: 'not unconfirmed' },
    { row: 2, why: 'id taken', id: 'im-1', by: 'row 1' },
  ]);
  const alike = [2, 3].map((row) => ({ row, kind: 'adopt', id: 'im-2' }) as const);
  expect(await resolve(number, alike)).toEqual([
    { row: 3, why: 'id taken', id: 'im-2', by: 'row 2' },
  ]);
  expect(at.states(1)).toEqual(['created', 'unconfirmed', 'unconfirmed']);
});

test('an id that a row of another run or a single write has created is taken', async () => {
  const first = await unconfirmed([null, 'a']);
  await resolve(first.number, [{ row: 1, kind: 'adopt', id: 'im-1' }]);
  await at.singles.begin({ id: 'w1', key: null, digest: 'w' }, undefined);
  await at.singles.finish('w1', 'im-2');
  const { number } = await unconfirmed([null, 'b'], [null, 'c']);
  const taken = await resolve(number, [
    { row: 1, kind: 'adopt', id: 'im-1' },
    { row: 2, kind: 'adopt', id: 'im-2' },
  ]);
  expect(taken).toMatchObject([
    { row: 1, why: 'id taken', by: expect.stringMatching(/^row 1 of /) },
    { row: 2, why: 'id taken', by: 'the write w1' },
  ]);
});

test('a row that was held back was sent by others, so it may have their id', async () => {
  const first = await unconfirmed([null, 'a']);
  await resolve(first.number, [{ row: 1, kind: 'adopt', id: 'im-1' }]);
  const { number } = await unconfirmed([null, 'b']);
  await at.sql.run('UPDATE rows SET intent = NULL WHERE at >> 32 = ?', number);
  expect(await resolve(number, [{ row: 1, kind: 'adopt', id: 'im-1' }])).toEqual([]);
  expect(at.states(number)).toEqual(['existing']);
});

test('a decision stops the process that writes the run', async () => {
  const claim = await unconfirmed([null, 'a']);
  await resolve(claim.number, [{ row: 1, kind: 'resend' }]);
  expect(await at.runs.batch(claim, { outcomes: [], most: 1, after: 0, now: 5 })).toBeUndefined();
});

test('the rest of a run is given up at once, and counts as sent', async () => {
  const claim = await unconfirmed([null, 'a'], [null, 'b']);
  await resolve(claim.number, [{ row: 2, kind: 'resend' }]);
  await dropRest(at.sql, claim.number);
  expect(at.states(1)).toEqual(['abandoned', 'dropped']);
  expect(at.all('SELECT phase FROM runs')).toEqual([{ phase: 'ended' }]);
  expect(await at.singles.begin({ id: 'w', key: null, digest: 'a' }, 0)).toMatchObject({ row: 1 });
  expect(await at.singles.begin({ id: 'w', key: null, digest: 'b' }, 0)).toBeUndefined();
});

test('prune takes what ended runs no longer need, and remembers what was sent', async () => {
  const claim = await unconfirmed([null, 'a'], [null, 'b']);
  expect(await pruneRuns(at.sql, [claim])).toBe(0);
  await resolve(claim.number, [
    { row: 1, kind: 'adopt', id: 'im-1' },
    { row: 2, kind: 'adopt', id: 'im-2' },
  ]);
  expect(await pruneRuns(at.sql, [claim])).toBe(1);
  expect(at.all('SELECT at FROM bodies')).toEqual([]);
  expect(await at.singles.begin({ id: 'w', key: null, digest: 'a' }, 0)).toMatchObject({
    row: 1,
    isOpen: false,
  });
});

test('a run that sends again is not over, and one that is given up is', async () => {
  const { number } = await unconfirmed(['f-1', 'F-1 5']);
  const finishedAt = () => at.all('SELECT finished_at FROM runs')[0]!.finished_at;
  expect(finishedAt()).toBe(4);
  await resolve(number, [{ row: 1, kind: 'resend' }]);
  expect(finishedAt()).toBe(null);
  await dropRest(at.sql, number);
  expect(finishedAt()).toBe(2);
});
