import { ProcError } from '../../core/errors.ts';

const START = 8;
/** More connections would strain the service. */
export const MAX_CONCURRENCY = 64;
const DECREASE = 0.7;
/** A smaller rise in latency is no sign of overload. */
const QUICK_MS = 100;
/** A shorter pause is no reason to lower the rate. */
const PAUSE_MS = 500;
const WINDOW_MS = 1_000;
/** The first rate is needed soon: it decides how many rows a transaction marks as sent. */
const FIRST_WINDOW_MS = 100;

/**
 * Measures the rate, and adapts the number n of concurrent requests (AIMD): n grows by one after n responses, and
 * shrinks to 0.7 n when the service is overloaded.
 */
export class Pace {
  readonly rate: RateLimit;
  readonly #isFixed: boolean;
  #most = MAX_CONCURRENCY;
  #limit: number;
  #responses = 0;
  #sumMs = 0;
  #best = Number.POSITIVE_INFINITY;
  #lastDecrease = 0;
  /** Of the current window of {@link measure}. */
  #measuredFrom = 0;
  #measured = 0;
  #perSecond = 0;

  /** @param fixed number of concurrent requests; if undefined, proc adapts the number */
  constructor(fixed: number | undefined, rate: RateLimit) {
    this.rate = rate;
    this.#isFixed = fixed !== undefined;
    this.#limit = fixed ?? START;
  }

  /** A person must decide about each row whose answer a kill loses, so few requests are under way at once. */
  keepSmall(): void {
    this.#most = START;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Responses per second, as last measured. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** Must be called repeatedly, because it also starts the next window. */
  measure(now: number): void {
    if (this.#measuredFrom === 0) this.#measuredFrom = now;
    const ms = now - this.#measuredFrom;
    if (ms < (this.#perSecond === 0 ? FIRST_WINDOW_MS : WINDOW_MS)) return;
    this.#perSecond = (this.#measured * 1000) / ms;
    this.#measuredFrom = now;
    this.#measured = 0;
  }

  /** @param ms time from request to response */
  noteResponse(ms: number, now: number): void {
    this.#measured++;
    this.rate.noteResponse(now - ms);
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
    else this.#limit = Math.min(this.#most, this.#limit + 1);
  }

  congested(sentAt: number, now: number, retryAfterMs = 0): void {
    if (retryAfterMs >= PAUSE_MS) this.rate.refused(sentAt, now, retryAfterMs);
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

/** After a refusal, start this share below the limit. */
const BELOW = 0.03;
/**
 * Many limits of 50/s let 50 requests through at once: a burst of 1 s. The burst is not part of the
 * steady rate.
 */
const BURST_S = 1;
/** How long to stay below the limit, as a multiple of the wait that the service asked for. */
const HOLD = 10;
/** Replaces `HOLD` after more than `PROVED_S` seconds without a refusal: the limit is more certain. */
const HOLD_PROVED = 25;
const MAX_WAIT_S = 30;
const PROVED_S = 20;
const MIN_PER_SECOND = 1;
/** A refusal lowers a known limit at most to this part. */
const LEAST_PART = 0.8;

/**
 * Spaces requests, at most as many per second as `--rate` says and as the service takes. proc learns the limit of
 * the service from its refusals. Each refusal costs seconds, so proc avoids further ones.
 *
 * The requests before a refusal show the limit. After the refusal, requests leave just below the
 * limit and approach it slowly. They exceed the limit only after a long time without a refusal,
 * like the window of TCP CUBIC.
 */
export class RateLimit {
  /** The value of `--rate`; infinite without it. */
  readonly #given: number;
  /** What was due within this part of a second may leave at once, because a busy machine may be late. */
  readonly #spareS: number;
  #tokens = 1;
  /** When tokens were last added. */
  #filledAt: number;
  /** The limit of the service per second; infinite until it is known. */
  #top = Number.POSITIVE_INFINITY;
  /** When the pause after the last refusal ends; the rate reaches the limit again `#holdMs` later. */
  #since = 0;
  #holdMs = 1;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** When the first request after the last pause left, and how many were let through since. */
  #from: number | undefined;
  #through = 0;
  /** The same up to the last refusal, and the rate that applied then. */
  #before = { through: 0, seconds: 0, rate: Number.POSITIVE_INFINITY };

  constructor(given: number | undefined, now: number) {
    this.#given = given ?? Number.POSITIVE_INFINITY;
    this.#spareS = given === undefined ? 1 / 4 : 1 / 10;
    this.#filledAt = now;
  }

  /** The service let a request through that left at this time, ms. */
  noteResponse(sentAt: number): void {
    if (sentAt >= this.#refusedAt) this.#through++;
    else {
      this.#before.through++;
      this.#learn();
    }
  }

  refused(sentAt: number, now: number, waitMs: number): void {
    // Requests that left before the last refusal meet the same limit, so their refusals do not
    // count.
    if (sentAt < this.#refusedAt) return;
    const seconds = (now - (this.#from ?? now)) / 1000;
    this.#before = { through: this.#through, seconds, rate: this.#learned(now) };
    this.#learn();
    this.#refusedAt = now;
    this.#since = now + waitMs;
    const hold = seconds > PROVED_S ? HOLD_PROVED : HOLD;
    this.#holdMs = hold * 1000 * Math.min(MAX_WAIT_S, Math.max(1, waitMs / 1000));
    this.#from = undefined;
    this.#through = 0;
    this.#tokens = 1;
    this.#filledAt = this.#since;
  }

  /**
   * The limit is what was let through before the refusal, without the burst: at most the rate that applied, and not
   * much less, because proc may have sent less than it could. Once a limit is known, only what was spared is a burst.
   */
  #learn(): void {
    const { through, seconds, rate } = this.#before;
    const isKnown = rate !== Number.POSITIVE_INFINITY;
    const least = isKnown ? rate * LEAST_PART : MIN_PER_SECOND;
    this.#top = Math.min(
      rate,
      Math.max(least, through / (seconds + (isKnown ? this.#spareS : BURST_S))),
    );
  }

  perSecond(now: number): number {
    return Math.min(this.#given, this.#learned(now));
  }

  #learned(now: number): number {
    if (this.#top === Number.POSITIVE_INFINITY) return this.#top;
    // -1 when the pause ends, 0 after `#holdMs`, positive later. Only a positive value lets the rate
    // exceed the limit.
    const beyond = (now - this.#since) / this.#holdMs - 1;
    if (beyond >= 0) return this.#top * (1 + 4 * beyond ** 2);
    return this.#top * (1 + BELOW * Math.max(-1, beyond) ** 3);
  }

  /** Time until the next request may leave, ms. */
  wait(now: number): number {
    const rate = this.perSecond(now);
    if (rate === Number.POSITIVE_INFINITY) return 0;
    const gained = (Math.max(0, now - this.#filledAt) / 1000) * rate;
    this.#tokens = Math.min(Math.max(1, rate * this.#spareS), this.#tokens + gained);
    this.#filledAt = Math.max(now, this.#filledAt);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / rate) * 1000);
  }

  /** Reserves one request if it may leave now; returns the same as {@link wait}. */
  take(now: number): number {
    const ms = this.wait(now);
    if (ms > 0) return ms;
    this.#from ??= now;
    if (this.perSecond(now) !== Number.POSITIVE_INFINITY) this.#tokens--;
    return 0;
  }
}
