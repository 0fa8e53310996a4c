/** Long enough for a steady figure, short enough to follow changes. */
const WINDOW_MS = 1_000;
/** Shorter, because the first rate decides how many rows a transaction marks as sent. */
const FIRST_WINDOW_MS = 100;

export class Meter {
  #since = 0;
  #answers = 0;
  #perSecond = 0;

  get perSecond(): number {
    return this.#perSecond;
  }

  answered(): void {
    this.#answers++;
  }

  /** Called repeatedly; starts a new window when the current one is full. */
  read(now: number): void {
    if (this.#since === 0) this.#since = now;
    else if (now - this.#since >= (this.#perSecond === 0 ? FIRST_WINDOW_MS : WINDOW_MS)) {
      this.#perSecond = (this.#answers * 1000) / (now - this.#since);
      this.#since = now;
      this.#answers = 0;
    }
  }
}
