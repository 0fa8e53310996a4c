import type { IncomingHttpHeaders } from 'node:http';
import type { Client, Dispatcher } from 'undici';
import type { Connection } from '../../core/service/sender.ts';

export interface RequestControl {
  abort(reason: Error): void;
}

/** The events of one request, as undici reports them. */
export interface ResponseHandler {
  onRequestStart(control: RequestControl, connection: Connection): void;
  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(_: unknown, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(_: unknown, error: Error): void;
}

/** `ConnectionSlot.free` omits its wait only on a connection with more responses than this. */
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
  /** The open connection. Undefined before the first request on it. */
  connection: OpenConnection | undefined;
  /** By `performance.now()`. Infinity while a request is under way. */
  idleSince = 0;

  constructor(openClient: () => Client, owner: SlotOwner) {
    this.#openClient = openClient;
    this.#owner = owner;
    this.#client = this.#newClient();
  }

  /** One last request may follow on this connection (see `Connection.onEnd`), so it stays open. */
  get isReserved(): boolean {
    return this.connection?.onEnd !== undefined;
  }

  accepts(request: PooledRequest, now: number): boolean {
    const { connection } = this;
    if (connection === undefined) return true;
    return (
      !request.isAlone && connection.method === request.method && now - this.idleSince <= IDLE_MS
    );
  }

  begin(request: PooledRequest): void {
    request.slot = this;
    this.idleSince = Number.POSITIVE_INFINITY;
    this.#client.dispatch(request.options, request);
  }

  connectionFor(request: PooledRequest): OpenConnection {
    this.connection ??= new OpenConnection(this, request.method);
    return this.connection;
  }

  renew(): void {
    const old = this.#client;
    const { connection } = this;
    this.connection = undefined;
    this.#client = this.#newClient();
    // Destroyed in a later turn, because undici may be reading from the old connection now.
    setImmediate(() => void old.destroy());
    connection?.ended();
  }

  free(responses: number): void {
    this.idleSince = performance.now();
    if (responses > PROVEN && !this.#owner.isCareful()) this.#owner.free(this);
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

  #newClient(): Client {
    const client = this.#openClient();
    client.on('disconnect', (_origin, _targets, error) => {
      if (client !== this.#client) return;
      const { connection } = this;
      this.connection = undefined;
      const isExpected = error.code === EXPECTED || performance.now() - this.idleSince > IDLE_MS;
      this.#owner.ended(isExpected);
      connection?.ended();
    });
    return client;
  }
}

class OpenConnection implements Connection {
  responses = 0;
  onEnd: (() => void) | undefined;
  readonly method: string;
  readonly #slot: ConnectionSlot;
  /** A response is complete, but the connection is not yet released. */
  isHeld = false;

  constructor(slot: ConnectionSlot, method: string) {
    this.#slot = slot;
    this.method = method;
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.responses++;
    this.#slot.free(this.responses);
  }

  end(): void {
    if (!this.isHeld) return;
    this.onEnd = undefined;
    if (this.#slot.connection === this) this.#slot.renew();
    this.release();
  }

  ended(): void {
    const onEnd = this.onEnd;
    this.onEnd = undefined;
    onEnd?.();
  }
}

export class PooledRequest {
  readonly options: Dispatcher.DispatchOptions;
  readonly isAlone: boolean;
  readonly #handler: ResponseHandler;
  #connection: OpenConnection | undefined;
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
    this.#connection = this.slot!.connectionFor(this);
    this.#handler.onRequestStart(controller, this.#connection);
  }

  onResponseStart(...args: Parameters<ResponseHandler['onResponseStart']>): void {
    this.#handler.onResponseStart(...args);
  }

  onResponseData(...args: Parameters<ResponseHandler['onResponseData']>): void {
    this.#handler.onResponseData(...args);
  }

  /** The handler may release the connection itself, to send the next request at once. */
  onResponseEnd(): void {
    const connection = this.#connection!;
    connection.isHeld = true;
    this.#handler.onResponseEnd();
    connection.release();
  }

  onResponseError(...args: Parameters<ResponseHandler['onResponseError']>): void {
    this.slot!.broken();
    this.#handler.onResponseError(...args);
  }
}
