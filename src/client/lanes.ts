import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';

/** What undici tells of one request. */
export type AnswerHandler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
>;

/** Answers after which a connection has shown that the service keeps it open. */
const PROVEN = 3;

/** undici's own ends: it was idle for long, or the answer said that the connection closes. */
const EXPECTED = 'UND_ERR_INFO';

interface Lane {
  readonly client: Client;
  /** Of the connection that is open now. */
  answers: number;
}

/**
 * Connections to one origin, each with one request at a time.
 *
 * A request that leaves on a connection which the service is just closing is in doubt. So a connection
 * rests for a turn of the event loop, in which its end would be seen, before it takes the next request
 * (undici's own pool does the same). Where services keep connections open that turn is lost time: one
 * that has answered a few times goes on at once, until the first connection ends without a word.
 */
export class Lanes {
  readonly #open: () => Client;
  readonly #most: number;
  readonly #all: Lane[] = [];
  /** The last one that answered is taken first: its connection is sure to be alive. */
  readonly #free: Lane[] = [];
  readonly #waiting: Ride[] = [];
  #isCareful = false;

  /** @param most connections at once; more requests wait for one that is free. */
  constructor(origin: string, options: Client.Options, most: number) {
    this.#open = () => new Client(origin, options);
    this.#most = most;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: AnswerHandler): void {
    const ride = new Ride(this, options, handler);
    const lane = this.#free.pop() ?? this.#another();
    if (lane === undefined) this.#waiting.push(ride);
    else ride.begin(lane);
  }

  #another(): Lane | undefined {
    if (this.#all.length === this.#most) return undefined;
    const lane = { client: this.#open(), answers: 0 };
    lane.client.on('disconnect', (_origin, _targets, error) => {
      lane.answers = 0;
      if (error.code !== EXPECTED) this.#isCareful = true;
    });
    this.#all.push(lane);
    return lane;
  }

  /** Told by a request that was answered, before its handler is. */
  answered(lane: Lane): void {
    lane.answers++;
    if (lane.answers > PROVEN && !this.#isCareful) this.release(lane);
    // The first of them runs in this turn, before anything more is read.
    else setImmediate(() => setImmediate(() => this.release(lane)));
  }

  /** Gives the connection to the next request. */
  release(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(lane);
    else next.begin(lane);
  }

  /** Breaks off what is under way; what waits fails as it takes its turn. */
  async destroy(): Promise<void> {
    await Promise.all(this.#all.map(({ client }) => client.destroy()));
  }
}

/** A request on its way: an answer frees its connection before the handler is told, who may then use it. */
class Ride implements AnswerHandler {
  readonly #lanes: Lanes;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #handler: AnswerHandler;
  #lane: Lane | undefined;

  constructor(lanes: Lanes, options: Dispatcher.DispatchOptions, handler: AnswerHandler) {
    this.#lanes = lanes;
    this.#options = options;
    this.#handler = handler;
  }

  begin(lane: Lane): void {
    this.#lane = lane;
    lane.client.dispatch(this.#options, this);
  }

  onRequestStart(...args: Parameters<AnswerHandler['onRequestStart']>): void {
    this.#handler.onRequestStart(...args);
  }

  onResponseStart(...args: Parameters<AnswerHandler['onResponseStart']>): void {
    this.#handler.onResponseStart(...args);
  }

  onResponseData(...args: Parameters<AnswerHandler['onResponseData']>): void {
    this.#handler.onResponseData(...args);
  }

  onResponseEnd(...args: Parameters<AnswerHandler['onResponseEnd']>): void {
    this.#lanes.answered(this.#lane!);
    this.#handler.onResponseEnd(...args);
  }

  onResponseError(...args: Parameters<AnswerHandler['onResponseError']>): void {
    const lane = this.#lane!;
    // undici is just emptying the connection's queue, and insists that it is empty afterwards.
    setImmediate(() => this.#lanes.release(lane));
    this.#handler.onResponseError(...args);
  }
}
