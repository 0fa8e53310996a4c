import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { messageOf, systemCode } from '../core/errors.ts';
import type { Problem } from '../core/problem/row-problem.ts';
import { sentence } from '../core/problem/sentence.ts';
import type { Outcome } from '../core/service/outcome.ts';
import type { Transport } from './connection.ts';
import { judge, MAX_ERROR_BODY, mostBytes, type ServiceResponse } from './judge.ts';
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

/** How a request ended. `broken`: without a usable response. */
type Exchange =
  | (ServiceResponse & { readonly kind: 'response' })
  | {
      readonly kind: 'broken';
      /** The service may have read the request. */
      readonly started: boolean;
      readonly status: number | undefined;
      readonly why: 'timeout' | 'interrupted' | 'broke' | 'undecodable';
      readonly cause: Error;
      readonly problem: Problem;
    };

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
  const attempt = new Attempt(request, options, (exchange) => {
    try {
      onOutcome(
        exchange.kind === 'response'
          ? judge(request, exchange, options.now())
          : unknownOutcome(exchange),
      );
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

const NO_HEADERS: IncomingHttpHeaders = {};

interface RequestControl {
  abort(reason: Error): void;
}

class Attempt implements Dispatcher.DispatchHandler {
  /** Returns true if the request is sent again, because its connection could not be opened. */
  onUntrusted: ((error: Error) => boolean) | undefined;
  readonly #request: PreparedRequest;
  readonly #settle: (exchange: Exchange) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #mayLeave: SendOptions['mayLeave'];
  #onAbort: (() => void) | undefined;
  #control: RequestControl | undefined;
  #settled = false;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = NO_HEADERS;
  readonly #body: Buffer[] = [];
  #size = 0;
  /** The most bytes of this response. */
  #most = 0;
  /** Enough of an error body has arrived. The rest is ignored. */
  #isCut = false;

  constructor(
    request: PreparedRequest,
    options: SendOptions,
    settle: (exchange: Exchange) => void,
  ) {
    this.#request = request;
    this.#settle = settle;
    const { timeoutMs, signal, mayLeave } = options;
    this.#mayLeave = mayLeave;
    this.#timer = setTimeout(
      () =>
        this.#break('timeout', { code: 'no_response_within', args: { seconds: timeoutMs / 1000 } }),
      timeoutMs,
    );
    this.#signal = signal;
    if (signal === undefined) return;
    this.#onAbort = () => this.#break('interrupted', { code: 'interrupted', args: {} });
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(control: RequestControl): void {
    if (!this.#settled && this.#mayLeave?.() === false)
      this.#break('timeout', { code: 'connect_timeout', args: {} });
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
    if (this.#most === MAX_ERROR_BODY) {
      this.#isCut = true;
      this.#finish();
      return;
    }
    const args = { mebibytes: this.#most >> 20 };
    this.#break('undecodable', { code: 'response_too_large', args });
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    const isOpen = this.#control !== undefined || this.#settled;
    if (!isOpen && this.onUntrusted?.(error) === true) return;
    const problem = { code: 'connection_broke', args: { cause: systemCode(error) } } as const;
    this.#break('broke', problem, error);
  }

  #finish(): void {
    this.#end({
      kind: 'response',
      status: this.#status ?? 0,
      headers: this.#headers,
      body: Buffer.concat(this.#body),
    });
  }

  #break(
    why: 'timeout' | 'interrupted' | 'broke' | 'undecodable',
    problem: Problem,
    cause = new Error(sentence(problem)),
  ): void {
    this.#end({
      kind: 'broken',
      started: this.#control !== undefined,
      status: this.#status,
      why,
      cause,
      problem,
    });
  }

  #end(exchange: Exchange): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#settle(exchange);
    // Stops a response that is still arriving.
    if (exchange.kind === 'broken' && exchange.why !== 'broke')
      this.#control?.abort(exchange.cause);
    else if (this.#isCut) this.#control?.abort(new Error('enough read'));
  }
}

function unknownOutcome(exchange: Extract<Exchange, { kind: 'broken' }>): Outcome {
  if (!exchange.started) {
    return { kind: 'not-sent', cause: exchange.cause, timedOut: exchange.why === 'timeout' };
  }
  const { status, why: reason, problem } = exchange;
  return { kind: 'unknown', status, reason, problem, error: undefined };
}
