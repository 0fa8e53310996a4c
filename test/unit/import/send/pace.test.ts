import { describe, expect, it } from 'vitest';
import { Pace, parseRate, RateLimit } from '../../../../src/import/send/pace.ts';

/** Requests that leave at these times, ms, and are answered at once. */
function sent(rate: RateLimit, from: number, to: number, count: number): void {
  for (let n = 0; n < count; n++) {
    const at = from + ((to - from) * n) / count;
    rate.take(at);
    rate.noteResponse(at);
  }
}

/** 50 requests in the first second and 30 in the half second before the refusal, with a pause of 2 s. */
function refused(waitMs = 2_000): RateLimit {
  const rate = new RateLimit(undefined, 0);
  sent(rate, 0, 1_000, 50);
  sent(rate, 1_000, 1_500, 30);
  rate.refused(1_500, 1_500, waitMs);
  return rate;
}

describe('the limit that a refusal shows', () => {
  it('is unknown before it', () => {
    const rate = new RateLimit(undefined, 0);
    expect([rate.perSecond(0), rate.wait(0), rate.take(0), rate.take(0)]).toEqual([
      Number.POSITIVE_INFINITY,
      ...[0, 0, 0],
    ]);
  });

  it('is what was let through before it, without a burst of a second', () => {
    const rate = refused();
    // 80 requests in 1.5 s, and a second for the burst.
    expect(rate.perSecond(23_500)).toBeCloseTo(32);
    const none = new RateLimit(undefined, 0);
    none.refused(10, 10, 1_000);
    expect(none.perSecond(11_010)).toBe(1);
  });

  it('lowers a known limit by a fifth at most', () => {
    const rate = refused();
    sent(rate, 13_500, 23_500, 10);
    rate.refused(23_500, 23_500, 1_000);
    expect(rate.perSecond(23_500 + 11_000)).toBeCloseTo(32 * 0.8);
  });

  it('counts once for all requests that left before it', () => {
    const rate = refused();
    rate.refused(1_499, 1_700, 60_000);
    expect(rate.perSecond(23_500)).toBeCloseTo(32);
  });

  it('is at most the value of --rate', () => {
    const rate = new RateLimit(10, 0);
    for (let now = 0; now < 5_000; now += 10) if (rate.take(now) === 0) rate.noteResponse(now);
    expect(rate.perSecond(5_000)).toBe(10);
    rate.refused(5_000, 5_000, 1_000);
    expect(rate.perSecond(6_000)).toBeLessThan(10);
    expect(rate.perSecond(1e9)).toBe(10);
  });
});

describe('requests', () => {
  it('wait for their turn', () => {
    const rate = refused();
    expect([rate.wait(3_500), rate.take(3_500), rate.wait(3_500), rate.take(3_500)]).toEqual([
      0, 0, 33, 33,
    ]);
    expect([rate.take(3_532), rate.take(3_533)]).toEqual([1, 0]);
  });

  it('wait for the end of the pause', () => {
    const rate = refused();
    expect(rate.take(1_600)).toBe(0);
    expect(rate.take(1_600)).toBe(33);
    expect(rate.take(3_400)).toBe(33);
  });

  it.each([
    [undefined, 8],
    [20, 2],
  ])('of the last moments may leave at once, with --rate %s: %d', (given, most) => {
    const rate = given === undefined ? refused() : new RateLimit(given, 0);
    let left = 0;
    while (rate.take(23_500) === 0) left++;
    expect(left).toBe(most);
    expect(rate.take(23_000)).toBeGreaterThan(0);
  });

  it('leave one by one at the slowest rate', () => {
    const rate = new RateLimit(0.5, 0);
    expect([rate.take(0), rate.take(0), rate.take(1_999), rate.take(2_000)]).toEqual([
      0, 2_000, 1, 0,
    ]);
    expect(rate.take(60_000)).toBe(0);
    expect(rate.take(60_000)).toBe(2_000);
  });
});

