import type { Crash } from '../machine/disk.ts';
import type { Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';
import type { Request } from '../service/network.ts';
import { INSIDE, Inside, type InsideName } from './inside.ts';
import { OUTSIDE, Outside, type OutsideName } from './outside.ts';

export type PromiseName = OutsideName | InsideName;

export const PROMISES: readonly PromiseName[] = [...OUTSIDE, ...INSIDE];

export interface Broken {
  readonly promise: PromiseName;
  readonly what: string;
  readonly time: number;
}

/** Watches all requests and commits, and records every broken promise. */
export class Promises {
  readonly broken: Broken[] = [];
  checks = 0;
  readonly outside: Outside;
  readonly inside: Inside;
  readonly #world: () => World;

  constructor(world: () => World, settleMs: number) {
    this.#world = world;
    this.outside = new Outside(world, settleMs);
    this.inside = new Inside(world);
  }

  break(promise: PromiseName, what: string): void {
    // Of what was put back, proc knows that it is older.
    const isInside = (INSIDE as readonly PromiseName[]).includes(promise);
    if (isInside && this.#world().disk.wasPutBack) return;
    this.broken.push({ promise, what, time: this.#world().machine.time });
  }

  begins(owner: Owner, argv: readonly string[], env: Readonly<Record<string, string>>): void {
    this.outside.begins(owner, env);
    this.inside.begins(owner, argv);
  }

  /** @param givenAt when proc handed the request over */
  leaves(request: Request, givenAt: number): void {
    this.checks++;
    this.inside.leaves(request);
    this.outside.leaves(request, givenAt);
  }

  crashed(crash: Crash): void {
    this.#world().books.close();
    this.inside.crashed(crash);
  }
}
