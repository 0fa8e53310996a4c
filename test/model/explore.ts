import { hash } from 'node:crypto';

/** A protocol, or a variant of it that breaks a rule. */
export interface Protocol<World, Setting> {
  start(setting: Setting): World;
  steps(world: World): readonly { readonly name: string; readonly world: World }[];
  brokenPromises(world: World): readonly string[];
  /** All runs are over, and nobody is at work. */
  isAtRest(world: World): boolean;
  /** States with the same key are one. */
  keyOf(world: World): string;
}

export interface Exploration {
  readonly states: number;
  /** Undefined if every promise holds in every state. */
  readonly failure?: { readonly promise: string; readonly story: readonly string[] };
}

/**
 * Visits every state that a setting can reach, nearest first, so the first promise that
 * breaks has the shortest story. If none breaks, every state must also be able to reach the end.
 */
export function explore<World, Setting>(
  protocol: Protocol<World, Setting>,

  setting: Setting,
): Exploration {
  const states = new Numbering();
  const stepNames = new Map<string, number>();
  /** Of each state: the state and the step by which it was first reached. */
  const parents = new Numbers();
  const names = new Numbers();
  /** All steps that were found, as pairs of states. */
  const from = new Numbers();
  const to = new Numbers();
  const atRest: number[] = [];
  const storyOf = (state: number): string[] => {
    const texts = [...stepNames.keys()];
    const story: string[] = [];
    for (let at = state; at > 0; at = parents.at(at)) story.unshift(texts[names.at(at)]!);
    return story;
  };
  /** Whether the state is new. */
  const visit = (world: World, parent: number, name: string): boolean => {
    const state = states.of(protocol.keyOf(world));
    if (parent >= 0) {
      from.push(parent);
      to.push(state);
    }
    if (state < parents.length) return false;
    if (!stepNames.has(name)) stepNames.set(name, stepNames.size);
    names.push(stepNames.get(name)!);
    parents.push(Math.max(parent, 0));
    if (protocol.isAtRest(world)) atRest.push(state);
    return true;
  };
  const first = protocol.start(setting);
  visit(first, -1, '');
  let level: World[] = [first];
  let state = 0;
  while (level.length > 0) {
    const next: World[] = [];
    for (const world of level) {
      for (const { name, world: after } of protocol.steps(world)) {
        if (!visit(after, state, name)) continue;
        const [promise] = protocol.brokenPromises(after);
        if (promise !== undefined) {
          const story = storyOf(states.count - 1);
          return { states: states.count, failure: { promise, story } };
        }
        next.push(after);
      }
      // States are numbered in the order in which they are taken from their level.
      state++;
    }
    level = next;
  }
  const stuck = firstStuck(states.count, from, to, atRest);
  if (stuck === undefined) return { states: states.count };
  const promise = 'a run comes to its end';
  return { states: states.count, failure: { promise, story: storyOf(stuck) } };
}

/** The nearest state from which no state at rest can be reached. */
function firstStuck(
  states: number,
  from: Numbers,
  to: Numbers,
  atRest: readonly number[],
): number | undefined {
  // The steps into state s are `earlier` from starts[s] to starts[s + 1].
  const starts = new Uint32Array(states + 2);
  for (let at = 0; at < to.length; at++) starts[to.at(at) + 2]! += 1;
  for (let at = 2; at < starts.length; at++) starts[at]! += starts[at - 1]!;
  const earlier = new Uint32Array(to.length);
  for (let at = 0; at < to.length; at++) earlier[starts[to.at(at) + 1]!++] = from.at(at);
  const reaches = new Uint8Array(states);
  const open = [...atRest];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (reaches[state] === 1) continue;
    reaches[state] = 1;
    for (let at = starts[state]!; at < starts[state + 1]!; at++) open.push(earlier[at]!);
  }
  const stuck = reaches.indexOf(0);
  return stuck < 0 ? undefined : stuck;
}

/** A growing list of numbers below 2³². Millions of them take 4 bytes each. */
class Numbers {
  #all = new Uint32Array(1 << 16);
  length = 0;

  at(index: number): number {
    return this.#all[index]!;
  }

  push(value: number): void {
    if (this.length === this.#all.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.#all);
      this.#all = larger;
    }
    this.#all[this.length++] = value;
  }
}

/**
 * Gives each new key the next number. It keeps 64 bits of a hash of the key, so the chance that it takes two
 * of a hundred million states for one is below 1 in 3,000.
 */
class Numbering {
  count = 0;
  /** Three numbers per place: two halves of the hash, and the number of the state plus 1. */
  #table = new Uint32Array(3 << 18);

  of(key: string): number {
    const digest = hash('sha1', key, 'buffer');
    const high = digest.readUInt32LE(0);
    const low = digest.readUInt32LE(4);
    const at = placeOf(this.#table, high, low);
    const known = this.#table[at + 2]!;
    if (known > 0) return known - 1;
    this.#table.set([high, low, ++this.count], at);
    if (this.count * 6 > this.#table.length) this.#grow();
    return this.count - 1;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 3) {
      const [high, low, number] = [old[at]!, old[at + 1]!, old[at + 2]!];
      if (number > 0) this.#table.set([high, low, number], placeOf(this.#table, high, low));
    }
  }
}

/** The place of a hash in the table, or the free place where it belongs. */
function placeOf(table: Uint32Array, high: number, low: number): number {
  const places = table.length / 3;
  let at = (low % places) * 3;
  while (table[at + 2]! > 0 && (table[at] !== high || table[at + 1] !== low)) {
    at = at + 3 === table.length ? 0 : at + 3;
  }
  return at;
}
