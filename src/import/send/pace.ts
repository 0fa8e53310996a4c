import { ProcError } from '../../core/errors.ts';
import { FoundRate } from './found-rate.ts';

const START = 8;
/** More connections than these are no manners. */
export const MOST = 64;
const DECREASE = 0.7;
/** A latency below this is nobody's overload. */
const QUICK_MS = 100;
/** A wait shorter than this is not worth being slower for. */
const PAUSE_MS = 500;

/**
 * How many requests are under way at once. Grows by one with each window of answers, shrinks by 0.7
 * where the service turns requests away, times out, or answers much later than it did (AIMD).
 */
export class Pace {
  /** What the service takes per second, once it has asked to wait. */
  readonly found = new FoundRate();
  readonly #isFixed: boolean;
  #limit: number;
  #answers = 0;
  #sumMs = 0;
  #best = Number.POSITIVE_INFINITY;
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
    this.found.answered(now - ms, now);
    if (this.#isFixed) return;
    this.#answers++;
    this.#sumMs += ms;
    if (this.#answers < this.limit) return;
    const mean = this.#sumMs / this.#answers;
    this.#answers = 0;
    this.#sumMs = 0;
    // What was quick once may be slow for good: the best is forgotten little by little.
    this.#best = Math.min(this.#best * 1.01, mean);
    if (mean > 2 * this.#best && mean > this.#best + QUICK_MS) this.#shrink(now);
    else this.#limit = Math.min(MOST, this.#limit + 1);
  }

  /**
   * A request was turned away or timed out.
   *
   * @param retryAfterMs how long the service asked to wait
   */
  congested(sentAt: number, now: number, retryAfterMs = 0): void {
    if (retryAfterMs >= PAUSE_MS) this.found.refused(sentAt, now, retryAfterMs);
    if (this.#isFixed) return;
    // All that left before the last decrease says the same thing once more.
    if (sentAt < this.#lastDecrease) return;
    this.#shrink(now);
  }

  #shrink(now: number): void {
    this.#limit = Math.max(1, this.#limit * DECREASE);
    this.#lastDecrease = now;
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

/** When the next request may leave: by the rate that the user gave, and by the one that was found. */
export class Leave {
  readonly #given: Rate | undefined;
  readonly #found: FoundRate;

  constructor(given: Rate | undefined, found: FoundRate) {
    this.#given = given;
    this.#found = found;
  }

  perSecond(now: number): number {
    return Math.min(this.#given?.perSecond ?? Number.POSITIVE_INFINITY, this.#found.perSecond(now));
  }

  /** In how many ms the next request may leave. */
  wait(now: number): number {
    return Math.max(this.#given?.wait(now) ?? 0, this.#found.wait(now));
  }

  /** Takes leave for one request, if it may leave now; gives the same as {@link wait}. */
  take(now: number): number {
    const ms = this.wait(now);
    if (ms > 0) return ms;
    this.#given?.take(now);
    this.#found.take(now);
    return 0;
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
