import type { Clock } from '../core/io.ts';
import { type Problem, sentence } from '../core/row-problem.ts';

/**
 * If the service asks for a shorter wait than this, e.g. `Retry-After: 0`, proc first waits only as
 * asked. Once the trouble has lasted longer than this, proc also makes pauses of its own.
 */
const AT_ONCE_MS = 250;

/**
 * If two calls of `isHopeless` are further apart than this, the machine probably slept. The time of
 * the patience starts again.
 */
const SLEPT_MS = 5_000;

/**
 * Pauses the whole run when the service asks for it or fails, and decides when to give up. A pause that
 * the service asked for is never cut short.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #until = 0;
  /** Like `#until`, but without proc's own pauses. */
  #askedUntil = 0;
  #why: Problem | undefined;
  /** Start of the current trouble; undefined while the service works. */
  #troubleSince: number | undefined;
  #lastCheck: number;
  #failures = 0;

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#lastCheck = clock.monotonic();
  }

  /** Why nothing is sent, and until when; undefined if the gate is open. */
  closed(): { readonly why: Problem; readonly until: number } | undefined {
    if (this.#why === undefined || this.#until <= this.#clock.monotonic()) return undefined;
    return { why: this.#why, until: this.#until };
  }

  get why(): string {
    const waitMs = this.#askedUntil - this.#clock.monotonic();
    const why = this.#why === undefined ? '' : sentence(this.#why);
    return waitMs > this.#patienceMs
      ? `${why} and asks to wait ${Math.ceil(waitMs / 1000)} s, longer than proc waits`
      : why;
  }

  noteResponse(): void {
    if (this.#troubleSince === undefined) return;
    // Requests that left before the pause may still succeed. The patience starts again,
    // but the pause goes on.
    this.#troubleSince = this.closed() === undefined ? undefined : this.#clock.monotonic();
    this.#failures = 0;
  }

  /**
   * @param ms how long the service asks to wait; if undefined, each pause is longer than the last
   */
  close(ms: number | undefined, why: Problem): void {
    this.#troubleSince ??= this.#clock.monotonic();
    this.#why = why;
    const now = this.#clock.monotonic();
    const isAtOnce = ms !== undefined && ms < AT_ONCE_MS;
    const needsPause = ms === undefined || (isAtOnce && now - this.#troubleSince > AT_ONCE_MS);
    // Concurrent requests fail for the same reason, so only the first failure makes the pauses
    // longer.
    const pause = needsPause && this.closed() === undefined ? this.#backoff() : 0;
    if (ms === undefined && pause === 0) return;
    this.#askedUntil = Math.max(this.#askedUntil, now + (ms ?? 0));
    this.#until = Math.max(this.#until, now + Math.max(ms ?? 0, pause));
  }

  /**
   * True if the current trouble, with the rest of the current pause, lasts longer than the patience.
   * Must be called often: a long gap between calls counts as sleep of the machine.
   */
  isHopeless(): boolean {
    const now = this.#clock.monotonic();
    const slept = now - this.#lastCheck > SLEPT_MS;
    this.#lastCheck = now;
    if (this.#troubleSince === undefined) return false;
    if (slept) this.#troubleSince = now;
    return Math.max(now, this.#until) - this.#troubleSince > this.#patienceMs;
  }

  #backoff(): number {
    const ms = Math.min(30_000, 250 * 2 ** Math.min(this.#failures, 7));
    this.#failures++;
    return ms * (0.5 + this.#clock.random() / 2);
  }
}
