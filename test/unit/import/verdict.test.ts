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
const FAILED = { reason: 'failed', problem: { text: 'status 500' } } as const;
const text = (part: string | number) => ({ text: expect.stringContaining(String(part)) });

describe('what an outcome means for its row and the run', () => {
  it.each<[what: string, outcome: Outcome, expected: object, absent: readonly string[]]>([
    [
      'created',
      done({ id: 7 }),
      { verdict: { state: 'created', id: '7', status: 200 }, serviceWorks: true },
      ['wait', 'stop', 'congested'],
    ],
    [
      '429',
      { kind: 'throttled', status: 429, retryAfterMs: 5, error: NO_ERROR },
      {
        verdict: { state: 'pending' },
        wait: { ms: 5, why: text(429) },
        congested: true,
        serviceWorks: false,
      },
      ['stop'],
    ],
    [
      'not sent',
      notSent(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
      {
        verdict: { state: 'pending' },
        wait: { ms: undefined, why: text('ECONNREFUSED') },
        congested: false,
        serviceWorks: false,
      },
      [],
    ],
    [
      'not sent, for another reason',
      notSent(new Error('bad certificate')),
      { wait: { why: text('bad certificate') } },
      [],
    ],
    [
      'not sent in time',
      notSent(new Error('x'), true),
      { wait: { ms: undefined }, congested: true },
      [],
    ],
    [
      '401',
      rejected(401, saying('no such key')),
      { verdict: { state: 'pending' }, stop: text('no such key'), serviceWorks: true },
      ['wait'],
    ],
    [
      '400',
      rejected(400, saying('wrong', 'unit', '', 'unit', 'name')),
      {
        verdict: {
          state: 'rejected',
          status: 400,
          reason: {
            ...{ text: 'wrong', isService: true },
            also: ['unit', undefined, 'unit', 'name'].map((field) => ({
              ...(field === undefined ? {} : { named: [field] }),
            })),
          },
        },
        serviceWorks: true,
      },
      ['stop'],
    ],
    ['400 without a text', rejected(400), { verdict: { reason: text(400) } }, []],
    ['a redirect', rejected(308), { verdict: { state: 'rejected', reason: text(308) } }, []],
    [
      'a broken connection',
      unknown({}),
      {
        verdict: { state: 'unconfirmed', status: undefined },
        congested: false,
        serviceWorks: false,
      },
      ['wait', 'stop'],
    ],
    ['a timeout', unknown({ reason: 'timeout' }), { congested: true, serviceWorks: false }, []],
    [
      '500',
      unknown({ ...FAILED, status: 500, error: saying('oops') }),
      {
        verdict: { state: 'unconfirmed', status: 500, reason: { text: 'status 500: oops' } },
        congested: false,
        serviceWorks: true,
      },
      ['wait'],
    ],
    [
      '500 with Retry-After',
      unknown({ ...FAILED, status: 500, retryAfterMs: 9 }),
      { wait: { ms: 9 } },
      [],
    ],
    ['503', unknown({ ...FAILED, status: 503 }), { congested: true, serviceWorks: true }, ['wait']],
    [
      'a contradiction',
      unknown({ reason: 'contradicts', status: 200 }),
      { contradiction: text('no response') },
      [],
    ],
    ['a page', unknown({ reason: 'undecodable', status: 200 }), { contradiction: undefined }, []],
  ])('%s', (_, outcome, expected, absent) => {
    const consequence = consequenceOf(outcome, 'id');
    expect(consequence).toMatchObject(expected);
    for (const name of absent) expect(consequence).not.toHaveProperty(name);
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
