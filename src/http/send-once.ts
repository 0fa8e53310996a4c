import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { messageOf, systemCode } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Transport } from './connection.ts';
import { judge, MAX_ERROR_BODY, mostBytes } from './judge.ts';
import { credentialHeader, type PreparedRequest } from './request.ts';

export interface SendOptions {
  /** Milliseconds for the whole attempt, so that a slow body cannot extend it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  /** Keep the connection of a write for the next one. Default: each write opens a connection of its own. */
  readonly isKept?: boolean | undefined;
  /** Asked when the request is about to be written, e.g. after a slow connect. If not, it is not sent. */
  readonly mayLeave?: (() => boolean) | undefined;
}

export const CONNECT_TIMEOUT = 'connecting to the service timed out';

/**
 * Sends one request once. Follows no redirect, and never throws for what the service or the network does.
 *
 * @throws ProcError `read_only` for a write in a dry run or to a read-only target
 */
export function send(
  request: PreparedRequest,
  transport: Transport,
  options: SendOptions,
): Promise<Outcome> {
  return new Promise((resolve) => begin(request, transport, options, resolve));
}

type Broken = Extract<Outcome, { kind: 'unknown' }>['reason'];

/** Reports the outcome in the turn of the event loop in which the response ends. */
export function begin(
  request: PreparedRequest,
  transport: Transport,
  options: SendOptions,
  onOutcome: (outcome: Outcome) => void,
): void {
  if (request.method !== 'GET') transport.requireWritable?.(`${request.method} ${request.path}`);
  const { timeoutMs, signal, now, mayLeave } = options;
  const body: Buffer[] = [];
  let control: Dispatcher.DispatchController | undefined;
  let status: number | undefined;
  let headers: IncomingHttpHeaders = {};
  let [size, most] = [0, 0];
  let [isSettled, isTrusting] = [false, false];

  /** @param abort stops a response that is still arriving */
  function end(outcome: () => Outcome, abort?: Error): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
    try {
      onOutcome(outcome());
    } catch (thrown) {
      // Thrown later, because undici would swallow an error that is thrown here.
      queueMicrotask(() => {
        throw thrown;
      });
    }
    if (abort !== undefined) control?.abort(abort);
  }
  function finish(cut?: Error): void {
    const response = () => ({ status: status ?? 0, headers, body: Buffer.concat(body) });
    end(() => judge(request, response(), now()), cut);
  }
  function give(reason: Broken, text: string, cause = new Error(text)): void {
    const outcome: Outcome =
      control === undefined
        ? { kind: 'not-sent', cause, timedOut: reason === 'timeout' }
        : { kind: 'unknown', status, reason, problem: { text }, error: undefined };
    end(() => outcome, reason === 'broke' ? undefined : cause);
  }
  function broke(error: Error): void {
    const code = systemCode(error);
    const cause = code === undefined ? '' : ` (${code})`;
    give('broke', `the connection broke${cause} before the response was complete`, error);
  }
  function interrupt(): void {
    give('interrupted', 'interrupted');
  }
  const late = `no complete response within ${timeoutMs / 1000} s`;
  const timer = setTimeout(() => give('timeout', late), timeoutMs);

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      if (!isSettled && mayLeave?.() === false) give('timeout', CONNECT_TIMEOUT);
      // The attempt ended while connecting. undici writes nothing of a request that is aborted here.
      if (isSettled) started.abort(new Error('given up before the start'));
      else control = started;
    },
    onResponseStart(_, answered, given) {
      if (answered < 200) return;
      status = answered;
      headers = given;
      most = mostBytes(request, answered);
    },
    onResponseData(_, chunk) {
      if (isSettled) return;
      body.push(chunk);
      size += chunk.length;
      if (size <= most) return;
      // Enough of an error body has arrived. The rest is ignored.
      if (most === MAX_ERROR_BODY) finish(new Error('enough read'));
      give('undecodable', `the response is larger than ${most >> 20} MiB`);
    },
    onResponseEnd: () => finish(),
    onResponseError(_, error) {
      const mayTrust = control === undefined && !isSettled && !isTrusting;
      const trusted = mayTrust ? transport.trustSystem(error) : undefined;
      isTrusting = true;
      if (trusted === undefined) broke(error);
      else trusted.then(dispatch, (thrown) => broke(errorOf(thrown)));
    },
  };
  function dispatch(): void {
    try {
      transport.dispatch(dispatchOptions(request, options), handler);
    } catch (thrown) {
      broke(errorOf(thrown));
    }
  }
  if (signal?.aborted === true) interrupt();
  else signal?.addEventListener('abort', interrupt, { once: true });
  dispatch();
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

function dispatchOptions(
  request: PreparedRequest,
  { isKept }: SendOptions,
): Dispatcher.DispatchOptions {
  const { origin, path, method, headers, body, credential } = request;
  const [name, value] = credential === undefined ? [] : credentialHeader(credential);
  return {
    ...{ origin, path, method },
    headers: name === undefined ? headers : { ...headers, [name]: value },
    body: body ?? null,
    reset: method !== 'GET' && isKept !== true,
  };
}
