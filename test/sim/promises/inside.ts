import { type BookedRow, mayBecome } from '../books.ts';
import type { Crash } from '../machine/disk.ts';
import type { Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';
import type { Request } from '../service/network.ts';
import { ofThing, thingOf } from './outside.ts';

/** The promises about what proc has on the disk. They read it through `Books` only. */
export const INSIDE = [
  'an intent is on the disk before its request leaves',
  'an intent outlives a loss of power',
  'a row changes only as the table allows',
  'what was created keeps its id',
  'no row of a run gets lost from the ledger',
  'an answer that contradicts its request is not believed',
  'the summary counts what the ledger has',
  'what was created or may be is in the ledger',
  'an outcome that proc reported is in the ledger',
  'a run that was saved or sent stays',
  'a request leaves within 5 s of its intent',
  'an intent lets one request leave',
] as const;

export type InsideName = (typeof INSIDE)[number];

/** A request leaves at most this long after its intent was written. */
const LEAVES_WITHIN_MS = 5_000;

/** States of rows that were created or may have been. */
const KNOWN = new Set(['created', 'existing', 'unconfirmed', 'sending', 'abandoned']);

/** Watches all commits. */
export class Inside {
  /** A command of the story prunes runs. */
  mayRemove = false;
  readonly #world: () => World;
  #rows: ReadonlyMap<string, BookedRow> = new Map();
  /** Intents of requests that have left. */
  readonly #used = new Set<string>();
  #phases: ReadonlyMap<string, string> = new Map();
  readonly #verbs = new Map<Owner, string>();
  readonly #reported = new Map<string, number>();
  /** A loss of power may have undone commits, so rows may be back in an earlier state. */
  #isForgotten = false;

  constructor(world: () => World) {
    this.#world = world;
  }

  #break(promise: InsideName, what: string): void {
    this.#world().promises.break(promise, what);
  }

  /** Called when a process begins. */
  begins(owner: Owner, argv: readonly string[]): void {
    this.#verbs.set(owner, argv[1] ?? '');
  }

  leaves(request: Request): void {
    if (request.method === 'GET') return;
    const { machine, books } = this.#world();
    this.committed();
    const thing = thingOf(request);
    const intent = books.intentOf(thing);
    if (intent === undefined) {
      if (books.isPendingWrite(request)) return;
      const what = `${thing} is ${books.lastOf(thing)?.state}`;
      this.#break('an intent is on the disk before its request leaves', what);
      return;
    }
    const { row, since, isKept } = intent;
    const used = `${row.run} ${row.row} ${row.intent}`;
    if (this.#used.has(used)) this.#break('an intent lets one request leave', thing);
    this.#used.add(used);
    const ms = machine.time - since;
    if (ms > LEAVES_WITHIN_MS) {
      this.#break('a request leaves within 5 s of its intent', `${thing}: after ${ms} ms`);
    }
    if (!isKept) this.#break('an intent outlives a loss of power', thing);
  }

  /** Called after every commit and every turn. Checks what the commits since the last call have changed. */
  committed(): void {
    const { books, promises } = this.#world();
    const before = this.#rows;
    if (!books.read()) return;
    for (const [key, row] of books.rows) {
      const { thing, state, id } = row;
      const was = before.get(key);
      if (state === 'created' && !books.isSentBefore(row)) {
        this.#break('what was created or may be is in the ledger', `${thing} is not known as sent`);
      }
      const isBelieved = state === 'created' && was?.state === 'sending';
      if (isBelieved && promises.outside.sent.get(thing)?.at(-1)?.isContradicted === true) {
        this.#break('an answer that contradicts its request is not believed', `${thing}: ${id}`);
      }
      if (was === row || this.#isForgotten) continue;
      promises.checks++;
      if (!mayBecome(was?.state, state)) {
        this.#break('a row changes only as the table allows', `${thing}: ${was?.state} → ${state}`);
      }
      if (was?.state === 'created' && was.id !== id) {
        this.#break('what was created keeps its id', `${thing}: ${was.id} → ${id}`);
      }
    }
    this.#checkPhases();
    const lost = [...before.values()].filter(
      (row) => row.intent !== null && !books.rows.has(`${row.run} ${row.row}`),
    );
    if (!this.#isForgotten && !this.mayRemove && lost.length > 0) {
      const what = lost.map(({ run, thing }) => `${run} ${thing}`).join(', ');
      this.#break('no row of a run gets lost from the ledger', what);
    }
    this.#isForgotten = false;
    this.#rows = books.rows;
    this.#checkReported();
  }

  #checkPhases(): void {
    const { books, machine } = this.#world();
    const now = new Map(books.phases().map(({ run, phase }) => [run, phase]));
    for (const [run, phase] of this.#phases) {
      // A run that was not filled has sent nothing, and is worth nothing.
      if (this.#isForgotten || now.has(run) || phase === 'filling') continue;
      const verb = this.#verbs.get(machine.owner);
      this.#break('a run that was saved or sent stays', `${run} was ${phase}: imports ${verb}`);
    }
    this.#phases = now;
  }

  /** Called with the summary of a run that a process printed. */
  reported(run: string, created: number): void {
    this.#reported.set(run, Math.max(created, this.#reported.get(run) ?? 0));
    this.#checkReported();
  }

  #checkReported(): void {
    if (this.mayRemove || this.#reported.size === 0) return;
    const rows = [...this.#rows.values()];
    for (const [run, created] of this.#reported) {
      const count = rows.filter((row) => row.run === run && row.state === 'created').length;
      if (count >= created) continue;
      const what = `${run}: ${count} created, not ${created}`;
      this.#break('an outcome that proc reported is in the ledger', what);
    }
  }

  /** Checks the summary that a process printed. */
  concluded(printed: Readonly<Record<string, number | string>>): void {
    const counts = new Map<string, number>();
    const { books } = this.#world();
    const ours = [...books.rows.values()].filter(({ run }) => run === printed.run);
    for (const { state } of ours) counts.set(state, (counts.get(state) ?? 0) + 1);
    const of = (state: string) => counts.get(state) ?? 0;
    const expected: Record<string, number> = { created: of('created'), pending: of('pending') };
    for (const [name, count] of Object.entries(expected)) {
      if (ours.length === 0 || printed[name] === count) continue;
      const what = `${name}: ${printed[name]}, not ${count}`;
      this.#break('the summary counts what the ledger has', what);
    }
  }

  /**
   * Checks every request that left: what it created, or may have created, must be in the ledger. Rows
   * of removed runs may be gone.
   */
  accountedFor(): void {
    this.committed();
    const { service, books, promises } = this.#world();
    const rows = Map.groupBy(this.#rows.values(), ({ thing }) => thing);
    for (const [thing, all] of promises.outside.sent) {
      promises.checks++;
      const isThere = service.countOf(...ofThing(thing)) > 0;
      const mayBe = all.some(({ isOver, mayRepeat }) => !isOver && !mayRepeat);
      if (this.mayRemove || !(isThere || mayBe)) continue;
      const known = rows.get(thing)?.filter(({ state }) => KNOWN.has(state)) ?? [];
      if (known.some((row) => row.state === 'existing' || books.isSentBefore(row))) continue;
      const states = rows.get(thing)?.map(({ state }) => state) ?? [];
      this.#break('what was created or may be is in the ledger', `${thing} is ${states}`);
    }
  }

  crashed({ by }: Crash): void {
    this.#isForgotten = by === 'power';
  }
}
