import { Dispatcher, type errors } from 'undici';
import { between, type Random } from '../../support/random.ts';
import type { Machine, Owner } from '../machine/machine.ts';
import { here, type World } from '../machine/world.ts';

export interface Request {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response on its way. With a `share` below 1, the connection ends after that part of the text. */
export interface Message {
  /** The request that it answers. */
  readonly request: Request;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly share: number;
  /** The content contradicts the request. */
  readonly isFalse?: boolean;
}

/** All numbers except `mostMs` are probabilities in [0, 1]. */
export interface NetworkHabits {
  readonly refused: number;
  /** The service may close a connection some time after a response. */
  readonly closes: number;
  readonly silent: number;
  /** Maximum latency in one direction, ms. */
  readonly mostMs: number;
}

export class Network {
  readonly #machine: Machine;
  readonly random: Random;
  habits: NetworkHabits;
  requests = 0;

  constructor(machine: Machine, random: Random, habits: NetworkHabits) {
    this.#machine = machine;
    this.random = random;
    this.habits = habits;
  }

  happens(chance: number): boolean {
    return chance > 0 && this.random() < chance;
  }

  /** Calls `run` after a random latency, unless its owner has ended by then. */
  later(owner: Owner, run: () => void, mostMs = this.habits.mostMs): void {
    this.#machine.after(this.random() * mostMs, run, owner);
  }
}

/** One connection. Bytes arrive in the order in which they were written. */
export class Wire {
  readonly #world: World;
  readonly #client: SimClient;
  readonly #life: Owner;
  #isOpenThere = true;
  /** A response was lost. Later responses on this connection must not arrive either. */
  #isSilent = false;
  #lastArrival = 0;

  constructor(world: World, client: SimClient, life: Owner) {
    this.#world = world;
    this.#client = client;
    this.#life = life;
  }

