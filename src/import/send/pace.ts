import { ProcError } from '../../core/errors.ts';
import { LearnedRate } from './learned-rate.ts';

const START = 8;
/** More connections would strain the service. */
export const MAX_CONCURRENCY = 64;
const DECREASE = 0.7;
/** A smaller rise in latency is no sign of overload. */
const QUICK_MS = 100;
/** A shorter pause is no reason to lower the rate. */
const PAUSE_MS = 500;

/**
 * Adapts the number n of concurrent requests (AIMD): n grows by one after n responses, and shrinks
 * to 0.7 n when the service is overloaded.
 */
export class Pace {
  readonly learned = new LearnedRate();
  readonly #isFixed: boolean;
  #limit: number;
  #responses = 0;
  #sumMs = 0;
  #best = Number.POSITIVE_INFINITY;
  #lastDecrease = 0;

  /** @param fixed number of concurrent requests; if undefined, proc adapts the number */
  constructor(fixed: number | undefined) {
    this.#isFixed = fixed !== undefined;
    this.#limit = fixed ?? START;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** @param ms time from request to response */
  noteResponse(ms: number, now: number): void {
    this.learned.noteResponse(now - ms, now);
    if (this.#isFixed) return;
    this.#responses++;
    this.#sumMs += ms;
    if (this.#responses < this.limit) return;
    const mean = this.#sumMs / this.#responses;
    this.#responses = 0;
    this.#sumMs = 0;
    // The best latency rises slowly, in case the service has become slower permanently.
    this.#best = Math.min(this.#best * 1.01, mean);
    if (mean > 2 * this.#best && mean > this.#best + QUICK_MS) this.#shrink(now);
    else this.#limit = Math.min(MAX_CONCURRENCY, this.#limit + 1);
  }

  congested(sentAt: number, now: number, retryAfterMs = 0): void {
    if (retryAfterMs >= PAUSE_MS) this.learned.refused(sentAt, now, retryAfterMs);
    if (this.#isFixed) return;
    // Requests that left before the last decrease meet the same overload. They cause no further decrease.
    if (sentAt < this.#lastDecrease) return;
    this.#shrink(now);
  }

  #shrink(now: number): void {
    this.#limit = Math.max(1, this.#limit * DECREASE);
    this.#lastDecrease = now;
    this.#responses = 0;
    this.#sumMs = 0;
  }
}

/**
 * Spaces requests evenly. Requests that were due in the last tenth of a second may leave at once.
 */
export class FixedRate {
  readonly perSecond: number;
  #tokens = 1;
  #last: number;

  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond;
    this.#last = now;
  }

  /** Time until the next request may leave, ms. */
  wait(now: number): number {
    const most = Math.max(1, this.perSecond / 10);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#last) / 1000) * this.perSecond);
    this.#last = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.perSecond) * 1000);
  }

  /** Reserves one request if it may leave now; returns the same as {@link wait}. */
  take(now: number): number {
    const ms = this.wait(now);
    if (ms === 0) this.#tokens--;
    return ms;
  }
}

export class RateLimiter {
  readonly #given: FixedRate | undefined;
  readonly #learned: LearnedRate;

  constructor(given: FixedRate | undefined, learned: LearnedRate) {
    this.#given = given;
    this.#learned = learned;
  }

  perSecond(now: number): number {
    return Math.min(
      this.#given?.perSecond ?? Number.POSITIVE_INFINITY,
      this.#learned.perSecond(now),
    );
  }

  wait(now: number): number {
    return Math.max(this.#given?.wait(now) ?? 0, this.#learned.wait(now));
  }

  take(now: number): number {
    const ms = this.wait(now);
    if (ms > 0) return ms;
    this.#given?.take(now);
    this.#learned.take(now);
    return 0;
  }
}

/** `50/s`, `3000/m`; a bare number is per second. */
export function parseRate(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text.trim()) ?? [];
  const perSecond = Number(amount) / { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
  if (perSecond > 0 && Number.isFinite(perSecond)) return perSecond;
  throw new ProcError(
    'invalid_usage',
    `--rate ${JSON.stringify(text)}: expected a rate such as 50/s or 3000/m`,
  );
}

export function parseConcurrency(text: string | undefined): number | undefined {
  if (text === undefined || text === 'auto') return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 256) return value;
  throw new ProcError(
    'invalid_usage',
    `--tune concurrency=${text}: expected auto, or a number from 1 to 256`,
  );
}
