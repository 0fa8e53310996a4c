import { prepare } from '../client/request.ts';
import { failureOf } from '../client/response/failure.ts';
import type { Clock } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import type { Outcome } from '../core/service/outcome.ts';
import type { Sender } from '../core/service/sender.ts';
import type { ReadRows } from './list-reader.ts';

export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly retries: number;
  /** The longest wait for a success, in ms, over all retries. If Retry-After is longer, the read fails. */
  readonly patienceMs: number;
  /** Called when the service asks to wait, so that other requests wait too. */
  readonly onWait?: (ms: number, why: string) => void;
}

export const READ_PATIENCE_MS = 60_000;

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
const MOST_UNDECODABLE = 2;

/** Retries after every temporary failure, because reads have no effect. */
export function patientReader(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): ReadRows {
  const { clock, signal, retries, patienceMs } = patience;
  return async (endpoint, query, alone) => {
    const began = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const outcome = await sender.send(endpoint, { query }, alone);
      if (outcome.kind === 'done') return outcome.value as readonly Row[];
      signal.throwIfAborted();
      const ms = waitAfter(outcome, attempt, clock.random());
      const isAsked = outcome.kind === 'throttled';
      const passed = clock.monotonic() - began;
      if (ms === undefined || passed + ms > patienceMs || (!isAsked && attempt > retries)) {
        throw failureOf(prepare(endpoint, { query }, sender.target), outcome, sender.target);
      }
      if (isAsked) patience.onWait?.(ms, `the service answered ${outcome.status}`);
      await clock.sleep(ms, signal);
    }
  };
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
