import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcError } from '../../../../src/core/errors.ts';
import type { Problem } from '../../../../src/core/problem/row-problem.ts';
import { CodeChanges } from '../../../../src/core/service/code-change.ts';
import type { Outcome } from '../../../../src/core/service/outcome.ts';
import { Gate } from '../../../../src/import/send/gate.ts';
import { Pace, RateLimit } from '../../../../src/import/send/pace.ts';
import { ResponseMatcher } from '../../../../src/import/send/response-matcher.ts';
import { Sending, type SendingPorts } from '../../../../src/import/send/sending.ts';
import { Wire } from '../../../../src/import/send/wire.ts';
import type { Decided, Ready } from '../../../../src/import/store/send-queue.ts';
import { noCounts } from '../../../../src/import/store/transitions.ts';

const error = { message: 'no', issues: [], requestId: undefined };
const created = (code: string, altered?: string): Outcome => ({
  ...{ kind: 'done', status: 201, value: { id: `id-${code}`, code }, requestId: undefined },
  ...(altered === undefined ? {} : { altered }),
});
const refused = (status: number): Outcome => ({
  kind: 'rejected',
  status,
  error,
  location: undefined,
});
const throttled = (retryAfterMs?: number): Outcome => ({
  kind: 'throttled',
  status: 429,
  retryAfterMs,
  error,
});
const BROKE: Outcome = {
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { code: 'connection_broke', args: { cause: 'ECONNRESET' } },
};
const CONTRADICTS: Outcome = { ...BROKE, status: 200, reason: 'contradicts' };

