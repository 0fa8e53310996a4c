import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/core/io.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import type { Target } from '../../../src/core/service.ts';
import { patientReader } from '../../../src/listing/list-pages.ts';
import { listItems } from '../../../src/nouns/items/index.ts';

const target = {
  baseUrl: 'http://127.0.0.1:1/api/v1',
  dialect: () => ({ names: {} }),
} as unknown as Target;

/** Reads against the outcomes, the last of which repeats, on a clock that only sleeps. */
async function attempts(outcomes: readonly Outcome[], retries: number, lastingRetries: number) {
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    random: () => 0.5,
    sleep: async (ms: number) => {
      now += ms;
    },
  } as unknown as Clock;
  let sent = 0;
  const send = async () => outcomes[Math.min(sent++, outcomes.length - 1)]!;
  const { signal } = new AbortController();
  const patience = { clock, signal, retries, lastingRetries, patienceMs: 60_000 };
  const read = patientReader({ target, send }, patience);
  const rows = await read(listItems, {}).catch(() => undefined);
  return { sent, rows, waited: now };
}

const notSent = (code: string): Outcome => ({
  kind: 'not-sent',
  cause: Object.assign(new Error(code), { code }),
  timedOut: false,
});
const done: Outcome = { kind: 'done', status: 200, value: [], requestId: undefined };
const failed: Outcome = {
  kind: 'unknown',
  status: 500,
  reason: 'failed',
  problem: { text: '500' },
  error: undefined,
};

describe('a patient read', () => {
  it.each([
    ['a refused connection', notSent('ECONNREFUSED')],
    ['a reset', notSent('ECONNRESET')],
    ['a failure of the service', failed],
  ])('reads through %s until its patience ends', async (_, outcome) => {
    const passing = await attempts([...Array(6).fill(outcome), done], Number.POSITIVE_INFINITY, 2);
    expect(passing).toMatchObject({ sent: 7, rows: [] });
    const ended = await attempts([outcome], Number.POSITIVE_INFINITY, 2);
    expect(ended.rows).toBeUndefined();
    expect(ended.waited).toBeGreaterThan(45_000);
    expect(ended.waited).toBeLessThanOrEqual(60_000);
  });

  it.each(['ENOTFOUND', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'])(
    '%s does not pass by itself: it ends after its own retries',
    async (code) => {
      expect(await attempts([notSent(code)], Number.POSITIVE_INFINITY, 2)).toMatchObject({
        sent: 3,
      });
    },
  );
});
