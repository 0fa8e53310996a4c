import { describe, expect, it } from 'vitest';
import { CodeChanges } from '../../../src/core/service/code-change.ts';
import type { Outcome } from '../../../src/core/service/outcome.ts';
import type { Connection } from '../../../src/core/service/sender.ts';
import { Proofs, type ProofsPorts } from '../../../src/import/send/proofs.ts';
import { ResponseMatcher } from '../../../src/import/send/response-matcher.ts';
import { Wire } from '../../../src/import/send/wire.ts';

const CODES = ['A-1', 'B-2', 'C-3', 'D-4'];

const created = (code: unknown): Outcome => ({
  ...{ kind: 'done', status: 201, value: { id: `id of ${code}`, code }, requestId: undefined },
});
const error = { message: 'unknown unit', issues: [], requestId: undefined };
const REFUSED: Outcome = { kind: 'rejected', status: 400, error, location: undefined };
const THROTTLED: Outcome = { kind: 'throttled', status: 429, retryAfterMs: undefined, error };
const BROKE: Outcome = {
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { code: 'connection_broke', args: { cause: 'ECONNRESET' } },
};
const MISFIT: Outcome = {
  ...{ kind: 'unknown', status: 201, reason: 'contradicts', error: undefined },
  problem: { code: 'response_misfit', args: { differences: [] } },
  misfit: { answer: { id: 'i', code: 'A-1', amount: 9 }, fields: ['amount'] },
};

interface Line extends Connection {
  readonly log: string[];
}

/** A connection that notes what happens to it. */
function connection(): Line {
  const log: string[] = [];
  return {
    ...{ log, responses: 1, onEnd: undefined },
    release: () => void log.push('released'),
    end: () => void log.push('ended'),
  };
}

/** Rows 1, 2, … with the codes of `CODES`. `sends` returns a function that takes the response. */
function rows(given: Partial<ProofsPorts> = {}) {
  const verdicts: string[] = [];
  const unlike: string[] = [];
  let now = 1_000_000;
  const matcher = new ResponseMatcher({
    ...{ hasRow: (code) => CODES.includes(code), keyField: 'code' },
    ...{ changes: new CodeChanges(undefined), onChanged() {}, onBroken() {}, onOwn() {} },
  });
  const proofs = new Proofs({
    ...{ matcher, wire: new Wire(), idField: 'id', keyField: 'code', isAlwaysAlone: false },
    finish: (row, { state, status, id, reason }) =>
      verdicts.push([row, state, status ?? id ?? '-', reason?.code].filter(Boolean).join(' ')),
    locate: (_row, problem) => problem,
    onUnlike: (why) => unlike.push(JSON.stringify(why)),
    ask: () => false,
    now: () => now,
    ...given,
  });
  const ready = (row: number, tries = 0) => ({
    ...{ row, code: CODES[row - 1] ?? null, body: '{}', tries, at: 0, marks: 1 },
  });
  return {
    ...{ proofs, verdicts, unlike, ready },
    pass(ms: number) {
      now += ms;
    },
    sends(row: number) {
      const sent = proofs.begin(ready(row));
      return (outcome: Outcome, on?: Connection, isFirst = false) =>
        proofs.judge(ready(row), sent, outcome, { isFirst, connection: on });
    },
  };
}

