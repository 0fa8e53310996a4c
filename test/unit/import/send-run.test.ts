import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/io.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import type { Post } from '../../../src/core/service.ts';
import { Draft } from '../../../src/import/draft/draft.ts';
import { Gate } from '../../../src/import/gate.ts';
import type { ProgressSnapshot } from '../../../src/import/report/progress.ts';
import { Pace, RateLimit } from '../../../src/import/send/pace.ts';
import { consequenceOf } from '../../../src/import/send/verdict.ts';
import { sendRun } from '../../../src/import/send-run.ts';
import type { Place } from '../../../src/ledger/rows.ts';
import type { Claim } from '../../../src/ledger/run-ledger.ts';
import { until } from '../../support/until.ts';
import { type Connected, connect, IMPUTATIONS, ITEMS, newLedger } from '../ledger/one-database.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'send-'));
  path = newLedger(folder);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Faster than the real one, so tests need not wait for rows to settle. */
const SPEED = 20;
const clock: Clock = {
  now: () => 1_700_000_000_000 + Math.floor(performance.now() * SPEED),
  monotonic: () => performance.now() * SPEED,
  random: () => 0.5,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const timer = globalThis.setTimeout(resolve, ms / SPEED);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    }),
};

const BROKE: Outcome = {
  ...{ kind: 'unknown', status: undefined, reason: 'broke', error: undefined },
  problem: { text: 'ECONNRESET' },
};
const error = { message: 'no', issues: [], requestId: undefined };
const TOO_OLD: Outcome = { kind: 'not-sent', cause: new Error('too old'), timedOut: false };
const BUSY: Outcome = { kind: 'throttled', status: 429, retryAfterMs: 20, error };
const REFUSED: Outcome = { kind: 'rejected', status: 400, error, location: undefined };

type Fate = 'created' | 'lost' | 'applied' | 'busy' | 'refused' | 'never answered';

/** A service: `fate` says what happens to the nth request. */
function serviceOf(fate: (nth: number, code: string) => Fate = () => 'created') {
  const stored = new Map<string, number>();
  const sent: string[] = [];
  let isKilled = false;
  const post: Post = (body, onOutcome, mayLeave) => {
    // A busy machine may be late.
    if (mayLeave() === false) {
      setImmediate(() => onOutcome(TOO_OLD));
      return;
    }
    const { code } = JSON.parse(body) as { code: string };
    sent.push(code);
    const what = fate(sent.length, code);
    if (['created', 'applied', 'never answered'].includes(what))
      stored.set(code, (stored.get(code) ?? 0) + 1);
    if (what === 'never answered' || isKilled) return;
    const done: Outcome = {
      kind: 'done',
      status: 201,
      value: { id: `i-${code}` },
      requestId: undefined,
    };
    const answers = { created: done, lost: BROKE, applied: BROKE, busy: BUSY, refused: REFUSED };
    const answer = () => {
      if (!isKilled) onOutcome(answers[what]);
    };
    globalThis.setTimeout(answer, 1 + (sent.length % 3));
  };
  return {
    stored,
    sent,
    post,
    kill: () => {
      isKilled = true;
    },
    most: () => Math.max(0, ...stored.values()),
    find: async (keys: readonly string[]) =>
      new Map(keys.map((key) => [key, stored.has(key) ? `i-${key}` : null])),
  };
}

/** An import up to its first batch. */
async function begun(
  { runs }: Connected,
  codes: readonly string[],
  where: Place,
): Promise<Claim | undefined> {
  const draft = new Draft(folder);
  try {
    for (const [row, code] of codes.entries())
      draft.add({
        ...{
          row: row + 1,
          state: 'pending',
          key: code,
          digest: where.isListed ? null : `d ${code}`,
        },
        ...{ body: JSON.stringify({ code }), source: null, line: row + 2, reason: null },
      });
    const opened = await runs.open();
    await draft.compareWithLedger({ path }, where, { sendsEqual: false });
    if (draft.planned().create + draft.planned().lookedUp === 0) return undefined;
    const name = `r-${Math.random()}`;
    const claim = await runs.create({ name, header: {}, planned: opened!.planned, now: 1 });
    for (const lot of draft.lots(2_000)) await runs.fill(claim!, lot);
    await runs.begin(claim!);
    return claim;
  } finally {
    draft.close();
  }
}

