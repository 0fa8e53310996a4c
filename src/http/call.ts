import type { AnyInput, EndpointSpec } from '../core/endpoint.ts';
import { type ProcError, systemCode } from '../core/errors.ts';
import type { Clock, Say } from '../core/io.ts';
import type { Outcome } from '../core/outcome.ts';
import type { KeyedTarget, Sender, Target } from '../core/service.ts';
import type { Transport } from './connection.ts';
import { type Failed, failureOf, reasonOf, waitTooLong } from './failure.ts';
import { type PreparedRequest, prepare, rowsAskedFor, urlOf } from './request.ts';
import { send } from './send-once.ts';

/** If a service asks for a longer wait, a command ends. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
const WORTH_SAYING_MS = 1_000;

/** How often and how long a request is sent again. */
export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly retries: number;
  /** Most retries after failures that do not pass by themselves: an unknown host, a refused certificate. Default 0. */
  readonly lastingRetries?: number;
  /** For all attempts together. Default: no single wait is longer than a minute. */
  readonly patienceMs?: number;
  /** Called before each wait. */
  readonly onWait?: (wait: Wait) => void;
}

interface Wait {
  readonly ms: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly outcome: Failed;
  readonly reason: string;
  failure(): ProcError;
}

/**
 * Sends until the outcome is done. Reads are sent again after any temporary failure, writes only if they provably
 * had no effect.
 *
 * @param attemptTo sends once
 * @throws ProcError
 */
async function retried(
  request: PreparedRequest,
  target: Target,
  attemptTo: (attempt: number) => Promise<Outcome>,
  patience: Patience,
): Promise<unknown> {
  const { clock, signal, retries, lastingRetries = 0, patienceMs, onWait } = patience;
  const began = clock.monotonic();
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const outcome = await attemptTo(attempt);
    if (outcome.kind === 'done') return outcome.value;
    signal.throwIfAborted();
    const failure = (): ProcError => {
      const error = failureOf(request, outcome, target);
      // `proc api` prints the response of the service also after a failure, and takes it from the error.
      if (outcome.response !== undefined) error.cause = outcome.response;
      return error;
    };
    const asked = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
    const backoff =
      (0.5 + clock.random() / 2) * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
    const ms = Math.max(asked ?? 0, backoff);
    const most = isLasting(outcome) ? lastingRetries : retries;
    if (attempt > most || !isTemporary(outcome, request)) throw failure();
    const left =
      patienceMs === undefined ? LONGEST_WAIT_MS : patienceMs - (clock.monotonic() - began);
    if (ms > left) {
      throw asked === undefined ? failure() : waitTooLong(request, outcome, asked, clock.now());
    }
    onWait?.({ ms, attempt, outcome, reason: reasonOf(outcome), failure });
    await clock.sleep(ms, signal);
  }
}

function isTemporary(outcome: Failed, { method }: PreparedRequest): boolean {
  if (outcome.kind !== 'unknown') return outcome.kind !== 'rejected';
  return method === 'GET' && outcome.reason !== 'undecodable' && outcome.reason !== 'no-id';
}

function isLasting(outcome: Failed): boolean {
  if (outcome.kind !== 'not-sent' || outcome.timedOut) return false;
  const code = systemCode(outcome.cause) ?? '';
  return code === 'ENOTFOUND' || /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|EPROTO/.test(code);
}

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

/** Sends a request of a command, and returns the decoded response. Throws ProcError. */
export async function call(
  spec: EndpointSpec,
  input: AnyInput,
  ports: ClientPorts,
): Promise<unknown> {
  const { target, transport, clock, signal, say, timeoutMs, verbose, mayLeave } = ports;
  const request = prepare(spec, input, target);
  const sendTraced = async (attempt: number): Promise<Outcome> => {
    if (attempt > 1) await ports.beforeRetry?.();
    const started = clock.monotonic();
    const outcome = await send(request, transport, { timeoutMs, signal, now: clock.now, mayLeave });
    ports.onOutcome?.(outcome);
    if (verbose) say(trace(request, outcome, attempt, Math.round(clock.monotonic() - started)));
    return outcome;
  };
  const onWait = ({ ms, reason }: Wait): void => {
    if (ms < WORTH_SAYING_MS) return;
    const text = `${reason}; retrying in ${Math.ceil(ms / 1000)} s`;
    say({ kind: 'notice', text });
  };
  const { retries } = ports;
  const value = await retried(request, target, sendTraced, { clock, signal, retries, onWait });
  return rowsAskedFor(value, spec, input, target);
}

/** Reads through a sender, e.g. while an import sends. Throws ProcError. */
export function patientRead(
  sender: Pick<Sender, 'target' | 'send'>,
  patience: Patience,
): (endpoint: EndpointSpec, input: AnyInput) => Promise<unknown> {
  const { target } = sender;
  return (endpoint, input) =>
    retried(prepare(endpoint, input, target), target, () => sender.send(endpoint, input), patience);
}

/** One line per attempt for `-v`, without header values and bodies. */
export function trace(request: PreparedRequest, outcome: Outcome, attempt: number, ms: number) {
  const status = 'status' in outcome ? outcome.status : undefined;
  const { method } = request;
  const url = urlOf(request);
  const credential = request.credential === undefined ? 'none' : `${request.credential.scheme} ***`;
  return {
    kind: 'http',
    text: `${method} ${url} → ${status ?? outcome.kind} in ${ms} ms (attempt ${attempt}, credential: ${credential})`,
    data: { method, url, status: status ?? null, outcome: outcome.kind, ms, attempt, credential },
  } as const;
}