describe('a success', () => {
  it('with the code of the row proves itself, and frees its connection', () => {
    const { sends, verdicts } = rows();
    const line = connection();
    expect(sends(1)(created('A-1'), line)).toMatchObject({ serviceWorks: true });
    expect(verdicts).toEqual(['1 created 201']);
    expect(line.log).toEqual(['released']);
  });

  it('with the code of another row leaves the row unconfirmed, and ends its connection', () => {
    const { sends, verdicts, proofs } = rows();
    const line = connection();
    const { contradiction, stop } = sends(1)(created('B-2'), line);
    expect(contradiction?.code).toBe('other_response');
    expect(stop).toBeUndefined();
    expect(verdicts).toEqual(['1 unconfirmed - other_response']);
    expect(line.log).toEqual(['ended']);
    expect(proofs.hasForeign).toBe(true);
  });

  it('whose other fields contradict the row leaves it unconfirmed', () => {
    const { sends, verdicts, proofs } = rows();
    const line = connection();
    expect(sends(1)(MISFIT, line).contradiction?.code).toBe('response_misfit');
    expect(verdicts).toEqual(['1 unconfirmed 201 response_misfit']);
    expect(line.log).toEqual(['ended']);
    expect(proofs.hasForeign).toBe(false);
  });

  it('without a code counts only as the first response of its connection', () => {
    const { sends, verdicts } = rows();
    sends(1)(created(undefined), connection(), true);
    sends(2)(created(undefined), connection());
    expect(verdicts).toEqual(['1 created 201', '2 unconfirmed 201 unproved']);
  });

  it('first on its connection, with an unlike code that no row explains, stops the run', () => {
    const { sends, unlike } = rows();
    expect(sends(1)(created('Q-9'), connection(), true).stop?.code).toBe('other_code_stored');
    expect(unlike).toHaveLength(1);
    // Not the first response of its connection: it may belong to another row.
    const later = rows();
    expect(later.sends(1)(created('Q-9'), connection()).stop).toBeUndefined();
    expect(later.unlike).toEqual([]);
  });
});

describe('a refusal', () => {
  it('that is the first of its connection counts when all requests before it have ended', () => {
    const { sends, verdicts, proofs } = rows();
    const first = sends(1);
    const second = sends(2);
    const third = sends(3);
    second(REFUSED, connection(), true);
    expect([proofs.rejected, proofs.hasHeld]).toEqual([1, true]);
    const fourth = sends(4);
    first(created('A-1'), connection());
    expect(verdicts).toEqual(['1 created 201']);
    third(created('C-3'), connection());
    expect(verdicts.slice(1)).toEqual(['3 created 201', '2 rejected 400 service_says']);
    expect(proofs.hasHeld).toBe(false);
    fourth(created('D-4'));
  });

  it('waits for a later response of its connection that is surely right', () => {
    const { sends, verdicts, proofs } = rows();
    const line = connection();
    sends(1)(REFUSED, line);
    sends(2)(THROTTLED, line);
    expect({ verdicts, log: line.log }).toEqual({ verdicts: [], log: ['released', 'released'] });
    expect({ held: proofs.hasHeld, rejected: proofs.rejected }).toEqual({
      held: true,
      rejected: 1,
    });
    sends(3)(created('C-3'), line);
    expect(verdicts).toEqual(['3 created 201', '1 rejected 400 service_says', '2 pending -']);
    expect(line.onEnd).toBeUndefined();
  });

  it.each<[what: string, end: (line: Line, answer: (outcome: Outcome) => void) => void]>([
    ['ends', (line) => line.onEnd!()],
    ['breaks', (_, answer) => answer(BROKE)],
    ['brings the response of another row', (_, answer) => answer(created('C-3'))],
  ])('leaves its row unconfirmed if its connection %s before', (_, end) => {
    const { sends, verdicts } = rows();
    const line = connection();
    sends(1)(REFUSED, line);
    const second = sends(2);
    end(line, (outcome) => second(outcome, line));
    expect(verdicts).toContain('1 unconfirmed 400 unproved');
    expect(verdicts.join()).not.toContain('rejected');
    expect(line.onEnd).toBeUndefined();
  });

  it('proves nothing for a minute after the response of another row', () => {
    const { sends, verdicts, pass } = rows();
    const other = sends(4);
    sends(1)(REFUSED, connection(), true);
    sends(2)(REFUSED, connection());
    sends(3)(created('A-1'), connection());
    expect(verdicts).toEqual([
      '3 unconfirmed - other_response',
      '2 unconfirmed 400 unproved',
      '1 unconfirmed 400 unproved',
    ]);
    pass(59_999);
    sends(1)(REFUSED, connection(), true);
    expect(verdicts.at(-1)).toBe('1 unconfirmed 400 unproved');
    other(created('D-4'));
    pass(1);
    sends(1)(REFUSED, connection(), true);
    expect(verdicts.at(-1)).toBe('1 rejected 400 service_says');
  });

  it('without a known connection proves nothing', () => {
    const { sends, verdicts } = rows();
    sends(1)(REFUSED);
    sends(2)(REFUSED, undefined, true);
    expect(verdicts).toEqual(['1 unconfirmed 400 unproved', '2 rejected 400 service_says']);
  });
});

