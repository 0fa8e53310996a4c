import type { RawAnswer } from '../endpoint.ts';
import type { FieldIssue } from '../validate.ts';

/**
 * What became of one request. The line that matters is between *not sent* or *throttled* (surely
 * not applied: may be sent again) and *unknown* (perhaps applied: a write must not be).
 */
export type Outcome = Settled & {
  /** Of raw calls, where the service answered something that is no success: the answer itself. */
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
      /** Milliseconds the service asked to wait; undefined where it named none. */
      readonly retryAfterMs: number | undefined;
      readonly error: ErrorBody;
    }
  | { readonly kind: 'not-sent'; readonly cause: Error; readonly timedOut: boolean }
  | {
      readonly kind: 'unknown';
      readonly status: number | undefined;
      /** What is known: `timeout`, the connection `broke`, the service `failed`, the answer was `undecodable` or came without the `id` it must carry. */
      readonly reason: 'timeout' | 'broke' | 'failed' | 'undecodable' | 'no-id' | 'interrupted';
      /** For people: what happened. */
      readonly detail: string;
      readonly error: ErrorBody | undefined;
      readonly retryAfterMs?: number | undefined;
    };

/** What an error answer says. The contract does not show its shape, so all usual ones are read. */
export interface ErrorBody {
  /** One readable sentence, at most 500 characters; undefined where the body says nothing. */
  readonly message: string | undefined;
  readonly issues: readonly FieldIssue[];
  readonly requestId: string | undefined;
}
