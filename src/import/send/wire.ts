import type { Outcome } from '../../core/service/outcome.ts';

const WITHOUT_RESPONSE = new Set(['timeout', 'broke', 'interrupted']);

/** The requests of the run that are in flight: creates, and reads of the list. */
export class Wire {
  readonly #settleMs: number;
  readonly #inFlight = new Set<number>();
  #last = 0;
  #quietFrom: number;

  /**
   * @param settleMs for this long, the response to a broken request may still arrive, in place of
   *   the response to another request
   * @param now start of this process; requests of an earlier process may have broken just before
   */
  constructor(settleMs: number, now: number) {
    this.#settleMs = settleMs;
    this.#quietFrom = now + settleMs;
  }

  /** @returns the number of the request, for {@link end} */
  begin(): number {
    this.#inFlight.add(++this.#last);
    return this.#last;
  }

  end(number: number, now: number, outcome?: Outcome): void {
    this.#inFlight.delete(number);
    if (outcome?.kind !== 'unknown' || !WITHOUT_RESPONSE.has(outcome.reason)) return;
    this.#quietFrom = now + this.#settleMs;
  }

  get last(): number {
    return this.#last;
  }

  /** Number of the oldest request in flight; infinite if there is none. */
  get oldest(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#inFlight;
    return oldest;
  }

  /** Nothing is in flight: a request that leaves now can only get its own response. */
  isFree(now: number): boolean {
    return this.#inFlight.size === 0 && now >= this.#quietFrom;
  }
}
