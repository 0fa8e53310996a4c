/** Long enough to be steady, short enough to follow. */
const WINDOW_MS = 1_000;
/** The first rate is wanted soon, as it decides how many intents are written at once. */
const FIRST_WINDOW_MS = 100;

/** How many answers come in a second, lately. */
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

  /** Called now and then. */
  read(now: number): void {
    if (this.#since === 0) this.#since = now;
    else if (now - this.#since >= (this.#perSecond === 0 ? FIRST_WINDOW_MS : WINDOW_MS)) {
      this.#perSecond = (this.#answers * 1000) / (now - this.#since);
      this.#since = now;
      this.#answers = 0;
    }
  }
}
