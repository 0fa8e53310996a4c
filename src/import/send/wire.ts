import type { Outcome } from '../../core/service/outcome.ts';

const UNANSWERED = new Set(['timeout', 'broke', 'interrupted']);

/**
 * What is under way between the run and the service: creates, look-ups and questions. Only among these
 * can answers be swapped.
 */
export class Wire {
  readonly #settleMs: number;
  readonly #underWay = new Set<number>();
  #last = 0;
  #quietFrom: number;

  /**
   * @param settleMs how long a request that broke may still be answered, to somebody else
   * @param now a process before this one may have left some
   */
  constructor(settleMs: number, now: number) {
    this.#settleMs = settleMs;
    this.#quietFrom = now + settleMs;
  }

  /** A request leaves; its number is given back when it ends. */
  begin(): number {
    this.#underWay.add(++this.#last);
    return this.#last;
  }

  /** @param outcome of one without an answer, that may still come */
  end(number: number, now: number, outcome?: Outcome): void {
    this.#underWay.delete(number);
    if (outcome?.kind !== 'unknown' || !UNANSWERED.has(outcome.reason)) return;
    this.#quietFrom = now + this.#settleMs;
  }

  /** The last request that left. */
  get last(): number {
    return this.#last;
  }

  /** The oldest request under way; infinite where none is. */
  get oldest(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#underWay;
    return oldest;
  }

  /** Nothing is under way: what leaves now can only get its own answer. */
  isFree(now: number): boolean {
    return this.#underWay.size === 0 && now >= this.#quietFrom;
  }
}
