import type { AnyInput, EndpointSpec } from '../core/endpoint.ts';
import type { Target } from '../core/ports.ts';
import type { Outcome } from './answer/outcome.ts';
import type { Connection } from './connection/connection.ts';
import type { Place } from './send.ts';

/** Sends one body, JSON text, and tells what became of it and on which connection. */
export type Post = (
  body: string,
  alone: boolean,
  onOutcome: (outcome: Outcome, place: Place) => void,
) => void;

/** Sends single requests for code that decides itself what to do about each outcome (bulk). */
export interface Sender {
  readonly target: Target;
  /**
   * One attempt, no retry, no throwing for what the service or the network does.
   *
   * @param alone on a connection of its own; so is all but lists, unless given
   */
  send(spec: EndpointSpec, input: AnyInput, alone?: boolean): Promise<Outcome>;
  /** As `send`, for what is sent by the million: tells the outcome as soon as the answer ends. */
  poster(spec: EndpointSpec): Post;
  /**
   * Finds out whether a connection is in step: proved by a list, as its last answer.
   *
   * @returns false where it is not idle: then nothing is asked
   */
  askWhetherInStep(
    connection: Connection,
    list: EndpointSpec,
    input: AnyInput,
    onTold: (isInStep: boolean) => void,
  ): boolean;
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