describe('the number of concurrent requests', () => {
  const pace = () => new Pace(undefined, new RateLimit(undefined, 0));
  const answers = (one: Pace, count: number, ms: number, now = 0) => {
    for (let n = 0; n < count; n++) one.noteResponse(ms, now);
  };

  it('grows after as many answers as there are requests', () => {
    const one = pace();
    answers(one, 7, 5);
    expect(one.limit).toBe(8);
    answers(one, 1, 5);
    expect(one.limit).toBe(9);
    answers(one, 8, 5);
    expect(one.limit).toBe(9);
    answers(one, 1, 5);
    expect(one.limit).toBe(10);
  });

  it.each<[best: number, mean: number, limit: number]>([
    [40, 139, 10],
    [40, 141, 6],
    [200, 400, 10],
    [200, 410, 6],
  ])('shrinks when the mean of %d ms becomes %d ms: %d', (best, mean, limit) => {
    const one = pace();
    answers(one, 8, best);
    answers(one, 9, mean);
    expect(one.limit).toBe(limit);
  });

  it('shrinks again only for requests that left after it, and never below one', () => {
    const one = pace();
    one.congested(0, 100);
    expect(one.limit).toBe(5);
    one.congested(99, 200);
    expect(one.limit).toBe(5);
    one.congested(100, 200);
    expect(one.limit).toBe(3);
    for (let now = 200; now < 900; now += 100) one.congested(now, now + 100);
    expect(one.limit).toBe(1);
    answers(one, 1, 5, 1_000);
    expect(one.limit).toBe(2);
  });

  it('stays at 8 at most without a list, so that a kill leaves few rows to a person', () => {
    const one = pace();
    one.keepSmall();
    answers(one, 1_000, 5);
    expect(one.limit).toBe(8);
  });

  it('does not change if it is fixed', () => {
    const one = new Pace(3, new RateLimit(undefined, 0));
    one.congested(1, 2);
    answers(one, 100, 1, 3);
    expect(one.limit).toBe(3);
  });

  it('takes a pause of half a second or more for a limit of the rate', () => {
    const short = pace();
    short.congested(1, 2, 499);
    expect(short.rate.perSecond(9)).toBe(Number.POSITIVE_INFINITY);
    const long = new Pace(3, new RateLimit(undefined, 0));
    long.congested(1, 2, 500);
    expect(long.rate.perSecond(9)).toBeLessThan(2);
    expect(long.limit).toBe(3);
  });
});

describe('the rate learned from a Retry-After', () => {
  /**
   * Simulates 8 connections to a service that accepts 50 requests a second, with bursts. Returns the rate of
   * successes and the share of refusals.
   */
  function simulated(burst: number, retryAfterMs: number, seconds: number) {
    const pace = new Pace(undefined, new RateLimit(undefined, 0));
    let tokens = burst;
    let through = 0;
    let refused = 0;
    let closedUntil = 0;
    for (let now = 0; now < seconds * 1000; now++) {
      tokens = Math.min(burst, tokens + 0.05);
      for (let n = 0; n < pace.limit && now >= closedUntil && pace.rate.take(now) === 0; n++) {
        if (tokens >= 1) {
          tokens--;
          through++;
          pace.noteResponse(1, now + 1);
        } else {
          refused++;
          closedUntil = now + retryAfterMs;
          pace.congested(now, now, retryAfterMs);
        }
      }
    }
    return { perSecond: through / seconds, share: refused / (refused + through) };
  }

  it.each([
    [10, 1_000],
    [50, 5_000],
    [200, 5_000],
  ])('a burst of %d and pauses of %d ms: at least 45 of 50 a second', (burst, retryAfterMs) => {
    const { perSecond, share } = simulated(burst, retryAfterMs, 300);
    expect(perSecond).toBeGreaterThanOrEqual(45);
    expect(share).toBeLessThanOrEqual(0.05);
  });
});

it.each([
  ['50/s', 50],
  ['3000/m', 50],
  ['7200/h', 2],
  ['8', 8],
  ['12.25/s', 12.25],
  [' 1.5 ', 1.5],
])('reads --rate %s', (text, perSecond) => expect(parseRate(text)).toBe(perSecond));

it.each(['', '0', '-1', '5/d', 'x', '1e9/s'])('refuses --rate %j', (text) =>
  expect(() => parseRate(text)).toThrow('--rate'),
);
