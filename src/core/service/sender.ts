import type { AnyInput, EndpointSpec } from '../endpoint.ts';
import type { Target } from '../service-target.ts';
import type { Outcome } from './outcome.ts';

/**
 * One open connection, as far as its answers tell. Services and proxies get out of step: they answer one
 * request twice, or say something that nobody asked for, and the next request takes that for its own
 * answer. So whoever judges an answer has to know what came before it on the same connection.
 */
export interface Connection {
  /** Whole answers before the one under way. 0: nothing can be left over from an earlier request. */
  readonly answers: number;
  /** Told once when it has ended; where this is set, it is kept for a question when it is idle for long. */
  onEnd: (() => void) | undefined;
  /** The next request may use it. Where neither this nor `end` is called, it is so after the answer. */
  release(): void;
  /** No further request uses it. */
  end(): void;
}

/** Where an answer came. */
export interface Place {
  /** Nothing came on this connection before it. */
  readonly isFirst: boolean;
  /** Undefined where no further request can use it. */
  readonly connection: Connection | undefined;
}

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
   * @param alone send on a connection of its own (default: true for everything but lists)
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
    onResult: (isInStep: boolean) => void,
  ): boolean;
}
