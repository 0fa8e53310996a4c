import { AsyncLocalStorage } from 'node:async_hooks';
import { type Random, randomFrom } from '../../support/random.ts';

/** The owner of a turn: one process of proc, or the world around it, which outlives processes. */
export class Owner {
  isAlive = true;
  /** Until then it is suspended. */
  awakeAt = 0;
  pid = 0;
  /** By how much the clock of its machine is wrong, ms. */
  skewMs = 0;
  /** How many of its writes have left. */
  writes = 0;
}

interface Turn {
  readonly at: number;
  readonly number: number;
  readonly owner: Owner;
  readonly every: number | undefined;
  readonly run: () => void;
}

/** The real functions, saved before `replaceGlobals` replaces them. */
const realImmediate = globalThis.setImmediate;
const realDateNow = Date.now;

/**
 * A clock, and a queue of turns: timers, immediates, the network, the disk. If no turn can run, the clock jumps
 * to the next timer.
 */
export class Machine {
  /** Simulated milliseconds since this object was created. */
  time = 0;
  turns = 0;
  random: Random = randomFrom(0);
  readonly around = new Owner();
  readonly #owners = new AsyncLocalStorage<Owner>();
  #wallOffset = 1_767_225_600_000;
  #bootedAt = -5_000;
  #number = 0;
  #timers = new Map<number, Turn>();
  #immediates: Turn[] = [];

  /** Whose code runs now, also in what continues after a promise or a file that was read. */
  get owner(): Owner {
    return this.#owners.getStore() ?? this.around;
  }

  within<T>(owner: Owner, work: () => T): T {
    return this.#owners.run(owner, work);
  }

  get wall(): number {
    return Math.floor(this.time) + this.#wallOffset + this.owner.skewMs;
  }

  get monotonic(): number {
    return this.time - this.#bootedAt;
  }

  /** Starts the machine again after a loss of power. The monotonic clock begins anew. */
  reboot(): void {
    this.time += 20_000;
    this.#bootedAt = this.time - 3_000;
  }

  setWallClock(byMs: number): void {
    this.#wallOffset += byMs;
  }

  after(ms: number, run: () => void, owner = this.owner, every?: number): number {
    if (!owner.isAlive) return 0;
    const number = ++this.#number;
    this.#timers.set(number, { at: this.time + Math.max(0, ms), number, owner, every, run });
    return number;
  }

  immediate(run: () => void, owner = this.owner): number {
    if (!owner.isAlive) return 0;
    const number = ++this.#number;
    this.#immediates.push({ at: this.time, number, owner, every: undefined, run });
    return number;
  }

  cancel(number: number): void {
    this.#timers.delete(number);
    this.#immediates = this.#immediates.filter((turn) => turn.number !== number);
  }

  /** Ends a process: removes all its turns. */
  end(owner: Owner): void {
    owner.isAlive = false;
    this.#immediates = this.#immediates.filter((turn) => turn.owner !== owner);
    for (const turn of this.#timers.values()) {
      if (turn.owner === owner) this.#timers.delete(turn.number);
    }
  }

  async run(
    isOver: () => boolean,
    onTurn: (owner: Owner) => void,
    until = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    let idle = 0;
    for (;;) {
      await settled();
      if (isOver()) {
        await quiet();
        return;
      }
      const turn = this.#next(until);
      if (turn === undefined && until < Number.POSITIVE_INFINITY) {
        this.time = until;
        return;
      }
      if (turn === undefined) {
        // There is no turn, but a thread of Node may still be loading a module.
        if (++idle > 20_000)
          throw new Error('the program waits for something that is not simulated');
        await new Promise((resolve) => realTimeout(resolve, 1));
        continue;
      }
      idle = 0;
      this.turns++;
      this.within(turn.owner, turn.run);
      await microtasks();
      onTurn(turn.owner);
    }
  }

  async pass(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.run(
      () => this.time >= until,
      () => undefined,
      until,
    );
  }

  #next(until: number): Turn | undefined {
    const awake = this.#immediates.findIndex(({ owner }) => owner.awakeAt <= this.time);
    if (awake >= 0) return this.#immediates.splice(awake, 1)[0];
    let first = undefined as Turn | undefined;
    let when = Number.POSITIVE_INFINITY;
    const look = (turn: Turn): void => {
      const at = Math.max(turn.at, turn.owner.awakeAt);
      if (at >= when) return;
      first = turn;
      when = at;
    };
    for (const turn of this.#timers.values()) look(turn);
    for (const turn of this.#immediates) look(turn);
    if (first === undefined || when > until) return undefined;
    const { number } = first;
    this.#immediates = this.#immediates.filter((turn) => turn.number !== number);
    this.#timers.delete(number);
    this.time = Math.max(this.time, when);
    if (first.every !== undefined) {
      this.#timers.set(first.number, { ...first, at: this.time + first.every });
    }
    return first;
  }
}

const realTimeout = globalThis.setTimeout;

function microtasks(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** Waits for threads of Node that read files. This takes no simulated time. */
async function settled(): Promise<void> {
  do await microtasks();
  while (process.getActiveResourcesInfo().some((what) => /req/i.test(what)));
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await settled();
}

export function realSeconds(): number {
  return realDateNow() / 1000;
}
