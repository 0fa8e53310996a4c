import type { AnyInput, EndpointSpec } from '../core/endpoint.ts';
import { type ProcError, systemCode } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { Problem } from '../core/problem/row-problem.ts';
import type { Row } from '../core/result.ts';
import type { Outcome } from '../core/service/outcome.ts';
import type { Sender } from '../core/service/sender.ts';
import { failureOf } from '../http/failure.ts';
import { prepare } from '../http/request.ts';
import type { ReadRows } from './list-reader.ts';

export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Most retries after failures. A service that asks to wait is waited for in any case. */
  readonly retries: number;
  /**
   * Most retries after failures that do not pass by themselves: an unknown host, a refused certificate.
   * Default: `retries`.
   */
  readonly lastingRetries?: number;
  /** The longest wait for a success, in ms, over all retries. If Retry-After is longer, the read fails. */
  readonly patienceMs: number;
  /** Called before each wait after a failure. */
  readonly onFailure?: (failure: ProcError, attempt: number) => void;
  /** Called when the service asks to wait, so that other requests wait too. */
  readonly onWait?: (ms: number, why: Problem) => void;
}

export const READ_PATIENCE_MS = 60_000;

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
const MOST_UNDECODABLE = 2;

type Send = Pick<Sender, 'target' | 'send'>;

/** Retries after every temporary failure, because reads have no effect. */
export function patientReader(sender: Send, patience: Patience): ReadRows {
  const read = patientRead(sender, patience);
  return async (endpoint, query) => (await read(endpoint, { query })) as readonly Row[];
}

/** Reads anything as {@link patientReader} reads lists. */
export function patientRead(
  sender: Send,
  patience: Patience,
): (endpoint: EndpointSpec, input: AnyInput) => Promise<unknown> {
  const { clock, signal, retries, lastingRetries = retries, patienceMs } = patience;
  return async (endpoint, input) => {
    const began = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const outcome = await sender.send(endpoint, input);
      if (outcome.kind === 'done') return outcome.value;
      signal.throwIfAborted();
      const ms = waitAfter(outcome, attempt, clock.random());
      const isAsked = outcome.kind === 'throttled';
      const passed = clock.monotonic() - began;
      const most = isLasting(outcome) ? lastingRetries : retries;
      const failure = () =>
        failureOf(prepare(endpoint, input, sender.target), outcome, sender.target);
      if (ms === undefined || passed + ms > patienceMs || (!isAsked && attempt > most)) {
        throw failure();
      }
      patience.onFailure?.(failure(), attempt);
      if (isAsked) patience.onWait?.(ms, { code: 'answered', args: { status: outcome.status } });
      await clock.sleep(ms, signal);
    }
  };
}

function isLasting(outcome: Outcome): boolean {
  if (outcome.kind !== 'not-sent' || outcome.timedOut) return false;
  const code = systemCode(outcome.cause) ?? '';
  return code === 'ENOTFOUND' || /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|EPROTO/.test(code);
}

function waitAfter(
  outcome: Exclude<Outcome, { kind: 'done' }>,
  attempt: number,
  chance: number,
): number | undefined {
  const backoff =
    (0.5 + chance / 2) * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
  if (outcome.kind === 'rejected') return undefined;
  // Retry-After: 0 is obeyed only once, otherwise the service would get requests without a pause.
  if (outcome.kind === 'throttled' && attempt === 1) return outcome.retryAfterMs ?? backoff;
  if (outcome.kind === 'throttled') return Math.max(outcome.retryAfterMs ?? 0, backoff);
  if (outcome.kind === 'unknown' && outcome.reason === 'undecodable') {
    // The response may belong to another request. If the list itself is invalid, the retry fails the same
    // way.
    return attempt > MOST_UNDECODABLE ? undefined : backoff;
  }
  return outcome.kind === 'unknown' ? Math.max(outcome.retryAfterMs ?? 0, backoff) : backoff;
}
