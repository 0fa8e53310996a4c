import { Client, type Dispatcher } from 'undici';
import { ConnectionSlot, PooledRequest, type ResponseHandler } from './connection-slot.ts';

export interface ConnectionUse {
  /** Use a connection opened for this request and closed afterwards. */
  readonly alone: boolean;
}

/**
 * Connections to one origin, each with one request at a time. `dispatch` never sends a read on a connection
 * of writes, because the read could take a late response to a write.
 */
export class ConnectionPool {
  readonly #open: () => Client;
  readonly #most: number;
  readonly #all = new Set<ConnectionSlot>();
  /** Idle slots, in the order in which they became idle. The last connection is most likely alive. */
  readonly #free: ConnectionSlot[] = [];
  readonly #waiting: PooledRequest[] = [];
  #isCareful = false;

  /**
   * @param most connections at once; further requests wait
   */
  constructor(origin: string, options: () => Client.Options, most: number) {
    this.#open = () => new Client(origin, options());
    this.#most = most;
  }

  dispatch(
    options: Dispatcher.DispatchOptions,
    handler: ResponseHandler,
    { alone }: ConnectionUse = { alone: false },
  ): void {
    const request = new PooledRequest(options, handler, alone);
    const slot = this.#take(request) ?? this.#another() ?? this.#renewed();
    if (slot === undefined) this.#waiting.push(request);
    else slot.begin(request);
  }

  #take(request: PooledRequest): ConnectionSlot | undefined {
    const now = performance.now();
    for (let at = this.#free.length - 1; at >= 0; at--) {
      const slot = this.#free[at]!;
      if (slot.accepts(request, now)) {
        this.#free.splice(at, 1);
        return slot;
      }
    }
    return undefined;
  }

  #another(): ConnectionSlot | undefined {
    if (this.#all.size >= this.#most) return undefined;
    const slot = new ConnectionSlot(this.#open, {
      free: (one) => this.#release(one),
      isCareful: () => this.#isCareful,
      ended: (isExpected) => {
        if (!isExpected) this.#isCareful = true;
      },
    });
    this.#all.add(slot);
    return slot;
  }

  /** A free slot with a new connection, which accepts any request. */
  #renewed(): ConnectionSlot | undefined {
    const slot = this.#free.shift();
    slot?.renew();
    return slot;
  }

  #release(slot: ConnectionSlot): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free.push(slot);
      return;
    }
    if (!slot.accepts(next, performance.now())) slot.renew();
    slot.begin(next);
  }

  /** Aborts the requests under way. Waiting requests fail when their turn comes. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((slot) => slot.destroy()));
  }
}
