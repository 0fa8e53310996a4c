import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { messageOf, systemCode } from '../core/errors.ts';
import { CONNECT_TIMEOUT, type Outcome } from '../core/service/outcome.ts';
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

/** Reports the outcome in the turn of the event loop in which the response ends. */
export function begin(
  request: PreparedRequest,
  transport: Transport,
  options: SendOptions,
  onOutcome: (outcome: Outcome) => void,
): void {
  if (request.method !== 'GET') transport.requireWritable?.(`${request.method} ${request.path}`);
  const attempt = new Attempt(request, options, (outcome) => {
    try {
      onOutcome(outcome());
    } catch (thrown) {
      // Thrown later, because undici would swallow an error that is thrown here.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  });
  const dispatch = () => {
    try {
      transport.dispatch(dispatchOptions(request, options), attempt);
    } catch (thrown) {
      attempt.onResponseError(undefined, errorOf(thrown));
    }
  };
  let isTrusting = false;
  attempt.onUntrusted = (error) => {
    const trusted = isTrusting ? undefined : transport.trustSystem(error);
    isTrusting = true;
    trusted?.then(dispatch, (thrown) => attempt.onResponseError(undefined, errorOf(thrown)));
    return trusted !== undefined;
  };
  dispatch();
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}

function dispatchOptions(
  request: PreparedRequest,
  { isKept }: SendOptions,
): Dispatcher.DispatchOptions {
  const headers: Record<string, string> = { ...request.headers };
  if (request.credential !== undefined) {
    const [name, value] = credentialHeader(request.credential);
    headers[name] = value;
  }
  return {
    origin: request.origin,
    path: request.path,
    method: request.method,
    headers,
    body: request.body ?? null,
    reset: request.method !== 'GET' && isKept !== true,
  };
}

type Broken = Extract<Outcome, { kind: 'unknown' }>['reason'];

class Attempt implements Dispatcher.DispatchHandler {
  /** Returns true if the request is sent again, because its connection could not be opened. */
  onUntrusted: ((error: Error) => boolean) | undefined;
  readonly #request: PreparedRequest;
  readonly #options: SendOptions;
  readonly #settle: (outcome: () => Outcome) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#break('interrupted', 'interrupted');
  #control: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  readonly #body: Buffer[] = [];
  #size = 0;
  /** The most bytes of this response. */
  #most = 0;

  constructor(
    request: PreparedRequest,
    options: SendOptions,
    settle: (outcome: () => Outcome) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#settle = settle;
    const { timeoutMs, signal } = options;
    this.#timer = setTimeout(
      () => this.#break('timeout', `no complete response within ${timeoutMs / 1000} s`),
      timeoutMs,
    );
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    if (!this.#settled && this.#options.mayLeave?.() === false)
      this.#break('timeout', CONNECT_TIMEOUT);
    // The attempt ended while connecting. undici writes nothing of a request that is aborted here.
    if (this.#settled) control.abort(new Error('given up before the start'));
    else this.#control = control;
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#most = mostBytes(this.#request, status);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#settled) return;
    this.#body.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#most) return;
    // Enough of an error body has arrived. The rest is ignored.
    if (this.#most === MAX_ERROR_BODY) this.#finish(new Error('enough read'));
    this.#break('undecodable', `the response is larger than ${this.#most >> 20} MiB`);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    const isOpen = this.#control !== undefined || this.#settled;
    if (!isOpen && this.onUntrusted?.(error) === true) return;
    const code = systemCode(error);
    const cause = code === undefined ? '' : ` (${code})`;
    this.#break('broke', `the connection broke${cause} before the response was complete`, error);
  }

  #finish(cut?: Error): void {
    const [status, headers] = [this.#status ?? 0, this.#headers];
    const judged = () =>
      judge(
        this.#request,
        { status, headers, body: Buffer.concat(this.#body) },
        this.#options.now(),
      );
    this.#end(judged, cut);
  }

  #break(reason: Broken, text: string, cause = new Error(text)): void {
    const isStarted = this.#control !== undefined;
    const status = this.#status;
    const outcome: Outcome = isStarted
      ? { kind: 'unknown', status, reason, problem: { text }, error: undefined }
      : { kind: 'not-sent', cause, timedOut: reason === 'timeout' };
    this.#end(() => outcome, reason === 'broke' ? undefined : cause);
  }

  /** @param abort stops a response that is still arriving */
  #end(outcome: () => Outcome, abort: Error | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#settle(outcome);
    if (abort !== undefined) this.#control?.abort(abort);
  }
}
