import type { AnyInput, EndpointSpec } from '../core/endpoint.ts';
import type { Target } from '../core/ports.ts';
import type { Outcome } from './outcome.ts';

/** Sends one body, JSON text, and tells what became of it. */
export type Post = (body: string, onOutcome: (outcome: Outcome) => void) => void;

/** Sends single requests for code that decides itself what to do about each outcome (bulk). */
export interface Sender {
  readonly target: Target;
  /** One attempt, no retry, no throwing for what the service or the network does. */
  send(spec: EndpointSpec, input: AnyInput): Promise<Outcome>;
  /** As `send`, for what is sent by the million: tells the outcome as soon as the answer ends. */
  poster(spec: EndpointSpec): Post;
}

declare module '../core/command.ts' {
  interface Context {
    /**
     * A sender with its own connections; closed at the end of the command.
     *
     * @param target default: where the command goes; another one where its dialect was learned meanwhile
     */
    sender(connections: number, target?: Target): Promise<Sender>;
    /**
     * The guard without a request, for writes that go through a sender: banner and confirmation.
     *
     * @throws ProcError `confirmation_required`
     */
    consent(intent: WriteIntent): Promise<void>;
  }
}
