import type { Clock } from '../../core/ports.ts';

/** A service that turns everything away for longer than this is given pauses, even if it asks for none. */
const AT_ONCE_MS = 250;

/** Without an answer for as long as this, the machine slept: nobody was impatient meanwhile. */
const SLEPT_MS = 5_000;

/**
 * Closes the whole run for a while, as the service asks, and says when patience has run out. A wait
 * that the service asked for is never cut short.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #until = 0;
  #why = '';
  /** Since when nothing went through; undefined while the service answers. */
  #troubleSince: number | undefined;
  #lastLook: number;
  #failures = 0;

  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#lastLook = clock.now();
  }

  /** Why nothing is sent, and until when; undefined where the gate is open. */
  closed(): { readonly why: string; readonly until: number } | undefined {
    return this.#until > this.#clock.now() ? { why: this.#why, until: this.#until } : undefined;
  }

  /** What the service last said where it turned requests away. */
  get why(): string {
    return this.#why;
  }

  /** The service answered, hence works. */
  answered(): void {
    this.#troubleSince = undefined;
    this.#failures = 0;
  }

  /** Waits as long as the service asks, or longer each time where it does not say. */
  close(ms: number | undefined, why: string): void {
    this.#troubleSince ??= this.#clock.now();
    this.#why = why;
    const now = this.#clock.now();
    const isAtOnce = ms !== undefined && ms < AT_ONCE_MS;
    const needsPause = ms === undefined || (isAtOnce && now - this.#troubleSince > AT_ONCE_MS);
    // Many requests at once meet the same trouble: it counts once.
    const pause = needsPause && this.closed() === undefined ? this.#backoff() : 0;
    if (ms === undefined && pause === 0) return;
    this.#until = Math.max(this.#until, now + Math.max(ms ?? 0, pause));
  }

  /** True where waiting on takes longer than the user's patience; asked every second or so. */
  isHopeless(): boolean {
    const now = this.#clock.now();
    const slept = now - this.#lastLook > SLEPT_MS;
    this.#lastLook = now;
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
