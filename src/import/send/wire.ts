import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Connection, Sender } from '../../core/service/sender.ts';

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

/** The reads of a run, counted as requests in flight: they may get the response to a create. */
export function countedReads(
  sender: Sender,
  wire: Wire,
  onForeign: () => void,
): Pick<Sender, 'target' | 'send'> {
  return {
    target: sender.target,
    async send(...request) {
      const number = wire.begin();
      const outcome = await sender.send(...request);
      wire.end(number);
      // No read is answered with 201. So this is the response to a create on another connection.
      if (outcome.kind === 'unknown' && outcome.status === CREATED) onForeign();
      return outcome;
    },
  };
}

const CREATED = 201;

/**
 * Requests a list on a connection, counted like a read. The returned function returns false if the
 * connection is busy.
 */
export function countedQuestion(sender: Sender, wire: Wire, list: EndpointSpec) {
  return (connection: Connection, onResponse: (isInStep: boolean) => void): boolean => {
    const number = wire.begin();
    const isAsked = sender.askWhetherInStep(
      connection,
      list,
      { query: { limit: 1 } },
      (isInStep) => {
        wire.end(number);
        onResponse(isInStep);
      },
    );
    if (!isAsked) wire.end(number);
    return isAsked;
  };
}
