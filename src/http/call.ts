import type { AnyInput, EndpointSpec } from '../core/endpoint.ts';
import type { ProcError } from '../core/errors.ts';
import type { Clock, Say } from '../core/ports.ts';
import { sentence } from '../core/problem/sentence.ts';
import type { Outcome } from '../core/service/outcome.ts';
import type { KeyedTarget } from '../core/service-target.ts';
import type { Transport } from './connection.ts';
import { failureOf, waitTooLong } from './failure.ts';
import { type PreparedRequest, prepare, rowsAskedFor, urlOf } from './request.ts';
import { send } from './send-once.ts';

/** If a service asks for a longer wait, the command ends. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;
const WORTH_SAYING_MS = 1_000;

export interface ClientPorts {
  readonly target: KeyedTarget;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: Say;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly verbose: boolean;
  /** Called with the outcome of each attempt, for the history of writes. */
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
  /** Asked when the request is about to be written. If not, it is not sent. */
  readonly mayLeave?: (() => boolean) | undefined;
  readonly beforeRetry?: (() => Promise<void>) | undefined;
}

/**
 * Sends with retries and returns the decoded response. Reads are retried after any temporary failure,
 * writes only if they provably had no effect.
 *
 * @throws ProcError
 */
export async function call(
  spec: EndpointSpec,
  input: AnyInput,
  ports: ClientPorts,
): Promise<unknown> {
  const request = prepare(spec, input, ports.target);
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendTraced(request, attempt, ports);
    if (outcome.kind === 'done') return rowsAskedFor(outcome.value, spec, input, ports.target);
    ports.signal.throwIfAborted();
    const wait = attempt > ports.retries ? undefined : waitBefore(outcome, request, attempt, ports);
    if (wait === undefined) throw withResponse(failureOf(request, outcome, ports.target), outcome);
    if (wait.ms > LONGEST_WAIT_MS)
      throw waitTooLong(request, wait.status ?? 0, wait.ms, ports.clock.now());
    if (wait.ms >= WORTH_SAYING_MS) {
      ports.say({
        kind: 'notice',
        text: `${wait.why}; retrying in ${Math.ceil(wait.ms / 1000)} s`,
      });
    }
    await ports.clock.sleep(wait.ms, ports.signal);
    await ports.beforeRetry?.();
  }
}

/** `proc api` prints the response of the service also after a failure, and takes it from the error. */
function withResponse(error: ProcError, { response }: Outcome): ProcError {
  if (response !== undefined) error.cause = response;
  return error;
}

async function sendTraced(
  request: PreparedRequest,
  attempt: number,
  ports: ClientPorts,
): Promise<Outcome> {
  const started = ports.clock.monotonic();
  const outcome = await send(request, ports.transport, {
    timeoutMs: ports.timeoutMs,
    signal: ports.signal,
    now: ports.clock.now,
    mayLeave: ports.mayLeave,
  });
  ports.onOutcome?.(outcome);
  if (ports.verbose)
    ports.say(trace(request, outcome, attempt, Math.round(ports.clock.monotonic() - started)));
  return outcome;
}

/** One line per attempt for `-v`, without header values and bodies. */
export function trace(request: PreparedRequest, outcome: Outcome, attempt: number, ms: number) {
  const status = 'status' in outcome ? outcome.status : undefined;
  const credential = request.credential === undefined ? 'none' : `${request.credential.scheme} ***`;
  return {
    kind: 'http',
    text: `${request.method} ${urlOf(request)} → ${status ?? outcome.kind} in ${ms} ms (attempt ${attempt}, credential: ${credential})`,
    data: {
      method: request.method,
      url: urlOf(request),
      status: status ?? null,
      outcome: outcome.kind,
      ms,
      attempt,
      credential,
    },
  } as const;
}

interface Wait {
  readonly ms: number;
  readonly why: string;
  readonly status?: number | undefined;
}

function waitBefore(
  outcome: Exclude<Outcome, { kind: 'done' }>,
  request: PreparedRequest,
  attempt: number,
  ports: ClientPorts,
): Wait | undefined {
  const backoff =
    ports.clock.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
  switch (outcome.kind) {
    case 'rejected':
      return undefined;
    case 'throttled':
      return {
        ms: outcome.retryAfterMs ?? backoff,
        why: `the service returned ${outcome.status}`,
        status: outcome.status,
      };
    case 'not-sent':
      return isFinal(outcome.cause) ? undefined : { ms: backoff, why: 'not reached' };
    case 'unknown':
      if (
        request.method !== 'GET' ||
        outcome.reason === 'undecodable' ||
        outcome.reason === 'no-id'
      )
        return undefined;
      return {
        ms: Math.max(outcome.retryAfterMs ?? 0, backoff),
        why: sentence(outcome.problem),
        status: outcome.status,
      };
  }
}

/** Failures that a retry cannot change: an invalid certificate, a host name that does not exist. */
function isFinal(cause: Error): boolean {
  const code = (cause as { code?: string }).code ?? '';
  return code === 'ENOTFOUND' || /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code);
}