interface Scene {
  readonly rows?: number;
  /** The answer to a row; undefined: it is created. */
  readonly answers?: (row: number, nth: number) => Outcome | undefined;
  /** How long the service takes. */
  readonly ms?: number;
  readonly concurrency?: number | undefined;
  readonly rate?: number;
  readonly patienceMs?: number;
  readonly ports?: Partial<SendingPorts>;
  readonly alreadyCreated?: number;
  /** How long a transaction takes to reach the disk. */
  readonly diskMs?: number;
  /** Thrown by the nth transaction. */
  readonly fails?: (nth: number) => Error | undefined;
  /** Why the nth transaction does not reach the disk. */
  readonly diskFails?: (nth: number) => Error | undefined;
  readonly handOver?: (row: number) => void;
  readonly ask?: boolean;
  /** By how much the wall clock is ahead of the clock of the run, ms. */
  readonly ahead?: () => number;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A run of rows 1, 2, … and what happens, a word each: marks, requests, and outcomes in transactions. */
function sendingOf(scene: Scene) {
  const { rows = 3, answers = () => undefined, ms = 10, diskMs = 0, patienceMs = 60_000 } = scene;
  const log: string[] = [];
  const pending = Array.from({ length: rows }, (_, at) => at + 1);
  const counts = { ...noCounts(), pending: rows, created: scene.alreadyCreated ?? 0 };
  const clock = {
    now: () => Date.now(),
    random: () => 0.5,
    monotonic: () => Date.now(),
    intentMs: 1_000,
    isShared: true,
    ahead: () => scene.ahead?.() ?? 0,
  };
  const gate = new Gate(clock as never, patienceMs);
  const pace = new Pace(
    'concurrency' in scene ? scene.concurrency : 2,
    new RateLimit(scene.rate, clock.now()),
  );
  let commits = 0;
  let synced = 0;
  let sent = 0;
  const apply = (decided: readonly Decided[]) => {
    for (const { row, was, verdict } of decided) {
      log.push(`${row} ${was === 'sending' ? '' : `${was} `}${verdict.state}`);
      if (verdict.state === 'pending') {
        pending.push(row);
        pending.sort((a, b) => a - b);
      }
      counts[was]--;
      counts[verdict.state]++;
    }
  };
  const queue = {
    counts,
    falseId: undefined as Problem | undefined,
    commit(decided: readonly Decided[], max: number, now: number) {
      const failure = scene.fails?.(++commits);
      if (failure !== undefined) throw failure;
      apply(decided);
      const next = pending.splice(0, max);
      counts.pending -= next.length;
      counts.sending += next.length;
      if (next.length > 0) log.push(`marks ${next.join(',')}`);
      const ready = next.map(
        (row): Ready => ({ row, code: `A-${row}`, body: String(row), tries: 0, at: now, marks: 1 }),
      );
      const lost = scene.diskFails?.(++synced);
      const onDisk = new Promise<readonly Ready[]>((resolve, reject) => {
        setTimeout(() => (lost === undefined ? resolve(ready) : reject(lost)), diskMs);
      });
      return { count: next.length, onDisk };
    },
    record(decided: readonly Decided[]) {
      const failure = scene.fails?.(++commits);
      if (failure !== undefined) throw failure;
      log.push('at once');
      apply(decided);
    },
    handOver({ row }: Ready) {
      scene.handOver?.(row);
      log.push(`sends ${row}`);
    },
  };
  const altered: string[] = [];
  const alone: boolean[] = [];
  const matcher = matcherOf();
  const sending = new Sending({
    ...({ queue, gate, pace, clock, mostRejected: undefined } as unknown as SendingPorts),
    send(body, isAlone, onOutcome) {
      const row = Number(body);
      alone.push(isAlone);
      const outcome = answers(row, ++sent) ?? created(`A-${row}`);
      setTimeout(() => onOutcome(outcome, { connection: undefined, isFirst: true }), ms);
    },
    ...{ isListed: true, canLookUp: true, isChanged: false, compareCodes: async () => undefined },
    onAltered: (row, what) => altered.push(`${row} ${what}`),
    proofs: {
      ...{ matcher, wire: new Wire(), idField: 'id', keyField: 'code', isAlwaysAlone: false },
      ...{ onUnlike() {}, locate: (_row, problem) => problem, ask: undefined },
    },
    ...scene.ports,
  });
  let ended: unknown = 'not yet';
  const drain = () => {
    ended = 'not yet';
    sending.drain().then(
      (stop) => {
        ended = stop;
      },
      (thrown) => {
        ended = { thrown };
      },
    );
  };
  drain();
  return {
    ...{ sending, log, gate, pace, queue, altered, alone, counts, drain },
    ended: () => ended,
    pass: (time: number) => vi.advanceTimersByTimeAsync(time),
  };
}

function matcherOf(): ResponseMatcher {
  return new ResponseMatcher({
    hasRow: (code: string) => code.startsWith('A-'),
    keyField: 'code',
    changes: new CodeChanges(undefined),
    ...{ onChanged() {}, onBroken() {}, onOwn() {} },
  });
}

const sends = (log: readonly string[]) =>
  log.filter((line) => line.startsWith('sends')).map((line) => Number(line.slice(6)));

describe('a run that nothing disturbs', () => {
  it('marks rows, sends the first alone, and writes all outcomes', async () => {
    const run = sendingOf({ rows: 4 });
    await run.pass(5);
    expect(run.log).toEqual(['marks 1,2', 'sends 1']);
    await run.pass(10);
    expect(sends(run.log)).toEqual([1, 2, 3]);
    await run.pass(2_000);
    expect(run.ended()).toBeUndefined();
    expect(sends(run.log)).toEqual([1, 2, 3, 4]);
    expect(run.counts).toMatchObject({ created: 4, pending: 0, sending: 0 });
    expect(vi.getTimerCount()).toBe(0);
    const slow = sendingOf({ rows: 9, ms: 100, alreadyCreated: 1 });
    expect(slow.pace.perSecond).toBe(0);
    await slow.pass(2_500);
    expect(slow.pace.perSecond).toBeGreaterThan(5);
    expect(slow.pace.perSecond).toBeLessThan(25);
  });

  it.each([
    ['ready', 5, 0],
    ['connecting', 0, 5],
  ])('marks a row again if the machine slept while it was %s', async (_, diskMs, connectMs) => {
    let slept = 0;
    const left: string[] = [];
    const run = sendingOf({
      ...{ rows: 1, diskMs, ahead: () => slept },
      ports: {
        send(body, _alone, onOutcome, mayLeave) {
          setTimeout(() => {
            const isLeaving = mayLeave!();
            if (isLeaving) left.push(body);
            const late = { kind: 'not-sent', cause: new Error('late'), timedOut: true } as const;
            const outcome = isLeaving ? created(`A-${body}`) : late;
            onOutcome(outcome, { connection: undefined, isFirst: true });
          }, connectMs);
        },
      },
    });
    await run.pass(3);
    slept = 60_000;
    await run.pass(5_000);
    expect(left).toEqual(['1']);
    expect(run.log.filter((line) => line === 'marks 1')).toHaveLength(2);
  });

  it('ends when its last outcomes are on the disk', async () => {
    const run = sendingOf({ rows: 1, diskMs: 50 });
    await run.pass(100);
    expect([run.log, run.ended()]).toEqual([['marks 1', 'sends 1', '1 created'], 'not yet']);
    await run.pass(100);
    expect(run.ended()).toBeUndefined();
  });

  it('stops if the ledger takes too long each time', async () => {
    const run = sendingOf({ rows: 3, diskMs: 1_500 });
    await run.pass(20_000);
    expect(sends(run.log)).toEqual([]);
    expect(run.ended()).toMatchObject({
      kind: 'journal',
      why: expect.stringContaining('takes longer than 1 s'),
    });
  });

  it('need not wait for its first answer if it has created rows before', async () => {
    const run = sendingOf({ rows: 4, alreadyCreated: 1 });
    await run.pass(5);
    expect(sends(run.log)).toEqual([1, 2]);
  });

  it('waits for three answers if none is a success', async () => {
    const run = sendingOf({ rows: 6, answers: () => refused(400), concurrency: 3 });
    await run.pass(29);
    expect(sends(run.log)).toEqual([1, 2, 3]);
    await run.pass(6);
    expect(sends(run.log)).toEqual([1, 2, 3, 4, 5, 6]);
    const other = sendingOf({
      rows: 6,
      answers: (row) => (row === 1 ? refused(400) : undefined),
      concurrency: 3,
    });
    await other.pass(25);
    expect(sends(other.log)).toEqual([1, 2, 3, 4, 5].slice(0, sends(other.log).length));
  });

  it('keeps the rate', async () => {
    const run = sendingOf({ rows: 10, rate: 20, concurrency: 5, ms: 1 });
    await run.pass(210);
    expect(sends(run.log).length).toBeGreaterThanOrEqual(4);
    expect(sends(run.log).length).toBeLessThanOrEqual(6);
    await run.pass(2_000);
    expect(run.ended()).toBeUndefined();
    expect(run.counts.created).toBe(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('marks no more rows than leave in a quarter of a second, and none long before it may leave', async () => {
    const slow = sendingOf({ rows: 3, rate: 1, alreadyCreated: 1 });
    await slow.pass(450);
    expect(slow.log).toEqual(['marks 1', 'sends 1', '1 created']);
    await slow.pass(350);
    expect(slow.log.slice(3)).toEqual(['marks 2']);
    await slow.pass(205);
    expect(slow.log.slice(3)).toEqual(['marks 2', 'sends 2']);
    const quick = sendingOf({ rows: 99, rate: 40, concurrency: 30, alreadyCreated: 1, ms: 1 });
    await quick.pass(2_000);
    const sizes = quick.log
      .filter((line) => line.startsWith('marks'))
      .map((line) => line.split(',').length);
    expect(Math.max(...sizes)).toBe(10);
  });

  it('marks as many rows as leave in a quarter of a second, at most 256, while others are on their way', async () => {
    const run = sendingOf({ rows: 6_000, concurrency: 64, alreadyCreated: 1, ms: 20, diskMs: 15 });
    await run.pass(80);
    const sizes = () =>
      run.log.filter((line) => line.startsWith('marks')).map((line) => line.split(',').length);
    expect(Math.max(...sizes())).toBe(64);
    await run.pass(1_000);
    expect(Math.max(...sizes())).toBe(256);
    // The service never idles, though each mark needs most of the time of an answer.
    expect(sends(run.log).length).toBeGreaterThan(2_500);
  });

  it('sends later rows that a look-up made pending', async () => {
    const run = sendingOf({ rows: 1 });
    await run.pass(500);
    expect(run.ended()).toBeUndefined();
    run.sending.record([]);
    run.sending.record([{ row: 7, was: 'unconfirmed', verdict: { state: 'pending' } }]);
    run.drain();
    await run.pass(500);
    expect(run.log.slice(-4)).toEqual(['7 unconfirmed pending', 'marks 7', 'sends 7', '7 created']);
    expect(run.ended()).toBeUndefined();
    // Also while others are still on their way, and at once.
    const busy = sendingOf({ rows: 2, alreadyCreated: 1, ms: 900 });
    await busy.pass(200);
    busy.sending.record([{ row: 7, was: 'unconfirmed', verdict: { state: 'pending' } }]);
    await busy.pass(5);
    expect(busy.log).toEqual([
      'marks 1,2',
      'sends 1',
      'sends 2',
      '7 unconfirmed pending',
      'marks 7',
    ]);
    await busy.pass(3_000);
    expect(sends(busy.log)).toEqual([1, 2, 7]);
  });

  it('writes outcomes at once where rows cannot be looked up', async () => {
    const run = sendingOf({ rows: 2, ports: { isListed: false } });
    await run.pass(12);
    expect(run.log).toEqual(['marks 1,2', 'sends 1', 'at once', '1 created', 'sends 2']);
    await run.pass(500);
    expect(run.ended()).toBeUndefined();
    const many = sendingOf({
      rows: 40,
      concurrency: 32,
      alreadyCreated: 1,
      ports: { isListed: false },
    });
    await many.pass(2_000);
    expect(many.ended()).toBeUndefined();
    expect(many.log.filter((line) => line === 'at once').length).toBeLessThan(12);
  });

  it('tells of values that the service altered', async () => {
    const run = sendingOf({ rows: 2, answers: (row) => created(`A-${row}`, 'name: x') });
    await run.pass(500);
    expect(run.altered).toEqual(['1 name: x', '2 name: x']);
  });

  it('writes an outcome after a tenth of a second at the latest', async () => {
    const run = sendingOf({
      rows: 4,
      concurrency: 2,
      answers: (row) => (row === 1 ? undefined : undefined),
      ms: 30,
    });
    await run.pass(40);
    expect(run.log.filter((line) => line.endsWith('created')).length).toBeLessThanOrEqual(1);
    await run.pass(150);
    expect(run.log).toContain('1 created');
  });
});

describe('a run that stops', () => {
  const stopped = async (scene: Scene, ms = 3_000) => {
    const run = sendingOf(scene);
    await run.pass(ms);
    return run;
  };

  it('puts marked rows back, and awaits those in flight', async () => {
    const run = sendingOf({ rows: 9, concurrency: 4, alreadyCreated: 1, ms: 50 });
    await run.pass(5);
    expect(sends(run.log)).toEqual([1, 2, 3, 4]);
    run.sending.stop({ kind: 'interrupted', why: 'ctrl-c' });
    run.sending.stop({ kind: 'refused', why: 'later' });
    await run.pass(40);
    expect(run.ended()).toBe('not yet');
    await run.pass(500);
    expect(run.ended()).toEqual({ kind: 'interrupted', why: 'ctrl-c' });
    expect(run.sending.stopped).toEqual({ kind: 'interrupted', why: 'ctrl-c' });
    expect(sends(run.log)).toEqual([1, 2, 3, 4]);
    expect(run.counts).toMatchObject({ created: 5, pending: 5, sending: 0 });
  });

  it.each<[what: string, scene: Scene, stop: object]>([
    [
      'the key is refused',
      { answers: () => refused(401) },
      { kind: 'refused', why: expect.stringContaining('no') },
    ],
    [
      'more rows are rejected than allowed',
      { rows: 9, answers: () => refused(400), ports: { mostRejected: 1 } },
      { kind: 'errors', why: 'rejected: row 2: no' },
    ],
    [
      'an answer contradicts its row, and nothing can be looked up',
      { answers: () => CONTRADICTS, ports: { canLookUp: false } },
      { kind: 'refused', why: expect.stringMatching(/^row 1: .*ECONNRESET/) },
    ],
    [
      'no row can succeed',
      { rows: 30, concurrency: 1, answers: () => refused(403) },
      { kind: 'refused', why: 'the first 20 rows were all refused: no (403)' },
    ],
    [
      'the service has been in trouble for too long',
      { rows: 2, answers: () => throttled(), patienceMs: 1_000 },
      { kind: 'impatient', why: expect.stringContaining('429') },
    ],
    [
      'an id is false, and nothing can be looked up',
      { rows: 9, ports: { canLookUp: false } },
      { kind: 'refused', why: expect.stringContaining('ECONNRESET') },
    ],
    [
      'an id is false, and outcomes are written at once',
      { rows: 99, ports: { canLookUp: false, isListed: false } },
      { kind: 'refused', why: expect.stringContaining('ECONNRESET') },
    ],
  ])('because %s', async (what, scene, stop) => {
    const run = sendingOf(scene);
    if (what.includes('id is false')) run.queue.falseId = (BROKE as { problem: Problem }).problem;
    await run.pass(10_000);
    expect(run.ended()).toMatchObject(stop);
    expect(run.counts.sending).toBe(0);
  });

  it('not where some of its first rows succeed, or statuses differ', async () => {
    const mixed = await stopped({
      rows: 25,
      concurrency: 1,
      answers: (row) => (row === 5 ? refused(400) : refused(404)),
    });
    expect(mixed.ended()).toBeUndefined();
    const before = await stopped({
      rows: 25,
      concurrency: 1,
      alreadyCreated: 1,
      answers: () => refused(405),
    });
    expect(before.ended()).toBeUndefined();
    const few = await stopped({ rows: 19, concurrency: 1, answers: () => refused(405) });
    expect(few.ended()).toBeUndefined();
    const allowed = await stopped({
      rows: 5,
      answers: () => refused(400),
      ports: { mostRejected: 5 },
    });
    expect(allowed.ended()).toBeUndefined();
    expect(allowed.counts.rejected).toBe(5);
    const lookedUp = await stopped({ answers: (row) => (row === 1 ? CONTRADICTS : undefined) });
    expect(lookedUp.ended()).toBeUndefined();
    expect(lookedUp.counts).toMatchObject({ unconfirmed: 1, created: 2 });
    const falseId = sendingOf({});
    falseId.queue.falseId = (BROKE as { problem: Problem }).problem;
    await falseId.pass(1_000);
    expect(falseId.ended()).toBeUndefined();
  });

  it('if the disk fails, and tries once more to write the outcomes', async () => {
    const failure = new ProcError('state_unwritable', 'disk full');
    const once = await stopped({ rows: 3, fails: (nth) => (nth === 2 ? failure : undefined) });
    expect(once.ended()).toEqual({ kind: 'journal', why: 'disk full', error: failure });
    expect(once.counts).toMatchObject({ pending: 1, sending: 0, created: 2 });
    const twice = await stopped({ rows: 3, fails: (nth) => (nth >= 2 ? failure : undefined) });
    expect(twice.ended()).toMatchObject({ kind: 'journal' });
    expect(twice.counts.created).toBe(0);
    const atOnce = await stopped({
      rows: 3,
      ports: { isListed: false },
      fails: (nth) => (nth >= 2 ? failure : undefined),
    });
    expect(atOnce.ended()).toMatchObject({ kind: 'journal' });
    const first = await stopped({ fails: () => failure });
    expect([first.ended(), first.log]).toMatchObject([{ kind: 'journal' }, []]);
  });

  it('if marks do not reach the disk: their rows do not leave', async () => {
    const failure = new ProcError('state_unwritable', 'disk full');
    const run = await stopped({
      ...{ rows: 4, alreadyCreated: 1, diskMs: 5 },
      diskFails: (nth) => (nth === 2 ? failure : undefined),
    });
    expect(run.ended()).toEqual({ kind: 'journal', why: 'disk full', error: failure });
    expect(sends(run.log)).toEqual([1, 2]);
    expect(run.counts).toMatchObject({ created: 3, sending: 2 });
  });

  it('if a row could not be marked', async () => {
    const mark = await stopped({
      rows: 2,
      handOver: () => {
        throw new ProcError('state_unwritable', 'no mark');
      },
    });
    expect(mark.ended()).toMatchObject({ kind: 'journal', why: 'no mark' });
    expect(sends(mark.log)).toEqual([]);
    expect(mark.counts.pending).toBe(2);
  });
});

describe('a service in trouble', () => {
  it('gets nothing during the pause that it asked for, and the rows again afterwards', async () => {
    const run = sendingOf({
      rows: 4,
      alreadyCreated: 1,
      answers: (_, nth) => (nth <= 2 ? throttled(3_000) : undefined),
    });
    await run.pass(2_900);
    expect(sends(run.log)).toEqual([1, 2]);
    expect(run.counts.pending).toBe(4);
    await run.pass(6_000);
    expect(run.ended()).toBeUndefined();
    expect(run.counts).toMatchObject({ created: 5, pending: 0 });
    expect(run.gate.closed()).toBeUndefined();
  });

  it('gets no row whose mark is more than a second old', async () => {
    const run = sendingOf({ rows: 3, ms: 1_500, concurrency: 2 });
    await run.pass(1_400);
    expect(run.log).toEqual(['marks 1,2', 'sends 1']);
    await run.pass(5_000);
    expect(run.log.filter((line) => line.startsWith('marks')).length).toBeGreaterThan(1);
    expect(run.log).toContain('2 pending');
    expect(run.ended()).toBeUndefined();
    expect(run.counts.created).toBe(3);
  });

  it('gets fewer requests at once', async () => {
    const run = sendingOf({
      rows: 30,
      concurrency: undefined,
      alreadyCreated: 1,
      answers: (_, nth) => (nth === 1 ? throttled(10) : undefined),
    });
    const before = run.pace.limit;
    await run.pass(12);
    expect(run.pace.limit).toBeLessThan(before);
    await run.pass(3_000);
    expect(run.ended()).toBeUndefined();
  });
});

describe('a service that changes codes', () => {
  it('gets no row before the pending rows are compared', async () => {
    let compared = 0;
    const run = sendingOf({
      rows: 2,
      ports: {
        isChanged: true,
        compareCodes: () =>
          new Promise((resolve) => {
            compared++;
            setTimeout(() => resolve(undefined), 300);
          }),
      },
    });
    await run.pass(290);
    expect([compared, run.log]).toEqual([1, []]);
    await run.pass(1_000);
    expect(compared).toBe(1);
    expect(run.ended()).toBeUndefined();
    expect(run.counts.created).toBe(2);
  });

  it('has its rows compared when an answer shows it', async () => {
    const compareCodes = vi.fn(async () => undefined);
    const run = sendingOf({
      rows: 6,
      alreadyCreated: 1,
      concurrency: 2,
      ms: 20,
      ports: { compareCodes },
    });
    await run.pass(5);
    run.sending.compareChanged(undefined);
    await run.pass(10);
    expect(sends(run.log)).toEqual([1, 2]);
    expect(run.log).toContain('3 pending');
    await run.pass(1_000);
    expect(compareCodes).toHaveBeenCalledTimes(1);
    expect(run.counts.created).toBe(7);
  });

  it('has its rows compared only when none is marked or on its way', async () => {
    const marked: number[] = [];
    const run = sendingOf({
      ...{ rows: 9, alreadyCreated: 1, ms: 20, diskMs: 30 },
      ports: {
        compareCodes: async () => {
          marked.push(run.counts.sending);
          return undefined;
        },
      },
    });
    await run.pass(35);
    expect(sends(run.log)).toEqual([1, 2]);
    run.sending.compareChanged(undefined);
    await run.pass(3_000);
    expect(marked).toEqual([0]);
    expect(run.counts.created).toBe(10);
  });

  it.each<[what: string, compare: () => Promise<string | undefined>, stop: object]>([
    ['a code exists', async () => 'A-1 exists', { kind: 'refused', why: 'A-1 exists' }],
    [
      'the list cannot be read',
      async () => {
        throw new ProcError('unreachable', 'no list');
      },
      { kind: 'refused', why: 'a look-up failed: no list' },
    ],
    [
      'the disk fails',
      async () => {
        throw new ProcError('state_unwritable', 'disk full');
      },
      { kind: 'journal', why: 'disk full' },
    ],
    [
      'anything else fails',
      async () => {
        throw new TypeError('oops');
      },
      { kind: 'journal', why: 'oops' },
    ],
  ])('stops the run if %s', async (_, compareCodes, stop) => {
    const run = sendingOf({ ports: { isChanged: true, compareCodes } });
    await run.pass(1_000);
    expect(run.ended()).toMatchObject(stop);
    expect(run.log).toEqual([]);
  });

  it('stops the run if a record had the code before', async () => {
    const run = sendingOf({ rows: 3, alreadyCreated: 1 });
    await run.pass(5);
    run.sending.compareChanged('met');
    await run.pass(500);
    expect(run.ended()).toEqual({ kind: 'refused', why: 'met' });
  });
});

it('a look-up that gets the response to a create makes refusals doubtful', async () => {
  const run = sendingOf({ rows: 2, alreadyCreated: 1, answers: () => refused(400), ms: 50 });
  await run.pass(5);
  expect(run.sending.hasForeign).toBe(false);
  run.sending.noteForeign();
  expect(run.sending.hasForeign).toBe(true);
  await run.pass(500);
  expect(run.ended()).toBeUndefined();
  expect(run.counts).toMatchObject({ unconfirmed: 2, rejected: 0 });
});

it.each<
  [what: string, kind: 'interrupted' | 'journal' | 'refused', paused: boolean, asks: boolean]
>([
  ['asked about if the service may still answer', 'refused', false, true],
  ['given up if the service wants a pause', 'refused', true, false],
  ['given up after an interruption', 'interrupted', false, false],
  ['given up if the disk fails', 'journal', false, false],
])('refusals that need a proof are %s', async (_, kind, paused, asks) => {
  const connection = { responses: 2, onEnd: undefined, release() {}, end() {} };
  let asked = 0;
  const held = sendingOf({
    ...{ rows: 2, alreadyCreated: 1 },
    ports: {
      // The second row keeps the run busy.
      send(body, _alone, onOutcome) {
        const refusal = () => onOutcome(refused(400), { connection, isFirst: false });
        const success = () => onOutcome(created('A-2'), { connection: undefined, isFirst: true });
        setTimeout(body === '1' ? refusal : success, body === '1' ? 10 : 300);
      },
      proofs: {
        ...{ idField: 'id', keyField: 'code', isAlwaysAlone: false, wire: new Wire() },
        ...{ onUnlike() {}, locate: (_row, problem) => problem },
        matcher: matcherOf(),
        ask(_connection, onResponse) {
          asked++;
          setTimeout(() => onResponse(true), 5);
          return true;
        },
      },
    },
  });
  await held.pass(15);
  expect([held.counts.rejected, asked]).toEqual([0, 0]);
  if (paused) held.gate.close(5_000, { code: 'answered', args: { status: 429 } });
  held.sending.stop({ kind, why: 'stop' } as never);
  // Once nothing is in flight, without the usual wait.
  await held.pass(400);
  expect(asked > 0).toBe(asks);
  await held.pass(2_000);
  expect(held.counts).toMatchObject({
    created: 2,
    ...(asks ? { rejected: 1 } : { unconfirmed: 1 }),
  });
});

it('refusals that need a proof at the end of a run wait for the pause that the service asked for', async () => {
  const connection = { responses: 2, onEnd: undefined, release() {}, end() {} };
  const asked: number[] = [];
  const run = sendingOf({
    ...{ rows: 1, alreadyCreated: 1 },
    ports: {
      send: (_body, _alone, onOutcome) =>
        void setTimeout(() => onOutcome(refused(400), { connection, isFirst: false }), 10),
      proofs: {
        ...{ idField: 'id', keyField: 'code', isAlwaysAlone: false, wire: new Wire() },
        ...{ onUnlike() {}, locate: (_row, problem) => problem, matcher: matcherOf() },
        ask(_connection, onResponse) {
          asked.push(Date.now());
          setTimeout(() => onResponse(true), 5);
          return true;
        },
      },
    },
  });
  await run.pass(5);
  run.gate.close(3_000, { code: 'answered', args: { status: 429 } });
  const until = run.gate.closed()!.until;
  await run.pass(6_000);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toBeGreaterThanOrEqual(until);
  expect(run.ended()).toBeUndefined();
  expect(run.counts.rejected).toBe(1);
});
