import type { AnyInput, EndpointSpec } from '../endpoint.ts';
import type { Target } from '../service-target.ts';
import type { Outcome } from './outcome.ts';

/**
 * Sends one body (JSON text) and reports its outcome.
 *
 * @param mayLeave asked when the request is about to be written; if not, it is not sent
 */
export type Post = (
  body: string,
  onOutcome: (outcome: Outcome) => void,
  mayLeave: () => boolean,
) => void;

/** Sends single requests for code that decides itself how to react to each outcome (imports). */
export interface Sender {
  readonly target: Target;
  /** One attempt, without retry. Never throws for what the service or the network does. */
  send(spec: EndpointSpec, input: AnyInput): Promise<Outcome>;
  /** As `send`, for millions of requests. Reports the outcome as soon as the response ends. */
  poster(spec: EndpointSpec): Post;
}
