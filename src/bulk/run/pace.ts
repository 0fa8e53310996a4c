import { ProcError } from '../../core/errors.ts';

const START = 8;
/** More connections than these are no manners. */
export const MOST = 64;
const DECREASE = 0.7;
/** A latency below this is nobody's overload. */
const QUICK_MS = 100;

/**
 * How many requests are under way at once. Grows by one with each window of answers, shrinks by 0.7
 * where the service turns requests away, times out, or answers much later than it did (AIMD).
 */
export class Pace {
  readonly #isFixed: boolean;
  #limit: number;
  #answers = 0;
  #sumMs = 0;
  #best = Number.POSITIVE_INFINITY;
  #holdUntil = 0;
  #lastDecrease = 0;

  /** @param fixed number of requests at once; undefined adapts it. */
  constructor(fixed: number | undefined) {
    this.#isFixed = fixed !== undefined;
    this.#limit = fixed ?? START;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** An answer arrived, `ms` after its request left. */
  answered(ms: number, now: number): void {
    if (this.#isFixed) return;
    this.#answers++;
    this.#sumMs += ms;
    if (this.#answers < this.limit) return;
    const mean = this.#sumMs / this.#answers;
    this.#answers = 0;
    this.#sumMs = 0;
    // What was quick once may be slow for good: the best is forgotten little by little.
    this.#best = Math.min(this.#best * 1.01, mean);
    if (mean > 2 * this.#best && mean > this.#best + QUICK_MS) this.#shrink(now, 0);
    else if (now >= this.#holdUntil) this.#limit = Math.min(MOST, this.#limit + 1);
  }

  /**
   * A request was turned away or timed out.
   *
   * @param retryAfterMs how long the service asked to wait. It then stays slow for ten times as long:
   *   growing at once would be turned away again.
   */
  congested(sentAt: number, now: number, retryAfterMs = 0): void {
    if (this.#isFixed) return;
    // All that left before the last decrease says the same thing once more.
    if (sentAt < this.#lastDecrease) return;
    this.#shrink(now, retryAfterMs * 10);
  }

  #shrink(now: number, holdMs: number): void {
    this.#limit = Math.max(1, this.#limit * DECREASE);
    this.#lastDecrease = now;
    this.#holdUntil = Math.max(this.#holdUntil, now + holdMs);
    this.#answers = 0;
    this.#sumMs = 0;
  }
}

/** At most so many requests per second, evenly; a tenth of a second may be made good. */
export class Rate {
  readonly perSecond: number;
  #tokens = 1;
  #last: number;

  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond;
    this.#last = now;
  }

  /** In how many ms the next request may leave. */
  wait(now: number): number {
    const most = Math.max(1, this.perSecond / 10);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#last) / 1000) * this.perSecond);
    this.#last = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.perSecond) * 1000);
  }

  /** Takes leave for one request, if it may leave now; gives the same as {@link wait}. */
  take(now: number): number {
    const ms = this.wait(now);
    if (ms === 0) this.#tokens--;
    return ms;
  }
}

/** `50/s`, `3000/m`; a bare number counts per second. */
export function parseRate(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text.trim()) ?? [];
  const perSecond = Number(amount) / { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
  if (perSecond > 0 && Number.isFinite(perSecond)) return perSecond;
  throw new ProcError(
    'invalid_usage',
    `--rate ${JSON.stringify(text)}: expected a rate such as 50/s or 3000/m`,
  );
}

/** `8`, or `auto` for undefined. */
export function parseConcurrency(text: string | undefined): number | undefined {
  if (text === undefined || text === 'auto') return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 256) return value;
  throw new ProcError(
    'invalid_usage',
    `--concurrency ${JSON.stringify(text)}: expected auto, or a number from 1 to 256`,
  );
}
