import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import type { Connection } from '../../core/service/sender.ts';
import { type AnswerHandler, Lane, Ride } from './lane.ts';

export interface Carriage {
  /** On a connection of its own: opened for this request, closed after its answer. */
  readonly alone: boolean;
}

/**
 * Connections to one origin, each with one request at a time.
 *
 * The outcome of a request is unknown if the service was just closing its connection. So a connection
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

  /** The last one that answered, of those that suit. */
  #take(ride: Ride): Lane | undefined {
    const now = performance.now();
    for (let at = this.#free.length - 1; at >= 0; at--) {
      const lane = this.#free[at]!;
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
