const WINDOW_MS = 1_000;
/** The first rate is needed soon: it decides how many rows a transaction marks as sent. */
const FIRST_WINDOW_MS = 100;

export class Meter {
  #since = 0;
  #responses = 0;
  #perSecond = 0;

  get perSecond(): number {
    return this.#perSecond;
  }

  noteResponse(): void {
    this.#responses++;
  }

  /** Must be called repeatedly, because it also starts the next window. */
  read(now: number): void {
    if (this.#since === 0) this.#since = now;
    else if (now - this.#since >= (this.#perSecond === 0 ? FIRST_WINDOW_MS : WINDOW_MS)) {
      this.#perSecond = (this.#responses * 1000) / (now - this.#since);
      this.#since = now;
      this.#responses = 0;
    }
  }
}
