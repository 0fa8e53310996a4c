import { describe, expect, it } from 'vitest';
import type { ErrorBody, Outcome } from '../../../src/core/outcome.ts';
import { consequenceOf, judgeRow } from '../../../src/import/send/verdict.ts';

const NO_ERROR: ErrorBody = { message: undefined, issues: [], requestId: undefined };
const saying = (message: string, ...fields: string[]): ErrorBody => ({
  ...{ message, requestId: undefined },
  issues: fields.map((field) => ({ field, message: 'is wrong' })),
});
const done = (value: object): Extract<Outcome, { kind: 'done' }> => ({
  ...{ kind: 'done', status: 200, value, requestId: undefined },
});
const rejected = (status: number, error = NO_ERROR): Outcome => ({
  ...{ kind: 'rejected', status, error, location: undefined },
});
const unknown = (given: Partial<Extract<Outcome, { kind: 'unknown' }>>): Outcome => ({
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { text: 'no response' },
  ...given,
});
const notSent = (cause: Error, timedOut = false): Outcome => ({
  kind: 'not-sent',
  cause,
  timedOut,
});
const failed = (status: number, more: object = {}) =>
  unknown({ reason: 'failed', problem: { text: `status ${status}` }, status, ...more });
const text = (part: string | number) => ({ text: expect.stringContaining(String(part)) });
const REFUSED = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
const BUSY: Outcome = { kind: 'throttled', status: 429, retryAfterMs: 5, error: NO_ERROR };
const PENDING = { state: 'pending' };
const also = [{ named: ['unit'] }, {}, { named: ['unit'] }, { named: ['name'] }];
const WRONG = { text: 'wrong', isService: true, also };

describe('what an outcome means for its row and the run', () => {
  it.each<[outcome: Outcome, expected: object]>([
    [done({ id: 7 }), { verdict: { state: 'created', id: '7', status: 200 }, serviceWorks: true }],
    [BUSY, { verdict: PENDING, wait: { ms: 5, why: text(429) }, congested: true }],
    [BUSY, { serviceWorks: false }],
    [notSent(REFUSED), { verdict: PENDING, wait: { ms: undefined, why: text('ECONNREFUSED') } }],
    [notSent(REFUSED), { congested: false, serviceWorks: false }],
    [notSent(new Error('bad certificate')), { wait: { why: text('bad certificate') } }],
    [notSent(new Error('x'), true), { wait: { ms: undefined }, congested: true }],
    [rejected(401, saying('no key')), { verdict: PENDING, stop: text('no key') }],
    [rejected(401), { serviceWorks: true }],
    [
      rejected(400, saying('wrong', 'unit', '', 'unit', 'name')),
      { verdict: { state: 'rejected', status: 400, reason: WRONG }, serviceWorks: true },
    ],
    [rejected(400), { verdict: { reason: text(400) } }],
    [rejected(308), { verdict: { state: 'rejected', reason: text(308) } }],
    [unknown({}), { verdict: { state: 'unconfirmed', status: undefined } }],
    [unknown({}), { congested: false, serviceWorks: false }],
    [unknown({ reason: 'timeout' }), { congested: true, serviceWorks: false }],
    [failed(500), { verdict: { state: 'unconfirmed', status: 500 } }],
    [failed(500, { error: saying('oops') }), { verdict: { reason: { text: 'status 500: oops' } } }],
    [failed(500), { congested: false, serviceWorks: true }],
    [failed(500, { retryAfterMs: 9 }), { wait: { ms: 9 } }],
    [failed(503), { congested: true, serviceWorks: true }],
    [unknown({ reason: 'contradicts', status: 200 }), { contradiction: text('no response') }],
    [unknown({ reason: 'undecodable', status: 200 }), { contradiction: undefined }],
  ])('%o: %o', (outcome, expected) => {
    expect(consequenceOf(outcome, 'id')).toMatchObject(expected);
  });

  it.each<[outcome: Outcome, absent: readonly string[]]>([
    [done({ id: 7 }), ['wait', 'stop', 'congested']],
    [BUSY, ['stop']],
    [rejected(401), ['wait']],
    [rejected(400), ['stop']],
    [unknown({}), ['wait', 'stop']],
    [failed(500), ['wait']],
    [failed(503), ['wait']],
  ])('%o: no %j', (outcome, absent) => {
    for (const name of absent) expect(consequenceOf(outcome, 'id')).not.toHaveProperty(name);
  });
});

it('an answer that differs only in the code says how the service stores codes', () => {
  const misfit = (...fields: string[]) =>
    unknown({ reason: 'contradicts', status: 201, misfit: { answer: { code: 7 }, fields } });
  const names = { idField: 'id', keyField: 'code' };
  const body = '{"code":"007"}';
  const storedAs = { sent: '007', stored: '7' };
  expect(judgeRow(body, misfit('code'), names)).toMatchObject({
    verdict: { state: 'unconfirmed' },
    storedAs,
    stop: text('sent 007, stored 7'),
  });
  for (const outcome of [misfit('code', 'amount'), misfit('amount'), unknown({}), rejected(400)])
    expect(judgeRow(body, outcome, names)).not.toHaveProperty('storedAs');
});

const says = (text: string, ...fields: string[]) => ({
  ...{ text, isService: true, ...(fields.length === 0 ? {} : { named: fields }) },
});

it.each<[what: string, text: string, issues: ErrorBody['issues'], reason: object]>([
  [
    'repeats its only issue',
    'the request failed: unit is wrong',
    [{ field: 'unit', message: 'unit is wrong' }],
    says('the request failed: unit is wrong', 'unit'),
  ],
  [
    'repeats both issues',
    'unit is wrong; code is long',
    [
      { field: 'unit', message: 'unit is wrong' },
      { field: 'code', message: 'code is long' },
    ],
    { ...says('unit is wrong', 'unit'), also: [says('code is long', 'code')] },
  ],
  [
    'repeats one of two issues',
    'unit is wrong',
    [
      { field: 'unit', message: 'unit is wrong' },
      { field: '', message: 'code is long' },
    ],
    { ...says('unit is wrong'), also: [says('unit is wrong', 'unit'), says('code is long')] },
  ],
])('a refusal whose text %s is said with its fields', (_, message, issues, reason) => {
  const outcome = rejected(400, { message, issues, requestId: undefined });
  expect(consequenceOf(outcome, 'id').verdict.reason).toEqual(reason);
});
