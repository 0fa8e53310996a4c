import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/core/io.ts';
import { Gate } from '../../../src/import/gate.ts';
import { Pace, parseRate, RateLimit } from '../../../src/import/send/pace.ts';

function handClock(): Clock & { at: number } {
  const clock = {
    at: 1_000_000,
    now: () => clock.at,
    monotonic: () => clock.at,
    random: () => 0.5,
    sleep: async (ms: number) => {
      clock.at += ms;
    },
  };
  return clock;
}

const BUSY = { text: 'the service returned 503' };

describe('the concurrency', () => {
  it('stays at 8 at most without a list, so that a kill leaves few rows to a person', () => {
    const pace = new Pace(undefined, new RateLimit(undefined, 0));
    pace.keepSmall();
    for (let n = 0; n < 1_000; n++) pace.noteResponse(5, 0);
    expect(pace.limit).toBe(8);
  });

  it('does not change if it is fixed', () => {
    const pace = new Pace(3, new RateLimit(undefined, 0));
    pace.congested(1, 2);
    for (let n = 0; n < 100; n++) pace.noteResponse(1, 3);
    expect(pace.limit).toBe(3);
  });

  it('sends no more requests than the rate allows', () => {
    const rate = new RateLimit(50, 0);
    let left = 0;
    for (let now = 0; now <= 10_000; now++) while (rate.take(now) === 0) left++;
    expect(left).toBeGreaterThanOrEqual(499);
    expect(left).toBeLessThanOrEqual(506);
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

  it('limits nothing before a refusal, or if the service asks for no real pause', () => {
    const pace = new Pace(undefined, new RateLimit(undefined, 0));
    pace.congested(0, 1, 0);
    expect(pace.rate.perSecond(10)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the gate', () => {
  it('never opens before the time that the service asked for, in 10,000 random calls', () => {
    const clock = handClock();
    const gate = new Gate(clock, 1e9);
    let state = 3;
    let until = 0;
    for (let n = 0; n < 10_000; n++) {
      state = (state * 48_271) % 2_147_483_647;
      clock.at += state % 700;
      if (gate.closed() === undefined) expect(clock.at).toBeGreaterThanOrEqual(until);
      if (state % 3 !== 0) continue;
      const ms = state % 5_000;
      gate.close(ms, BUSY);
      until = Math.max(until, clock.at + ms);
      expect(ms === 0 || gate.closed() !== undefined).toBe(true);
    }
  });

  it('makes longer and longer pauses if the service refuses everything and asks for an immediate retry', () => {
    const clock = handClock();
    const gate = new Gate(clock, 60_000);
    let asked = 0;
    // Moves the clock by 1 ms each time. After a longer step, proc would assume that the machine had slept.
    for (; !gate.isHopeless(); clock.at++) {
      if (gate.closed() !== undefined) continue;
      gate.close(0, BUSY);
      asked++;
    }
    // The gate lets 250 requests through in the first quarter of a second, then one after each pause.
    expect(asked).toBeLessThan(300);
    clock.at = gate.closed()?.until ?? clock.at;
    gate.noteResponse();
    gate.close(0, BUSY);
    expect(gate.closed()).toBeUndefined();
  });
});
