import type { RawResponse } from './endpoint.ts';
import type { Problem } from './row-problem.ts';
import type { FieldIssue } from './validate.ts';

/**
 * After `not-sent` and `throttled`, the request provably had no effect, so proc may retry it. After
 * `unknown`, proc never retries a write.
 */
export type Outcome = Settled & {
  /** For raw calls that the service returned with a failure. */
  readonly response?: RawResponse | undefined;
};

type Settled =
  | {
      readonly kind: 'done';
      readonly status: number;
      readonly value: unknown;
      readonly requestId: string | undefined;
      /** Differences between the answer and the request that do not make the outcome unknown, as text. */
      readonly altered?: string;
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
      readonly retryAfterMs: number | undefined;
      readonly error: ErrorBody;
    }
  | { readonly kind: 'not-sent'; readonly cause: Error; readonly timedOut: boolean }
  | {
      readonly kind: 'unknown';
      readonly status: number | undefined;
      /**
       * `broke`: the connection broke. `failed`: the status leaves the outcome open, e.g. 500. `no-id`: the
       * response has no id, or a wrong id. `contradicts`: a 2xx whose content does not fit the request, or says an
       * error; or a 4xx with the record that was sent. `undecodable`: also an HTML page, e.g. of a gateway.
       * `interrupted`: a signal ended the command.
       */
      readonly reason:
        | 'timeout'
        | 'broke'
        | 'failed'
        | 'undecodable'
        | 'no-id'
        | 'contradicts'
        | 'interrupted';
      readonly problem: Problem;
      readonly error: ErrorBody | undefined;
      readonly retryAfterMs?: number | undefined;
      /** For `contradicts`: the answer, and the fields that do not fit. Undefined for an error. */
      readonly misfit?: Misfit | undefined;
    };

export interface Misfit {
  readonly answer: unknown;
  readonly fields: readonly string[];
}

/** The contract does not define the shape of errors, so proc reads all usual shapes. */
export interface ErrorBody {
  /** One line, at most 500 characters. Undefined if the body is empty. */
  readonly message: string | undefined;
  readonly issues: readonly FieldIssue[];
  readonly requestId: string | undefined;
}
