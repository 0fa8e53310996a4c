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
/** Only this many seconds before a refusal count for the limit. */
const REMEMBERED_S = 60;
const MIN_PER_SECOND = 1;

/**
 * Learns the rate limit of a service from its refusals. Each refusal costs seconds, so proc avoids
 * further ones.
 *
 * The requests before a refusal show the limit. After the refusal, requests leave just below the
 * limit and approach it slowly. They exceed the limit only after a long time without a refusal,
 * like the window of TCP CUBIC.
 */
export class LearnedRate {
  /** The limit per second; infinite until it is known. */
  #top = Number.POSITIVE_INFINITY;
  /** When the pause after the last refusal ends; the rate reaches the limit again `#holdMs` later. */
  #since = 0;
  #holdMs = 1;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #rateThen = Number.POSITIVE_INFINITY;
  /** When the first request after the last pause left. */
  #from: number | undefined;
  /** Requests let through in each second since `#from`. */
  #through: number[] = [];
  /**
   * Requests let through in each second before the last refusal. The last second is incomplete:
   * `lastS` is its length.
   */
  #before: { readonly through: number[]; readonly lastS: number } | undefined;
  #tokens = 1;
  #last = 0;

  /** The rate limit let a request through. Times are in ms. */
  noteResponse(sentAt: number, now: number): void {
    if (sentAt < this.#refusedAt) {
      const through = this.#before!.through;
      through[through.length - 1]!++;
      this.#learn();
      return;
    }
    const second = Math.floor((now - (this.#from ?? now)) / 1000);
    this.#through[second] = (this.#through[second] ?? 0) + 1;
    delete this.#through[second - REMEMBERED_S];
  }

  refused(sentAt: number, now: number, waitMs: number): void {
    // Requests that left before the last refusal meet the same limit, so their refusals do not
    // count.
    if (sentAt < this.#refusedAt) return;
    const seconds = (now - (this.#from ?? now)) / 1000;
    this.#rateThen = this.perSecond(now);
    const first = Math.max(0, Math.floor(seconds) - REMEMBERED_S + 1);
    const through = Array.from(
      { length: Math.floor(seconds) - first + 1 },
      (_, index) => this.#through[first + index] ?? 0,
    );
    this.#before = { through, lastS: seconds % 1 };
    this.#learn();
    this.#refusedAt = now;
    this.#since = now + waitMs;
    const hold = seconds > PROVED_S ? HOLD_PROVED : HOLD;
    this.#holdMs = hold * 1000 * Math.min(MAX_WAIT_S, Math.max(1, waitMs / 1000));
    this.#from = undefined;
    this.#through = [];
    this.#tokens = 1;
    this.#last = this.#since;
  }

  /**
   * The limit is the highest rate over any period that ended with the refusal, without the burst.
   * It is at most the rate that applied at the refusal.
   */
  #learn(): void {
    const { through, lastS } = this.#before!;
    let most = MIN_PER_SECOND;
    let count = 0;
    for (let at = through.length - 1; at >= 0; at--) {
      count += through[at]!;
      const seconds = through.length - 1 - at + lastS;
      most = Math.max(most, count / (seconds + BURST_S));
    }
    this.#top = Math.min(this.#rateThen, most);
  }

  perSecond(now: number): number {
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
    // A busy machine may be late. So requests that were due in the last quarter of a second may
    // leave at once.
    const gained = (Math.max(0, now - this.#last) / 1000) * rate;
    this.#tokens = Math.min(Math.max(1, rate / 4), this.#tokens + gained);
    this.#last = Math.max(now, this.#last);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / rate) * 1000);
  }

  take(now: number): void {
    this.#from ??= now;
    if (this.#top !== Number.POSITIVE_INFINITY) this.#tokens--;
  }
}