function send(
  { runs }: Connected,
  claim: Claim,
  where: Place,
  service: Pick<ReturnType<typeof serviceOf>, 'post' | 'find'>,
  given: {
    readonly signal?: AbortSignal;
    readonly mostRejected?: number;
    readonly pace?: Pace;
    readonly onProgress?: (snapshot: ProgressSnapshot) => void;
  } = {},
) {
  return sendRun({
    ...{
      ledger: runs,
      claim,
      clock,
      settleMs: 500,
      isListed: where.isListed,
      sendsEqual: false,
      search: async () => [],
      verify: async () => ({ verified: true }),
      onProgress: given.onProgress ?? (() => undefined),
      workedMs: () => 0,
    },
    gate: new Gate(clock, 60_000),
    pace: given.pace ?? new Pace(8, new RateLimit(undefined, clock.monotonic())),
    post: service.post,
    find: service.find,
    judge: (_, outcome) => consequenceOf(outcome, 'id'),
    mostRejected: given.mostRejected,
    signal: given.signal ?? new AbortController().signal,
  });
}

const codesOf = (count: number) => Array.from({ length: count }, (_, at) => `A-${at}`);

describe('a run', () => {
  test('creates each row once, and ends', async () => {
    const one = connect(path, ITEMS);
    const service = serviceOf();
    const claim = await begun(one, codesOf(600), ITEMS);
    const { stop, rows, hasEnded } = await send(one, claim!, ITEMS, service);
    expect([stop, rows, hasEnded]).toEqual([undefined, { created: 600 }, true]);
    expect(service.stored.size).toBe(600);
    expect(service.most()).toBe(1);
    expect(one.all('SELECT at FROM bodies')).toEqual([]);
    one.close();
  });

  test('looks up what broke, and sends again what is absent or was turned away', async () => {
    const one = connect(path, ITEMS);
    const fates: readonly Fate[] = [
      'created',
      'applied',
      'created',
      'lost',
      'busy',
      'created',
      'created',
    ];
    const service = serviceOf((nth) => (nth > 200 ? 'created' : fates[nth % fates.length]!));
    const claim = await begun(one, codesOf(150), ITEMS);
    let last: ProgressSnapshot | undefined;
    const onProgress = (snapshot: ProgressSnapshot) => {
      last = snapshot;
    };
    const { stop, rows } = await send(one, claim!, ITEMS, service, { onProgress });
    expect([stop, rows]).toEqual([undefined, { created: 150 }]);
    expect(last?.counts).toMatchObject({ created: 150, unconfirmed: 0, pending: 0 });
    expect(service.most()).toBe(1);
    one.close();
  });

  test('without a list leaves unconfirmed what broke', async () => {
    const one = connect(path, IMPUTATIONS);
    const service = serviceOf((nth) => (nth === 5 ? 'lost' : nth === 7 ? 'applied' : 'created'));
    const claim = await begun(one, codesOf(20), IMPUTATIONS);
    const { rows, hasEnded } = await send(one, claim!, IMPUTATIONS, service);
    expect([rows, hasEnded]).toEqual([{ created: 18, unconfirmed: 2 }, true]);
    one.close();
  });

  test('stops when too many rows are rejected; the others stay pending', async () => {
    const one = connect(path, ITEMS);
    const service = serviceOf((nth) => (nth % 2 === 0 ? 'refused' : 'created'));
    const claim = await begun(one, codesOf(200), ITEMS);
    const { stop, rows, hasEnded } = await send(one, claim!, ITEMS, service, { mostRejected: 3 });
    expect(stop).toMatchObject({ kind: 'errors', why: expect.stringContaining('no') });
    expect(rows.pending).toBeGreaterThan(100);
    expect(hasEnded).toBe(false);
    one.close();
  });

  test.each([403, 404, 405])(
    'stops when the first rows are all refused with %i',
    async (status) => {
      const one = connect(path, ITEMS);
      const service = serviceOf(() => 'refused');
      const post: Post = (body, onOutcome, mayLeave) =>
        service.post(body, () => onOutcome({ ...REFUSED, status }), mayLeave);
      const claim = await begun(one, codesOf(100), ITEMS);
      const { stop } = await send(one, claim!, ITEMS, { ...service, post });
      expect(stop).toMatchObject({ kind: 'refused' });
      one.close();
    },
  );

  test('is interrupted: what has not left is pending', async () => {
    const one = connect(path, ITEMS);
    const stopping = new AbortController();
    const service = serviceOf((nth) => {
      if (nth === 30) stopping.abort(new Error('SIGINT'));
      return 'created';
    });
    const claim = await begun(one, codesOf(100), ITEMS);
    const { stop, rows } = await send(one, claim!, ITEMS, service, { signal: stopping.signal });
    expect(stop).toMatchObject({ kind: 'interrupted', why: 'SIGINT' });
    expect(rows).toEqual({ created: service.sent.length, pending: 100 - service.sent.length });
    one.close();
  });

  test('stops when another process opens it; late answers confirm', async () => {
    const one = connect(path, ITEMS);
    const two = connect(path, ITEMS);
    const service = serviceOf((nth) => {
      if (nth === 20) void two.runs.open();
      return 'created';
    });
    const claim = await begun(one, codesOf(300), ITEMS);
    const confirm = one.runs.confirm.bind(one.runs);
    one.runs.confirm = async (...late) => {
      await setTimeout(20);
      await confirm(...late);
    };
    const { stop, rows } = await send(one, claim!, ITEMS, service);
    expect(stop).toMatchObject({ kind: 'ledger' });
    expect(service.sent.length).toBeLessThan(300);
    // The process may end now.
    expect(rows).toMatchObject({ created: service.sent.length });
    expect(rows.sending).toBeUndefined();
    one.close();
    two.close();
  });
});

