import type { Books } from '../books.ts';
import type { Promises } from '../promises/promises.ts';
import type { Database } from '../service/database.ts';
import type { Network } from '../service/network.ts';
import type { Service } from '../service/service.ts';
import type { Disk } from './disk.ts';
import type { Machine, Owner } from './machine.ts';
import type { Trace } from './trace.ts';

/** Everything around a process of proc, and the checks of its promises. */
export interface World {
  readonly machine: Machine;
  readonly service: Service;
  readonly network: Network;
  /** Of a shared ledger. */
  readonly database?: Database;
  readonly disk: Disk;
  readonly promises: Promises;
  /** The tables of proc. */
  readonly books: Books;
  readonly trace: Trace;
  /** The process whose code runs now, or `machine.around`. */
  readonly life: Owner;
}

let current: World | undefined;

export function enter(world: World): void {
  current = world;
}

/** The current world. Undefined while the simulation itself is loaded. */
export function found(): World | undefined {
  return current;
}

/** The current world. Replaced modules of Node use it, because their callers cannot pass a world. */
export function here(): World {
  if (current === undefined) throw new Error('no world is simulated');
  return current;
}
