import type { AnyInput, EndpointSpec } from '../endpoint.ts';
import type { Target } from '../service-target.ts';
import type { Outcome } from './outcome.ts';

/**
 * An open connection to the service. A service or proxy may get out of step: it answers one request twice, or
 * sends an answer that nobody requested. The next request on the connection would take that answer as its
 * own. So code that judges an answer must know what came before it on the same connection.
 */
export interface Connection {
  /** Complete answers before the current one. 0: nothing can be left over from an earlier request. */
  readonly answers: number;
  /**
   * Called once when the connection ends. While `onEnd` is set, an idle connection stays open for one last
   * request.
   */
  onEnd: (() => void) | undefined;
  /**
   * Frees the connection for the next request. Without a call of `release` or `end`, the connection becomes
   * free when the answer has been handled.
   */
  release(): void;
  /** Closes the connection: no further request uses it. */
  end(): void;
}

/** The connection on which an answer came. */
export interface Place {
  readonly isFirst: boolean;
  /** Undefined if the connection cannot be used again. */
  readonly connection: Connection | undefined;
}

/** Sends one body (JSON text) and reports its outcome and connection. */
export type Post = (
  body: string,
  alone: boolean,
  onOutcome: (outcome: Outcome, place: Place) => void,
) => void;

/** Sends single requests for code that decides itself how to react to each outcome (imports). */
export interface Sender {
  readonly target: Target;
  /**
   * One attempt: no retry, and no error thrown for what the service or the network does.
   *
   * @param alone send on a connection of its own (default: true for everything but lists)
   */
  send(spec: EndpointSpec, input: AnyInput, alone?: boolean): Promise<Outcome>;
  /** As `send`, for millions of requests: reports the outcome as soon as the answer ends. */
  poster(spec: EndpointSpec): Post;
  /**
   * Fetches a list as the last request of a connection, to find out whether each earlier answer on it
   * belonged to its own request.
   *
   * @returns false if the connection is not idle; then nothing is sent
   */
  askWhetherInStep(
    connection: Connection,
    list: EndpointSpec,
    input: AnyInput,
    onResult: (isInStep: boolean) => void,
  ): boolean;
}
