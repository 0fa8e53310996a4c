import type { Dispatcher } from 'undici';
import type Client from 'undici/lib/dispatcher/client.js';
import type { Connection } from '../../core/service/sender.ts';

/** What is told of one request. */
export interface AnswerHandler
  extends Required<
    Pick<Dispatcher.DispatchHandler, 'onResponseStart' | 'onResponseData' | 'onResponseError'>
  > {
  /** It begins to leave, on this connection. */
  onRequestStart(controller: Dispatcher.DispatchController, connection: Connection): void;
  onResponseEnd(): void;
}

/** Answers after which a connection has shown that the service keeps it open. */
const PROVEN = 3;

/** undici's own ends: it was idle for long, or the answer said that the connection closes. */
const EXPECTED = 'UND_ERR_INFO';

/** Shorter than servers keep theirs: the outcome of a request on a connection that just closes is unknown. */
const IDLE_MS = 2_000;

interface LaneOwner {
  free(lane: Lane): void;
  isCareful(): boolean;
  ended(isExpected: boolean): void;
}

/** One connection after another, never two at once. */
export class Lane {
  readonly #openClient: () => Client;
  readonly #owner: LaneOwner;
  #client: Client;
  /** The one that is open now, as far as it was used. */
  connection: OpenConnection | undefined;
  /** Infinity while a request is under way. */
  idleSince = 0;

  constructor(openClient: () => Client, owner: LaneOwner) {
    this.#openClient = openClient;
    this.#owner = owner;
    this.#client = this.#newClient();
  }

  get isAwaited(): boolean {
    return this.connection?.onEnd !== undefined;
  }

  suits(ride: Ride, now: number): boolean {
    const { connection } = this;
    if (connection === undefined) return true;
    return !ride.isAlone && connection.method === ride.method && now - this.idleSince <= IDLE_MS;
  }

  begin(ride: Ride): void {
    ride.lane = this;
    this.idleSince = Number.POSITIVE_INFINITY;
    this.#client.dispatch(ride.options, ride);
  }

  /** The connection that a request begins to leave on. */
  connectionFor(ride: Ride): OpenConnection {
    this.connection ??= new OpenConnection(this, ride.method);
    return this.connection;
  }

  /** The next request opens a connection. */
  renew(): void {
    const old = this.#client;
    const { connection } = this;
    this.connection = undefined;
    this.#client = this.#newClient();
    // undici is perhaps just reading from it.
    setImmediate(() => void old.destroy());
    connection?.ended();
  }

  free(answers: number): void {
    this.idleSince = performance.now();
    if (answers > PROVEN && !this.#owner.isCareful()) this.#owner.free(this);
    // The first of them runs in this turn, before anything more is read.
    else setImmediate(() => setImmediate(() => this.#owner.free(this)));
  }

  broken(): void {
    // undici is just emptying the connection's queue, and insists that it is empty afterwards.
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
  answers = 0;
  onEnd: (() => void) | undefined;
  readonly method: string;
  readonly #lane: Lane;
  /** Its request was answered, and the connection not yet given on. */
  isHeld = false;

  constructor(lane: Lane, method: string) {
    this.#lane = lane;
    this.method = method;
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.answers++;
    this.#lane.free(this.answers);
  }

  end(): void {
    if (!this.isHeld) return;
    this.onEnd = undefined;
    if (this.#lane.connection === this) this.#lane.renew();
    this.release();
  }

  ended(): void {
    const told = this.onEnd;
    this.onEnd = undefined;
    told?.();
  }
}

/** A request on its way. */
export class Ride {
  readonly options: Dispatcher.DispatchOptions;
  readonly isAlone: boolean;
  readonly #handler: AnswerHandler;
  #connection: OpenConnection | undefined;
  lane: Lane | undefined;

  constructor(options: Dispatcher.DispatchOptions, handler: AnswerHandler, isAlone: boolean) {
    this.options = isAlone ? { ...options, reset: true } : options;
    this.#handler = handler;
    this.isAlone = isAlone;
  }

  get method(): string {
    return this.options.method;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#connection = this.lane!.connectionFor(this);
    this.#handler.onRequestStart(controller, this.#connection);
  }

  onResponseStart(...args: Parameters<AnswerHandler['onResponseStart']>): void {
    this.#handler.onResponseStart(...args);
  }

  onResponseData(...args: Parameters<AnswerHandler['onResponseData']>): void {
    this.#handler.onResponseData(...args);
  }

  /** The handler may give the connection on itself, to use it at once. */
  onResponseEnd(): void {
    const connection = this.#connection!;
    connection.isHeld = true;
    this.#handler.onResponseEnd();
    connection.release();
  }

  onResponseError(...args: Parameters<AnswerHandler['onResponseError']>): void {
    this.lane!.broken();
    this.#handler.onResponseError(...args);
  }
}
