import { hash } from 'node:crypto';
import { brokenPromises, isAtRest } from './promises.ts';
import type { Setting, start, steps, World } from './protocol.ts';

/** The module `protocol.ts`, or a variant of it that breaks a rule. */
export type Protocol = { readonly start: typeof start; readonly steps: typeof steps };

export interface Exploration {
  readonly states: number;
  /** Undefined if every promise holds in every state. */
  readonly failure?: { readonly promise: string; readonly story: readonly string[] };
}

/**
 * Visits every state that `rows` rows and two processes can reach, nearest first, so the first promise that
 * breaks has the shortest story. If none breaks, every state must also be able to reach the end.
 */
export function explore(protocol: Protocol, rows: number, setting: Setting): Exploration {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const parents: number[] = [];
  const earlier: number[][] = [];
  const atRest: number[] = [];
  const storyOf = (id: number): string[] => {
    const story: string[] = [];
    for (let at = id; at > 0; at = parents[at]!) story.unshift(names[at]!);
    return story;
  };
  const visit = (world: World, from: number, name: string): number | undefined => {
    const key = keyOf(world);
    const known = ids.get(key);
    if (known !== undefined) {
      earlier[known]!.push(from);
      return undefined;
    }
    names.push(name);
    parents.push(from);
    earlier.push(from < 0 ? [] : [from]);
    if (isAtRest(world)) atRest.push(ids.size);
    ids.set(key, ids.size);
    return ids.size - 1;
  };
  const first = protocol.start(rows, setting);
  visit(first, -1, '');
  let level: [number, World][] = [[0, first]];
  while (level.length > 0) {
    const next: [number, World][] = [];
    for (const [from, world] of level) {
      for (const { name, world: after } of protocol.steps(world)) {
        const id = visit(after, from, name);
        if (id === undefined) continue;
        const [promise] = brokenPromises(after);
        if (promise !== undefined) {
          return { states: ids.size, failure: { promise, story: storyOf(id) } };
        }
        next.push([id, after]);
      }
    }
    level = next;
  }
  const stuck = firstStuck(earlier, atRest);
  if (stuck === undefined) return { states: ids.size };
  const promise = 'a run comes to its end';
  return { states: ids.size, failure: { promise, story: storyOf(stuck) } };
}

/** The nearest state from which no state at rest can be reached. */
function firstStuck(earlier: readonly number[][], atRest: readonly number[]): number | undefined {
  const reaches = new Uint8Array(earlier.length);
  const open = [...atRest];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reaches[at] === 1) continue;
    reaches[at] = 1;
    open.push(...earlier[at]!);
  }
  const stuck = reaches.indexOf(0);
  return stuck < 0 ? undefined : stuck;
}

/** States are one if they differ only in the names of processes or rows, or in what no step reads. */
function keyOf(world: World): string {
  const orders = permutations(world.stored.map((_, row) => row));
  const forms = orders.flatMap((order) => [
    formOf(world, order, [0, 1]),
    formOf(world, order, [1, 0]),
  ]);
  return hash('sha1', forms.sort()[0]!, 'base64');
}

function formOf(world: World, order: readonly number[], swap: readonly number[]): string {
  const pick = <T>(list: readonly T[]) => order.map((row) => list[row]!);
  const processes = swap.map((p) => world.processes[p] ?? null);
  const runs = world.runs.map(({ phase, generation, file }, at) => {
    if (file === null) return phase;
    const age = (by: number) =>
      by === generation ? 'now' : processes.findIndex((p) => p?.run === at && p.generation === by);
    const rows = pick([...file.rows.entries()]).map(([row, { state, by, seen: intent }]) => {
      const seen = world.index[row]!.intent === intent;
      if (state === 'pending') return [state, seen];
      if (state === 'sending') return [state, seen, age(by)];
      return state === 'unconfirmed' ? [state, age(by)] : state;
    });
    return [phase, age(file.generation), file.isBehind, file.isClosed, rows];
  });
  return JSON.stringify([
    pick(world.stored),
    pick(world.index).map(({ state, run }) => (state === 'none' ? 0 : [state, run])),
    pick(world.told),
    runs,
    processes.map((p) => {
      if (p === null) return 0;
      const isNow = world.runs[p.run]?.generation === p.generation;
      const isBusy = p.step === 'works';
      const task = isBusy
        ? p.step
        : [p.step, p.verb, p.read, p.batch.map((row) => order.indexOf(row)).sort()];
      return [p.run, isNow, task, pick(p.requests)];
    }),
    world.orphans.map(({ row, run }) => `${order.indexOf(row)} ${run}`).sort(),
    world.lock < 0 ? -1 : swap.indexOf(world.lock),
    [world.crashes, world.lostLocks, world.sentUnasked],
  ]);
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
