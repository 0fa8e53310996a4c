/** Begins again so far below what the service was found to take. */
const BELOW = 0.03;
/** Services save up about so much, which a client that comes fast uses up first. */
const SAVED_S = 1;
/** The rate is held so many times as long as the service asked to wait: at first, and once it has proved good. */
const HOLD = 10;
const HOLD_PROVED = 25;
const MOST_ASKED_S = 30;
/** What holds for so long has proved good; what was before is not looked at to find the rate anew. */
const PROVED_S = 20;
const REMEMBERED_S = 60;
/** Fewer are no rate worth keeping to. */
const LEAST = 1;

/**
 * The rate that a service was found to take, once it has turned a request away and asked to wait: each
 * such pause costs seconds, so that it is not worth finding the limit again and again. What got through
 * before the refusal tells the limit; requests then leave evenly just below it, come near it slowly, and
 * go beyond it only after a long time without a refusal (as the window of TCP CUBIC does).
 */
export class FoundRate {
  /** The limit as far as it is known, per second. */
  #top = Number.POSITIVE_INFINITY;
  #since = 0;
  #holdMs = 1;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #rateThen = Number.POSITIVE_INFINITY;
  /** When the first request left since the last pause. */
  #from: number | undefined;
  /** Let through, by the second since then, the last ones; and the same up to the last pause. */
  #through: number[] = [];
  #before: { readonly through: number[]; readonly lastS: number } | undefined;
  #tokens = 1;
  #last = 0;

  /** A request was let through; what left before a refusal may be answered after it. */
  answered(sentAt: number, now: number): void {
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

  /** A request was turned away, with a wait that the service asked for. */
  refused(sentAt: number, now: number, waitMs: number): void {
    // All that left before the last refusal says the same thing once more.
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
    this.#holdMs = hold * 1000 * Math.min(MOST_ASKED_S, Math.max(1, waitMs / 1000));
    this.#from = undefined;
    this.#through = [];
    this.#tokens = 1;
    this.#last = this.#since;
  }

  /** The most that got through for some time up to the refusal, less what may have been saved up. */
  #learn(): void {
    const { through, lastS } = this.#before!;
    let most = LEAST;
    let count = 0;
    for (let at = through.length - 1; at >= 0; at--) {
      count += through[at]!;
      const seconds = through.length - 1 - at + lastS;
      most = Math.max(most, count / (seconds + SAVED_S));
    }
    this.#top = Math.min(this.#rateThen, most);
  }

  /** Infinite while nothing was turned away. */
  perSecond(now: number): number {
    if (this.#top === Number.POSITIVE_INFINITY) return this.#top;
    const beyond = (now - this.#since) / this.#holdMs - 1;
    if (beyond >= 0) return this.#top * (1 + 4 * beyond ** 2);
    return this.#top * (1 + BELOW * Math.max(-1, beyond) ** 3);
  }

  /** In how many ms the next request may leave. */
  wait(now: number): number {
    const rate = this.perSecond(now);
    if (rate === Number.POSITIVE_INFINITY) return 0;
    // A quarter of a second may be made good: a busy machine is late by that.
    const gained = (Math.max(0, now - this.#last) / 1000) * rate;
    this.#tokens = Math.min(Math.max(1, rate / 4), this.#tokens + gained);
    this.#last = Math.max(now, this.#last);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / rate) * 1000);
  }

  /** A request leaves. */
  take(now: number): void {
    this.#from ??= now;
    if (this.#top !== Number.POSITIVE_INFINITY) this.#tokens--;
  }
}
