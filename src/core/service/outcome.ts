import type { RawAnswer } from '../endpoint.ts';
import type { FieldIssue } from '../validate.ts';

/**
 * The outcome of one request. What matters is the difference between *not sent* or *throttled* (provably
 * had no effect: may be retried) and *unknown* (may have had an effect: a write is never retried).
 */
export type Outcome = Settled & {
  /** For raw calls, if the service answered with a failure: the answer itself. */
  readonly answer?: RawAnswer | undefined;
};

type Settled =
  | {
      readonly kind: 'done';
      readonly status: number;
      readonly value: unknown;
      readonly requestId: string | undefined;
    }
  | {
      readonly kind: 'rejected';
      readonly status: number;
      readonly error: ErrorBody;
      readonly location: string | undefined;
    }
  | {
      readonly kind: 'throttled';
      readonly status: number;
      /** Milliseconds that the service asked to wait; undefined if it named none. */
      readonly retryAfterMs: number | undefined;
      readonly error: ErrorBody;
    }
  | { readonly kind: 'not-sent'; readonly cause: Error; readonly timedOut: boolean }
  | {
      readonly kind: 'unknown';
      readonly status: number | undefined;
      /** What is known: `timeout`, the connection `broke`, the service `failed`, the answer was `undecodable` or came without the `id` it must carry. */
      readonly reason: 'timeout' | 'broke' | 'failed' | 'undecodable' | 'no-id' | 'interrupted';
      /** What happened, for people. */
      readonly detail: string;
      readonly error: ErrorBody | undefined;
      readonly retryAfterMs?: number | undefined;
    };

/** What an error answer says. The contract does not show its shape, so all usual ones are read. */
export interface ErrorBody {
  /** One readable sentence, at most 500 characters; undefined if the body has none. */
  readonly message: string | undefined;
  readonly issues: readonly FieldIssue[];
  readonly requestId: string | undefined;
}
