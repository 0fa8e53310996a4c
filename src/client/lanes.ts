import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connection } from './connection.ts';

/** What is told of one request. */
export interface AnswerHandler
  extends Required<
    Pick<Dispatcher.DispatchHandler, 'onResponseStart' | 'onResponseData' | 'onResponseError'>
  > {
  /** It begins to leave, on this connection. */
  onRequestStart(controller: Dispatcher.DispatchController, connection: Connection): void;
  onResponseEnd(): void;
}

export interface Carriage {
  /** On a connection of its own: opened for this request, closed after its answer. */
  readonly alone: boolean;
}

/** Answers after which a connection has shown that the service keeps it open. */
const PROVEN = 3;

/** undici's own ends: it was idle for long, or the answer said that the connection closes. */
const EXPECTED = 'UND_ERR_INFO';

/** Shorter than servers keep theirs: the outcome of a request on a connection that just closes is unknown. */
const IDLE_MS = 2_000;

/**
 * Connections to one origin, each with one request at a time.
 *
 * A request that leaves on a connection which the service is just closing is in doubt. So a connection
 * rests for a turn of the event loop, in which its end would be seen, before it takes the next request
 * (undici's own pool does the same). Where services keep connections open that turn is lost time: one
 * that has answered a few times goes on at once, until the first connection ends without a word.
 *
 * Reads and writes never share a connection: the answer to one must not be taken for the other's.
 */
export class Lanes {
  readonly #open: () => Client;
  readonly #most: number;
  readonly #all = new Set<Lane>();
  /** The last one that answered is taken first: its connection is sure to be alive. */
  readonly #free: Lane[] = [];
  readonly #waiting: Ride[] = [];
  #isCareful = false;

  /** @param most connections at once; more requests wait for one that is free. */
  constructor(origin: string, options: Client.Options, most: number) {
    this.#open = () => new Client(origin, options);
    this.#most = most;
  }

  dispatch(
    options: Dispatcher.DispatchOptions,
    handler: AnswerHandler,
    { alone }: Carriage = { alone: false },
  ): void {
    const ride = new Ride(options, handler, alone);
    const lane = this.#take(ride) ?? this.#another() ?? this.#renewed();
    if (lane === undefined) this.#waiting.push(ride);
    else lane.begin(ride);
  }

  /**
   * Sends one last request on a connection that is idle.
   *
   * @returns false where it is not idle, or has ended
   */
  ask(connection: Connection, options: Dispatcher.DispatchOptions, handler: AnswerHandler) {
    const lane = [...this.#all].find((one) => one.connection === connection);
    const at = lane === undefined ? -1 : this.#free.indexOf(lane);
    if (at < 0) return false;
    this.#free.splice(at, 1);
    lane!.begin(new Ride(options, handler, true));
    return true;
  }

  /** A free one that suits; those that were idle for too long are renewed on the way. */
  #take(ride: Ride): Lane | undefined {
    const now = performance.now();
    for (let at = this.#free.length - 1; at >= 0; at--) {
      const lane = this.#free[at]!;
      if (lane.isAwaited && (ride.isAlone || now - lane.idleSince > IDLE_MS)) continue;
      if (lane.suits(ride, now)) {
        this.#free.splice(at, 1);
        return lane;
      }
    }
    return undefined;
  }

  #another(): Lane | undefined {
    // Those that wait for a question carry no request meanwhile.
    const awaited = this.#free.filter(({ isAwaited }) => isAwaited).length;
    if (this.#all.size - awaited >= this.#most) return undefined;
    const lane = new Lane(this.#open, {
      free: (one) => this.#release(one),
      isCareful: () => this.#isCareful,
      ended: (isExpected) => {
        if (!isExpected) this.#isCareful = true;
      },
    });
    this.#all.add(lane);
    return lane;
  }

  /** One that is open, but suits not: with a connection opened anew it does. */
  #renewed(): Lane | undefined {
    const at = this.#free.findIndex(({ isAwaited }) => !isAwaited);
    const [lane] = at < 0 ? [] : this.#free.splice(at, 1);
    lane?.renew();
    return lane;
  }

  /** Gives the connection to the next request. */
  #release(lane: Lane): void {
    const next = this.#waiting[0];
    if (next === undefined) {
      if (this.#all.size > this.#most && !lane.isAwaited) this.#drop(lane);
      else this.#free.push(lane);
      return;
    }
    const suits = lane.suits(next, performance.now());
    if (lane.isAwaited && !suits) this.#free.push(lane);
    else if (!suits) lane.renew();
    const taker = lane.isAwaited && !suits ? this.#another() : lane;
    if (taker === undefined) return;
    this.#waiting.shift();
    taker.begin(next);
  }

  #drop(lane: Lane): void {
    this.#all.delete(lane);
    void lane.destroy();
  }

  /** Breaks off what is under way; what waits fails as it takes its turn. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((lane) => lane.destroy()));
  }
}

interface LaneOwner {
  free(lane: Lane): void;
  isCareful(): boolean;
  ended(isExpected: boolean): void;
}

/** One connection after another, never two at once. */
class Lane {
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
class Ride {
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
