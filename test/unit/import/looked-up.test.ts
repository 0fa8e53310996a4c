import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/core/problem/row-problem.ts';
import { storedProblem } from '../../../src/core/problem/row-problem.ts';
import { lookedUp, parked } from '../../../src/import/reconcile/verdicts.ts';

const BROKE: Problem = { code: 'connection_broke', args: { cause: 'ECONNRESET' } };
const INCOMPLETE: Problem = { code: 'list_incomplete', args: {} };
const STRANGE: Problem = { code: 'other_code', args: { code: 'B-1' } };

type Member = Parameters<typeof lookedUp>[1];
type Found = Parameters<typeof lookedUp>[0];

const member = (given: Partial<Omit<Member, 'reason'>> & { readonly reason?: Problem } = {}) =>
  ({
    ...{ row: 1, state: 'unconfirmed', status: null, tries: 1, looked_up: 0, sent_at: 1 },
    ...given,
    reason: given.reason === undefined ? null : storedProblem(given.reason),
  }) as Member;

describe('an unconfirmed row whose key was looked up', () => {
  const none = { fresh: [], taken: undefined, unknown: 1, doubt: undefined };
  it.each<
    [
      what: string,
      found: Partial<Found>,
      row: Member,
      onExisting: 'skip' | 'fail',
      expected: object,
    ]
  >([
    ['one new record', { fresh: ['i'] }, member(), 'skip', { state: 'created', id: 'i' }],
    [
      'one new record in a list that is incomplete',
      { fresh: ['i'], doubt: INCOMPLETE },
      member(),
      'skip',
      { state: 'created', id: 'i' },
    ],
    [
      'one new record, and another row with the key',
      { fresh: ['i'], unknown: 2 },
      member(),
      'skip',
      {
        state: 'unconfirmed',
        reason: { code: 'records_with_key', args: { count: 1, ids: ['i'], sharing: 2 } },
      },
    ],
    [
      'six new records',
      { fresh: ['a', 'b', 'c', 'd', 'e', 'f'] },
      member(),
      'skip',
      {
        state: 'unconfirmed',
        reason: {
          code: 'records_with_key',
          args: { count: 6, ids: ['a', 'b', 'c', 'd', 'e'], sharing: 1 },
        },
      },
    ],
    [
      'no record in a list that is incomplete',
      { doubt: INCOMPLETE },
      member({ reason: BROKE, status: 500 }),
      'skip',
      {
        state: 'unconfirmed',
        status: 500,
        reason: { code: 'not_looked_up', args: { said: BROKE, because: INCOMPLETE } },
      },
    ],
    ['no record', {}, member({ reason: BROKE, tries: 4 }), 'skip', { state: 'pending' }],
    [
      'no record, and the service returned another code',
      {},
      member({ reason: STRANGE, status: 201 }),
      'skip',
      { state: 'unconfirmed', reason: { args: { because: { code: 'no_record' } } } },
    ],
    [
      'no record, and another code came with an error',
      {},
      member({ reason: STRANGE, status: 500 }),
      'skip',
      { state: 'pending' },
    ],
    [
      'no record, and the service returned 202',
      {},
      member({ status: 202 }),
      'skip',
      { state: 'unconfirmed', reason: { code: 'no_record', args: { isAccepted: true } } },
    ],
    [
      'an earlier record',
      { taken: 'i' },
      member({ tries: 9 }),
      'skip',
      { state: 'existing', id: 'i' },
    ],
    [
      'an earlier record that must not exist',
      { taken: 'i' },
      member(),
      'fail',
      { state: 'unconfirmed', reason: { code: 'key_of_others', args: { id: 'i' } } },
    ],
    ['no record that must not exist', {}, member(), 'fail', { state: 'pending' }],
    [
      'no record after five attempts',
      {},
      member({ tries: 5, reason: BROKE }),
      'skip',
      { state: 'rejected', reason: { code: 'never_created', args: { tries: 5, said: BROKE } } },
    ],
    [
      'no record after five attempts without a response',
      {},
      member({ tries: 5 }),
      'fail',
      { state: 'rejected', reason: { args: { said: { code: 'no_response' } } } },
    ],
    ['five times 429', {}, member({ tries: 5, status: 429 }), 'skip', { state: 'pending' }],
    ['five times 503', {}, member({ tries: 5, status: 503 }), 'skip', { state: 'pending' }],
    ['five times 500', {}, member({ tries: 5, status: 500 }), 'skip', { state: 'rejected' }],
  ])('%s', (_, found, row, onExisting, expected) => {
    const verdict = lookedUp({ ...none, ...found }, row, onExisting);
    expect(verdict).toMatchObject(expected);
    expect(verdict.lookedUp).toBe(verdict.state === 'unconfirmed' ? true : undefined);
  });
});

it('a parked row keeps how the service responded, once', () => {
  const response = (reason: Problem | undefined, status: number | null = null) => ({
    status,
    reason: reason === undefined ? null : storedProblem(reason),
  });
  const because = INCOMPLETE;
  const twice: Problem = { code: 'not_looked_up', args: { said: BROKE, because: STRANGE } };
  const park = (reason: Problem | undefined) =>
    parked('unconfirmed', response(reason, 500), because, 'code');
  const state = { state: 'unconfirmed', status: 500, lookedUp: true };
  expect(park(undefined)).toEqual({ ...state, reason: because });
  expect(park(because)).toEqual({ ...state, reason: because });
  const both = { code: 'not_looked_up', args: { said: BROKE, because } };
  expect(park(BROKE)).toEqual({ ...state, reason: both });
  expect(park(twice)).toEqual({ ...state, reason: both });
  expect(parked('rejected', response(BROKE), because, 'code')).toEqual({
    ...{ state: 'rejected', status: 409, lookedUp: true },
    reason: { code: 'key_taken', args: { key: 'code', because } },
  });
});