describe('an idle connection with refusals', () => {
  it.each([
    [true, '1 rejected 400 service_says'],
    [false, '1 unconfirmed 400 unproved'],
  ])('is asked for a list after half a second; in step: %s', (isInStep, verdict) => {
    const asked: ((isInStep: boolean) => void)[] = [];
    let isBusy = true;
    const { sends, proofs, verdicts, pass } = rows({
      ask: (_, onResponse) => {
        asked.push(onResponse);
        return !isBusy;
      },
    });
    sends(1)(REFUSED, connection());
    pass(499);
    proofs.ask(false);
    expect(asked).toHaveLength(0);
    pass(1);
    proofs.ask(false);
    expect(asked).toHaveLength(1);
    isBusy = false;
    proofs.ask(false);
    proofs.ask(false);
    expect(asked).toHaveLength(2);
    asked.at(-1)!(isInStep);
    expect(verdicts).toEqual([verdict]);
  });

  it('is asked at once if no further request will use it', () => {
    let asked = 0;
    const { sends, proofs } = rows({
      ask: () => {
        asked++;
        return true;
      },
    });
    sends(1)(REFUSED, connection());
    proofs.ask(true);
    expect(asked).toBe(1);
  });

  it('cannot be asked without a list, so its rows are unconfirmed', () => {
    const { sends, proofs, verdicts } = rows({ ask: undefined });
    sends(1)(REFUSED, connection());
    proofs.ask(false);
    expect(verdicts).toEqual([]);
    proofs.ask(true);
    expect(verdicts).toEqual(['1 unconfirmed 400 unproved']);
    expect(proofs.hasHeld).toBe(false);
  });

  it('is given up with all that waits', () => {
    const { sends, proofs, verdicts } = rows();
    sends(3);
    sends(1)(REFUSED, connection());
    sends(2)(REFUSED, connection(), true);
    proofs.giveUp();
    expect(verdicts).toEqual(['1 unconfirmed 400 unproved', '2 unconfirmed 400 unproved']);
    expect({ held: proofs.hasHeld, rejected: proofs.rejected }).toEqual({
      held: false,
      rejected: 0,
    });
  });
});

describe('a connection of its own', () => {
  it('is for rows without a code, and rows that were sent before', () => {
    const { proofs, ready } = rows();
    expect([ready(1), ready(9), ready(1, 1)].map((one) => proofs.needsOwnConnection(one))).toEqual([
      ...[false, true, true],
    ]);
    const alone = rows({ isAlwaysAlone: true });
    expect(alone.proofs.needsOwnConnection(alone.ready(1))).toBe(true);
  });

  it.each<[what: string, happens: (given: ReturnType<typeof rows>) => void]>([
    [
      'a response that is not surely that of the row',
      ({ sends }) => sends(1)(created(undefined), connection()),
    ],
    [
      'the service closes a connection after 429',
      ({ sends }) => {
        const line = connection();
        sends(1)(THROTTLED, line);
        line.onEnd!();
      },
    ],
  ])('is for every row in the minute after %s', (_, happens) => {
    const given = rows();
    happens(given);
    expect(given.proofs.needsOwnConnection(given.ready(2))).toBe(true);
    given.pass(59_999);
    expect(given.proofs.needsOwnConnection(given.ready(2))).toBe(true);
    given.pass(1);
    expect(given.proofs.needsOwnConnection(given.ready(2))).toBe(false);
  });

  it('is not needed after the service closes a connection after 400', () => {
    const { sends, proofs, ready } = rows();
    const line = connection();
    sends(1)(REFUSED, line);
    line.onEnd!();
    expect(proofs.needsOwnConnection(ready(2))).toBe(false);
  });
});

it.each<[what: string, outcome: Outcome, problem: object]>([
  ['a refusal', REFUSED, { code: 'service_says', args: { text: 'unknown unit' } }],
  ['429', THROTTLED, { code: 'answered', args: { status: 429 } }],
])('%s that cannot be proved is said as what it may be', (_, outcome, problem) => {
  const reasons: unknown[] = [];
  const { sends, proofs } = rows({ finish: (_row, { reason }) => reasons.push(reason) });
  sends(1)(outcome, connection());
  proofs.giveUp();
  expect(reasons).toEqual([{ code: 'unproved', args: { problem } }]);
});
