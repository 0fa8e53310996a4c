import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Clock } from '../../core/ports.ts';
import type { Connection, Sender } from '../../core/service/sender.ts';
import type { Wire } from './wire.ts';

/** Reads of a run, counted with all else that is under way: answers may be swapped with theirs too. */
export function countedReads(
  sender: Sender,
  wire: Wire,
  clock: Clock,
  onCrossed: () => void,
): Pick<Sender, 'target' | 'send'> {
  return {
    target: sender.target,
    async send(...request) {
      const number = wire.begin();
      const outcome = await sender.send(...request);
      wire.end(number, clock.now(), outcome);
      // Reads share no connection with creates: this is the answer to one of them.
      if (outcome.kind === 'unknown' && outcome.status === CREATED) onCrossed();
      return outcome;
    },
  };
}

const CREATED = 201;

/** Asks for a list on a connection, counted like a read; false where it is not idle. */
export function countedQuestion(sender: Sender, wire: Wire, clock: Clock, list: EndpointSpec) {
  return (connection: Connection, onTold: (isInStep: boolean) => void): boolean => {
    const number = wire.begin();
    const isAsked = sender.askWhetherInStep(
      connection,
      list,
      { query: { limit: 1 } },
      (isInStep) => {
        wire.end(number, clock.now());
        onTold(isInStep);
      },
    );
    if (!isAsked) wire.end(number, clock.now());
    return isAsked;
  };
}
