import type { IncomingHttpHeaders } from 'node:http';
import type { Client, Dispatcher } from 'undici';

export interface RequestControl {
  abort(reason: Error): void;
}

/** The events of one request, as undici reports them. */
export interface ResponseHandler {
  onRequestStart(control: RequestControl): void;
  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(_: unknown, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(_: unknown, error: Error): void;
}

/** After so many responses, the next request need not wait for signs that the service closes the connection. */
const PROVEN = 3;

/** undici's code when undici closes a connection itself, e.g. after a response that announces the close. */
const EXPECTED = 'UND_ERR_INFO';

/**
 * The service may be closing a connection that was idle for longer. The outcome of a request on it would
 * then be unknown.
 */
const IDLE_MS = 2_000;

interface SlotOwner {
  free(slot: ConnectionSlot): void;
  isCareful(): boolean;
  ended(isExpected: boolean): void;
}

/** A place in the pool, with at most one connection at a time. */
export class ConnectionSlot {
  readonly #openClient: () => Client;
  readonly #owner: SlotOwner;
  #client: Client;
  /** The method of the first request on the open connection; undefined before it. */
  #method: string | undefined;
  /** Complete responses on the open connection. */
  #responses = 0;
  /** By `performance.now()`. Infinity while a request is under way. */
  #idleSince = 0;

  constructor(openClient: () => Client, owner: SlotOwner) {
    this.#openClient = openClient;
    this.#owner = owner;
    this.#client = this.#newClient();
  }

  accepts(request: PooledRequest, now: number): boolean {
    if (this.#method === undefined) return true;
    return !request.isAlone && this.#method === request.method && now - this.#idleSince <= IDLE_MS;
  }

  begin(request: PooledRequest): void {
    request.slot = this;
    this.#idleSince = Number.POSITIVE_INFINITY;
    this.#client.dispatch(request.options, request);
  }

  started({ method }: PooledRequest): void {
    this.#method ??= method;
  }

  renew(): void {
    const old = this.#client;
    this.#closed();
    this.#client = this.#newClient();
    // Destroyed in a later turn, because undici may be reading from the old connection now.
    setImmediate(() => void old.destroy());
  }

  answered(): void {
    this.#idleSince = performance.now();
    if (++this.#responses > PROVEN && !this.#owner.isCareful()) this.#owner.free(this);
    // Waits one turn of the event loop, to notice if the service has closed the connection
    // (docs/internals/protocol.md). A single setImmediate would run too early.
    else setImmediate(() => setImmediate(() => this.#owner.free(this)));
  }

  broken(): void {
    // Freed in a later turn, because undici is still emptying the queue of the broken connection.
    setImmediate(() => this.#owner.free(this));
  }

  destroy(): Promise<void> {
    return this.#client.destroy();
  }

  #closed(): void {
    this.#method = undefined;
    this.#responses = 0;
  }

  #newClient(): Client {
    const client = this.#openClient();
    client.on('disconnect', (_origin, _targets, error) => {
      if (client !== this.#client) return;
      this.#closed();
      const isExpected = error.code === EXPECTED || performance.now() - this.#idleSince > IDLE_MS;
      this.#owner.ended(isExpected);
    });
    return client;
  }
}

export class PooledRequest {
  readonly options: Dispatcher.DispatchOptions;
  readonly isAlone: boolean;
  readonly #handler: ResponseHandler;
  slot: ConnectionSlot | undefined;

  constructor(options: Dispatcher.DispatchOptions, handler: ResponseHandler, isAlone: boolean) {
    this.options = isAlone ? { ...options, reset: true } : options;
    this.#handler = handler;
    this.isAlone = isAlone;
  }

  get method(): string {
    return this.options.method;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.slot!.started(this);
    this.#handler.onRequestStart(controller);
  }

  onResponseStart(...args: Parameters<ResponseHandler['onResponseStart']>): void {
    this.#handler.onResponseStart(...args);
  }

  onResponseData(...args: Parameters<ResponseHandler['onResponseData']>): void {
    this.#handler.onResponseData(...args);
  }

  onResponseEnd(): void {
    this.#handler.onResponseEnd();
    this.slot!.answered();
  }

  onResponseError(...args: Parameters<ResponseHandler['onResponseError']>): void {
    this.slot!.broken();
    this.#handler.onResponseError(...args);
  }
}