  /** Sends a request. It arrives even if the process ends now. */
  send(request: Request): void {
    const { network, machine, service } = this.#world;
    network.later(machine.around, () => {
      if (this.#isOpenThere) service.receive(request, this);
      else {
        service.lost(request);
        this.reset();
      }
    });
  }

  respond(message: Message): void {
    const { network, trace, machine } = this.#world;
    if (!this.#isOpenThere) return;
    if (network.happens(network.habits.silent)) {
      trace.add(machine.time, `silent ${message.request.number}`);
      this.#isSilent = true;
      return;
    }
    this.#arrive(() => this.#client.receive(this, message));
    if (message.share < 1) this.end();
    else if (network.happens(network.habits.closes)) {
      machine.after(between(network.random, 0, 30), () => this.end(), machine.around);
    }
  }

  /** Closes the connection from the side of the service, after its last response. */
  end(): void {
    if (!this.#isOpenThere) return;
    this.#isOpenThere = false;
    this.#arrive(() => this.#client.closed(this, failure('UND_ERR_SOCKET', 'other side closed')));
  }

  reset(): void {
    this.#isOpenThere = false;
    this.#arrive(() => this.#client.closed(this, failure('ECONNRESET', 'read ECONNRESET')));
  }

  /** Closes the connection from the side of the client. Requests on their way still arrive. */
  close(): void {
    const { network, machine } = this.#world;
    network.later(machine.around, () => {
      this.#isOpenThere = false;
    });
  }

  #arrive(run: () => void): void {
    if (this.#isSilent) return;
    const { network, machine } = this.#world;
    const at = machine.time + network.random() * network.habits.mostMs;
    this.#lastArrival = Math.max(this.#lastArrival + 0.001, at);
    machine.after(this.#lastArrival - machine.time, run, this.#life);
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

type Handler = Required<Dispatcher.DispatchHandler>;

class Exchange {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Handler;
  readonly controller: Dispatcher.DispatchController;
  reason: Error | undefined;
  request: Request | undefined;
  /** When proc handed the request over. The request leaves later if the connection is still being opened. */
  readonly at = here().machine.time;

  constructor(
    options: Dispatcher.DispatchOptions,
    handler: Handler,
    onAbort: (exchange: Exchange) => void,
  ) {
    this.options = options;
    this.handler = handler;
    this.controller = {
      aborted: false,
      abort: (reason: Error) => {
        if (this.reason !== undefined) return;
        this.reason = reason;
        onAbort(this);
      },
    } as unknown as Dispatcher.DispatchController;
  }
}

/**
 * Replaces undici's client: one connection, one request at a time. Calls back in the same order and turns as
 * undici.
 */
export class SimClient extends Dispatcher {
  readonly #world: World = here();
  readonly #life: Owner = here().life;
  readonly #queue: Exchange[] = [];
  #running: Exchange | undefined;
  #wire: Wire | undefined;
  #isConnecting = false;
  #isDestroyed = false;
  readonly #onIdle: (() => void) | undefined;

  /** @param onIdle called when it may take the next request */
  constructor(onIdle?: () => void) {
    super();
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#running === undefined && !this.#isConnecting && this.#queue.length === 0;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (!this.#life.isAlive) return false;
    const exchange = new Exchange(options, handler as Handler, (one) => this.#aborted(one));
    if (this.#isDestroyed) {
      exchange.handler.onResponseError(
        exchange.controller,
        failure('UND_ERR_DESTROYED', 'destroyed'),
      );
      return false;
    }
    this.#queue.push(exchange);
    this.#resume();
    return true;
  }

  override async destroy(): Promise<void> {
    this.#isDestroyed = true;
    const error = failure('UND_ERR_DESTROYED', 'The client is destroyed');
    for (const one of [...this.#queue.splice(0), this.#running]) {
      one?.handler.onResponseError(one.controller, error);
    }
    this.#running = undefined;
    this.#disconnect(error);
  }

  #resume(): void {
    const { network } = this.#world;
    if (this.isIdle) this.#onIdle?.();
    if (this.#running !== undefined || this.#isConnecting || this.#queue.length === 0) return;
    if (this.#wire !== undefined) {
      this.#start(this.#queue.shift()!, this.#wire);
      return;
    }
    this.#isConnecting = true;
    network.later(this.#life, () => {
      this.#isConnecting = false;
      if (this.#isDestroyed) return;
      if (network.happens(network.habits.refused)) {
        const error = failure('ECONNREFUSED', 'connect ECONNREFUSED');
        for (const one of this.#queue.splice(0)) one.handler.onResponseError(one.controller, error);
        this.#resume();
        return;
      }
      this.#wire = new Wire(this.#world, this, this.#life);
      this.#resume();
    });
  }

  #start(exchange: Exchange, wire: Wire): void {
    const { options, handler, controller } = exchange;
    const { network, promises, machine, trace } = this.#world;
    handler.onRequestStart(controller, undefined);
    if (exchange.reason !== undefined) {
      this.#resume();
      return;
    }
    const request: Request = {
      number: ++network.requests,
      method: options.method,
      path: options.path,
      headers: options.headers as Record<string, string>,
      body: options.body === null || options.body === undefined ? '' : String(options.body),
    };
    exchange.request = request;
    this.#running = exchange;
    if (!this.#life.isAlive) return;
    trace.add(
      machine.time,
      `leaves ${request.number} ${request.method} ${request.path} ${request.body}`,
    );
    promises.leaves(request, exchange.at);
    wire.send(request);
  }

  #aborted(exchange: Exchange): void {
    const at = this.#queue.indexOf(exchange);
    if (at >= 0) this.#queue.splice(at, 1);
    exchange.handler.onResponseError(exchange.controller, exchange.reason!);
    if (this.#running !== exchange) return;
    this.#running = undefined;
    this.#disconnect(exchange.reason!);
  }

  receive(wire: Wire, message: Message): void {
    const { trace, machine, promises } = this.#world;
    if (wire !== this.#wire) return;
    const running = this.#running;
    const whose = running?.request?.number;
    trace.add(machine.time, `arrives ${message.request.number} ${message.status} for ${whose}`);
    if (running === undefined) return;
    const { handler, controller, options } = running;
    const bytes = Buffer.from(message.text);
    promises.outside.noteResponse(running.request!, message);
    handler.onResponseStart(controller, message.status, { ...message.headers }, '');
    const body = bytes.subarray(0, Math.floor(bytes.length * message.share));
    if (running.reason === undefined && body.length > 0) handler.onResponseData(controller, body);
    // The rest of a cut response never arrives: proc sees only that the connection ends.
    if (running.reason !== undefined || message.share < 1) return;
    handler.onResponseEnd(controller, {});
    this.#running = undefined;
    const isLast =
      (options as { reset?: boolean }).reset === true || message.headers.connection === 'close';
    if (isLast) this.#disconnect(failure('UND_ERR_INFO', 'reset'));
    else machine.immediate(() => this.#resume(), this.#life);
  }

  closed(wire: Wire, error: Error): void {
    if (wire !== this.#wire) return;
    this.#world.trace.add(this.#world.machine.time, `closed ${this.#running?.request?.number}`);
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) running.handler.onResponseError(running.controller, error);
    this.#disconnect(error);
  }

  /** Closes the connection, and tells its listeners in a later turn, as Node does. */
  #disconnect(error: Error): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    this.#wire = undefined;
    wire.close();
    this.#world.machine.immediate(() => {
      this.emit('disconnect', new URL('http://127.0.0.1'), [], error as errors.UndiciError);
      this.#resume();
    }, this.#life);
  }
}

/** Replaces undici's pool for one origin: a request waits until one of its connections is free. */
class SimPool extends Dispatcher {
  readonly #most: number;
  readonly #clients: SimClient[] = [];
  readonly #waiting: Parameters<Dispatcher['dispatch']>[] = [];

  constructor(_origin: string, { connections = 1 }: { readonly connections?: number }) {
    super();
    this.#most = connections;
  }

  override dispatch(...given: Parameters<Dispatcher['dispatch']>): boolean {
    const free = this.#clients.find(({ isIdle }) => isIdle);
    if (free !== undefined) return free.dispatch(...given);
    if (this.#clients.length === this.#most) {
      this.#waiting.push(given);
      return false;
    }
    const client: SimClient = new SimClient(() => {
      const next = this.#waiting.shift();
      if (next !== undefined) client.dispatch(...next);
    });
    this.#clients.push(client);
    return client.dispatch(...given);
  }

  override async destroy(): Promise<void> {
    this.#waiting.length = 0;
    for (const client of this.#clients) await client.destroy();
  }
}

class SimAgent extends SimPool {
  constructor(options: { readonly connections?: number }) {
    super('', options);
  }
}

/** What proc imports from undici. */
export { SimAgent as EnvHttpProxyAgent, SimPool as Pool };
