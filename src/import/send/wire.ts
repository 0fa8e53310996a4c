/** The requests of the run that are in flight: creates, and reads of the list. */
export class Wire {
  readonly #inFlight = new Set<number>();
  #last = 0;

  /** @returns the number of the request, for {@link end} */
  begin(): number {
    this.#inFlight.add(++this.#last);
    return this.#last;
  }

  end(number: number): void {
    this.#inFlight.delete(number);
  }

  get last(): number {
    return this.#last;
  }

  /** Number of the oldest request in flight; infinite if there is none. */
  get oldest(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#inFlight;
    return oldest;
  }
}
