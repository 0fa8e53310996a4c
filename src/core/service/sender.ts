import type { AnyInput, EndpointSpec } from '../endpoint.ts';
import type { Target } from '../service-target.ts';
import type { Outcome } from './outcome.ts';

/**
 * A faulty service may answer one request twice. The next request on the connection then takes the second
 * response as its own (docs/internals/protocol.md, "Connections out of step").
 */
export interface Connection {
  /** Complete responses before the current one. 0: no earlier request can have left a response. */
  readonly responses: number;
  /**
   * Called once when the connection ends. While it is set, an idle connection stays open, for
   * {@link Sender.askWhetherInStep}.
   */
  onEnd: (() => void) | undefined;
  /**
   * Frees the connection for the next request. Without this call, it becomes free when the response has
   * been handled.
   */
  release(): void;
  end(): void;
}

export interface Place {
  readonly isFirst: boolean;
  readonly connection: Connection | undefined;
}

/**
 * Sends one body (JSON text) and reports its outcome and connection.
 *
 * @param mayLeave asked when the request is about to be written; if not, it is not sent
 */
export type Post = (
  body: string,
  alone: boolean,
  onOutcome: (outcome: Outcome, place: Place) => void,
  mayLeave?: () => boolean,
) => void;

/** Sends single requests for code that decides itself how to react to each outcome (imports). */
export interface Sender {
  readonly target: Target;
  /**
   * One attempt, without retry. Never throws for what the service or the network does.
   *
   * @param alone send on a connection of its own (default: true for everything but lists)
   */
  send(spec: EndpointSpec, input: AnyInput, alone?: boolean): Promise<Outcome>;
  /** As `send`, for millions of requests. Reports the outcome as soon as the response ends. */
  poster(spec: EndpointSpec): Post;
  /**
   * Fetches a list as the last request of a connection. This shows whether each earlier response belonged
   * to its request.
   *
   * @returns false if nothing was sent, e.g. because the connection is in use
   */
  askWhetherInStep(
    connection: Connection,
    list: EndpointSpec,
    input: AnyInput,
    onResult: (isInStep: boolean) => void,
  ): boolean;
}
