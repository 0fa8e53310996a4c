import type { AnyInput, EndpointSpec } from '../endpoint.ts';
import type { Target } from '../service-target.ts';
import type { Outcome } from './outcome.ts';

/**
 * One open connection, as its answers show it. Services and proxies get out of step: they answer one
 * request twice, or send something that nobody requested, and the next request would take that as its own
 * answer. So whoever judges an answer must know what came before it on the same connection.
 */
export interface Connection {
  /** Complete answers before the current one. 0: nothing can be left over from an earlier request. */
  readonly answers: number;
  /**
   * Called once when the connection ends. While it is set, an idle connection stays open for one last
   * request.
   */
  onEnd: (() => void) | undefined;
  /**
   * Frees the connection for the next request. If neither this nor `end` is called, the answer frees it.
   */
  release(): void;
  /** Closes the connection: no further request uses it. */
  end(): void;
}

/** On which connection an answer came. */
export interface Place {
  /** It is the first answer on its connection. */
  readonly isFirst: boolean;
  /** Undefined if no further request can use it. */
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
   * Finds out whether a connection is in step, by fetching a list as its last request.
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