test('a row that no look-up finds keeps few requests under way, also of a noun with a list', async () => {
  const one = connect(path, ITEMS);
  const pace = new Pace(undefined, new RateLimit(undefined, clock.monotonic()));
  const service = serviceOf();
  let most = 0;
  const post: Post = (...args) => {
    service.post(...args);
    most = Math.max(most, one.states(1).filter((state) => state === 'sending').length);
  };
  const rows = [null, ...codesOf(120)].map((key, at) => ({
    ...{ row: at + 1, state: 'pending' as const, key, digest: key === null ? 'd' : null },
    ...{ body: JSON.stringify({ code: key ?? 'none' }), source: null, line: null },
  }));
  const claim = await one.runs.create({ name: 'r', header: {}, planned: 0, now: 1 });
  await one.runs.fill(claim!, rows);
  await one.runs.begin(claim!);
  const sent = await send(one, claim!, ITEMS, { ...service, post }, { pace });
  expect(sent.rows).toEqual({ created: 121 });
  expect(most).toBeLessThanOrEqual(8);
  one.close();
});

describe('a killed import', () => {
  test.each([ITEMS, IMPUTATIONS])('is healed by the same command: $noun', async (where) => {
    const codes = codesOf(120);
    const service = serviceOf();
    const one = connect(path, where);
    const claim = await begun(one, codes, where);
    void send(one, claim!, where, service).catch(() => undefined);
    await until(() => service.sent.length >= 40, 1);
    service.kill();
    one.close();
    const atKill = service.sent.length;

    const two = connect(path, where);
    const next = serviceOf();
    for (const [code, count] of service.stored) next.stored.set(code, count);
    const again = await begun(two, codes, where);
    // Without a list a person decides about no more rows than could leave at once.
    const open = two.all("SELECT at FROM rows WHERE state = 'unconfirmed' AND at >> 32 = 1");
    if (!where.isListed) expect(open.length).toBeLessThanOrEqual(8);
    if (again !== undefined) {
      const { stop } = await send(two, again, where, next);
      expect(stop).toBeUndefined();
    }
    expect(atKill).toBeLessThan(120);
    expect(next.most()).toBe(1);
    if (where.isListed) {
      expect(next.stored.size).toBe(120);
      const left = "SELECT number FROM runs WHERE phase <> 'ended'";
      // The run that was killed has nothing left; whoever opens it ends it.
      const states = two
        .all('SELECT DISTINCT state FROM rows ORDER BY state')
        .map(({ state }) => state);
      expect(
        states.filter((state) => ['pending', 'sending', 'unconfirmed'].includes(String(state))),
      ).toEqual([]);
      expect(two.all(left).length).toBeLessThanOrEqual(1);
    } else expect(next.stored.size).toBeGreaterThanOrEqual(120 - open.length);
    two.close();
  });
});
