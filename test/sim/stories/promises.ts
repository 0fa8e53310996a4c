import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TRANSITIONS } from '../../../src/import/store/transitions.ts';
import type { MutantName } from '../exam/mutants.ts';
import type { Crash, Disk } from '../machine/disk.ts';
import type { Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';
import type { Message, Request } from '../service/network.ts';
import { KEYS } from '../service/service.ts';

/**
 * The promises of proc. The simulation checks each one whenever it could break. Beside each stands the broken
 * program of which a story breaks it.
 */
export const PROMISES = {
  'an intent is on the disk before its request leaves': 'writes intents after sending',
  'an intent outlives a loss of power': 'sends before the sync',
  'a row changes only as the table allows': 'marks all rows of a stopped run as interrupted',
  'what was created keeps its id': 'forgets the id of a created row that another row has too',
  'no row of a run gets lost from the ledger': 'writes the number of a commit before the commit',
  'a second request has proof that the first had no effect': 'does not wait for --settle',
  'nothing is sent again that was applied or may still be': 'resends after 503 without Retry-After',
  'a wait that the service asked for is kept': 'waits for a shorter time than the service asks',
  'what was there is not created': 'reads one page too few',
  'each row is created once': 'repeats a POST blindly',
  'an item defined in place is created once': 'repeats a POST blindly',
  'a created row is there, under its id': 'believes the id of a similar code',
  'no two created rows of a run share an id': 'gives two rows one id',
  'an answer that contradicts its request is not believed':
    'believes an answer that contradicts its request',
  'a rejected row is not there': 'writes intents after sending',
  'only what the service refuses is rejected': 'takes an unknown outcome for a refusal',
  'the summary counts what the ledger has': 'trusts counts of an earlier commit',
  'the exit code fits the rows': 'resends after 503 without Retry-After',
  'the next command is named and works': 'names a command that does not exist',
  'a run comes to its end': 'reads one page too few',
  'an organization has only what was sent for it': 'sends with the key of another organization',
  'a staged run sends nothing by itself': 'ignores --stage',
  'a staged run is sent only by imports send': 'sends while it stages',
  'what was created or may be is in the ledger': 'writes intents after sending',
  'an outcome that proc reported is in the ledger':
    'marks all rows of a stopped run as interrupted',
  'commands that meet damage no run': 'sends while it stages',
  'who holds the lock is alone with the run': 'opens a run without the lock',
  'a run that was saved or sent stays': 'prunes runs that are not over',
  'a command waits as long as it was told to': 'does not wait for the lock',
  'a request leaves within 5 s of its intent': 'lets requests leave long after their intents',
  'a lock that is renewed is kept': 'takes over locks by the clock of its machine',
  'whoever takes over a lost lock waits for its last requests': 'takes over a lock without waiting',
  'only who holds the lock writes intents': 'takes over a lock without raising generations',
  'no bug': 'takes a full disk for a bug',
} as const satisfies Readonly<Record<string, MutantName>>;

export type PromiseName = keyof typeof PROMISES;

export interface Broken {
  readonly promise: PromiseName;
  readonly what: string;
  readonly time: number;
}

interface Sent {
  readonly request: Request;
  readonly at: number;
  /** The request can no longer take effect. */
  isOver: boolean;
  /** The last response contradicts the request. */
  isContradicted: boolean;
  /** The write may be sent again: its response proves that it had no effect, or a person has said so. */
  mayRepeat: boolean;
}

interface List {
  readonly request: Request;
  readonly at: number;
  hasResponse: boolean;
}

interface Row {
  readonly run: string;
  readonly row: number;
  readonly isParked: boolean;
  readonly reason: string | null;
  readonly state: string;
  readonly id: string | null;
  readonly sentAt: number | null;
  /** The number of the commit that wrote this state to the file of the run. */
  readonly commit: number;
}

interface Reader {
  readonly database: DatabaseSync;
  /** SQLite's `data_version`, which changes with each commit of another connection. */
  readonly version: StatementSync;
  readonly entries: StatementSync;
  readonly runs: StatementSync;
  readonly begun: StatementSync;
  readonly sent: StatementSync;
  readonly locks: StatementSync | undefined;
}

/** The file of a run. */
interface RunReader {
  readonly path: string;
  readonly disk: Disk;
  readonly database: DatabaseSync;
  readonly rows: StatementSync;
  readonly version: StatementSync;
}

/** What the ledger says about a row. */
interface Indexed {
  readonly state: string;
  readonly intent: number;
  /** The number of the commit that wrote this to the ledger. */
  readonly commit: number;
  /** When this was written, simulated ms. */
  readonly since: number;
}

/** The lock of imports in a shared ledger. */
interface Lock {
  readonly holder: string | null;
  /** By the clock of the database, ms. */
  readonly expires: number;
  /** Of the process that has it, and that process' run. */
  readonly pid: number;
  readonly run: string | undefined;
  /** When somebody took it from a holder that had not released it. */
  readonly lostAt: number | undefined;
}

interface Found {
  readonly row: number;
  readonly code: string;
  readonly state: string;
  readonly id: string | null;
  readonly sentAt: number | null;
  readonly lookedUp: number;
  readonly reason: string | null;
}

interface KnownRun {
  readonly run: string;
  readonly phase: string;
  readonly isStaged: number | null;
}

/** A request leaves at most this long after its intent is in a shared ledger. */
const LEAVES_WITHIN_MS = 5_000;

/** The folder of the files that belong to the shared ledger of a story. */
const SHARED = /^[0-9a-f]{12}$/;

/** States of rows that were created or may have been. */
const KNOWN = new Set(['created', 'existing', 'unconfirmed', 'sending']);

/** A new run is removed if its command fails in one of these phases. */
const REMOVED_AT_FAILURE = new Set(['reading', 'planning']);

const NEXT = new Map<string, Set<string>>();
for (const { from, to } of Object.values(TRANSITIONS)) {
  for (const state of from) NEXT.set(state, new Set([...(NEXT.get(state) ?? []), ...to]));
}

/** A single commit may make two transitions, e.g. put a row back and send it. */
function mayBecome(before: string, after: string): boolean {
  if (before === after) return true;
  const next = NEXT.get(before) ?? new Set();
  return next.has(after) || [...next].some((between) => NEXT.get(between)?.has(after) === true);
}

const FIRST = new Set<string>([
  ...TRANSITIONS.stage.to,
  'duplicate',
  'existing',
  'unconfirmed',
  'dropped',
]);

/** Watches all requests and commits, and records every broken promise. */
export class Promises {
  readonly broken: Broken[] = [];
  /** The import is staged, and no command has sent it yet. */
  mayNotSend = false;
  /** A command of the story discards or prunes runs. */
  mayRemove = false;
  checks = 0;
  readonly #world: () => World;
  readonly #settleMs: number;
  readonly #sent = new Map<string, Sent[]>();
  readonly #byRequest = new Map<Request, Sent>();
  readonly #lists: List[] = [];
  #existing = new Set<string>();
  #reader: Reader | undefined;
  readonly #files = new Map<string, RunReader>();
  #version = '';
  /** Entries of the ledger, by run and number of the row. */
  #index: ReadonlyMap<string, Indexed> = new Map();
  /** When each process may send again, after a response with Retry-After. */
  readonly #waits = new Map<Owner, { readonly from: number; readonly until: number }>();
  readonly #verbs = new Map<Owner, string>();
  readonly #reported = new Map<string, number>();
  #phases: ReadonlyMap<string, string> = new Map();
  /** Rows by run, organization and code. */
  #rows = new Map<string, Row>();
  /** Rows of the latest run, by organization and code. */
  #latest = new Map<string, Row>();
  /** A loss of power may have undone commits, so rows may be back in an earlier state. */
  #isForgotten = false;
  /** Of each row of each run that ever was, what it creates. */
  readonly #things = new Map<string, string>();
  #locks = new Map<string, Lock>();

  constructor(world: () => World, settleMs: number) {
    this.#world = world;
    this.#settleMs = settleMs;
  }

  break(promise: PromiseName, what: string): void {
    this.broken.push({ promise, what, time: this.#world().machine.time });
  }

  /** Stores the codes that exist before proc begins. */
  existed(codes: readonly string[]): void {
    this.#existing = new Set(codes.map((code) => `sandbox ${code}`));
  }

  /** Adds codes that the service has before the next process begins. */
  exist(codes: readonly string[]): void {
    for (const code of codes) this.#existing.add(`sandbox ${code}`);
  }

  leaves(request: Request, givenAt: number): void {
    const { machine } = this.#world();
    this.checks++;
    if (request.method === 'GET') {
      const limit = /[?&]limit=(\d+)/.exec(request.path)?.[1];
      if (limit !== undefined && limit !== '1') {
        this.#lists.push({ request, at: machine.time, hasResponse: false });
      }
      return;
    }
    const wait = this.#waits.get(machine.owner);
    if (wait !== undefined && givenAt > wait.from && machine.time < wait.until) {
      const ms = (wait.until - machine.time).toFixed(0);
      this.break(
        'a wait that the service asked for is kept',
        `${request.path}: ${ms} ms too early`,
      );
    }
    const thing = thingOf(request);
    machine.owner.writes++;
    this.#mustBeIntended(request, thing);
    this.#mustHaveWaited(thing);
    if (this.mayNotSend) this.break('a staged run sends nothing by itself', thing);
    const earlier = this.#sent.get(thing) ?? [];
    for (const one of earlier) this.#mustBeWithoutEffect(one, thing);
    if (request.method === 'POST' && this.#existing.has(thing)) {
      this.break('what was there is not created', thing);
    }
    const sent: Sent = {
      request,
      at: machine.time,
      isOver: false,
      isContradicted: false,
      mayRepeat: false,
    };
    this.#sent.set(thing, [...earlier, sent]);
    this.#byRequest.set(request, sent);
  }

  /** Two machines may have rows of the same thing: the row that the process of this turn sends. */
  #sending(thing: string): Row | undefined {
    const { ledger, disk } = this.#world();
    if (ledger === undefined) return undefined;
    return this.rows.find(
      (row) =>
        row.thing === thing && row.state === 'sending' && this.#files.get(row.run)?.disk === disk,
    );
  }

  /** Whoever sends under a lock that was lost: requests of the last holder may leave for 5 s more. */
  #mustHaveWaited(thing: string): void {
    const { machine } = this.#world();
    for (const { pid, lostAt } of this.#locks.values()) {
      if (lostAt === undefined || pid !== machine.owner.pid) continue;
      const ms = lostAt + LEAVES_WITHIN_MS + this.#settleMs - machine.time;
      if (ms <= 0) continue;
      const what = `${thing}: ${Math.round(ms)} ms too early`;
      this.break('whoever takes over a lost lock waits for its last requests', what);
    }
  }

  #mustBeIntended(request: Request, thing: string): void {
    const { machine, ledger, disks } = this.#world();
    this.committed();
    const row = this.#sending(thing) ?? this.#latest.get(thing);
    if (row?.state === 'sending') {
      const indexed = this.#index.get(`${row.run} ${row.row}`);
      if (ledger !== undefined && machine.time - (indexed?.since ?? 0) > LEAVES_WITHIN_MS) {
        const ms = machine.time - (indexed?.since ?? 0);
        this.break('a request leaves within 5 s of its intent', `${thing}: after ${ms} ms`);
      }
      if (indexed?.state !== 'maybe') {
        const what = `${thing} is ${indexed?.state} in the ledger`;
        this.break('an intent is on the disk before its request leaves', what);
      }
      const file = this.#files.get(row.run);
      const keptInFile = file?.disk.keptOf(file.path) ?? 0;
      const keptInLedger =
        ledger === undefined ? disks[0]!.keptOf(this.#ledger) : Number.POSITIVE_INFINITY;
      for (const [commit, kept] of [
        [row.commit, keptInFile],
        [indexed?.commit ?? 0, keptInLedger],
      ] as const) {
        if (commit <= kept) continue;
        this.break('an intent outlives a loss of power', `${thing}: commit ${commit} of ${kept}`);
      }
      return;
    }
    if (this.#hasPendingEntry(request)) return;
    const other = this.#latest.get(ofOther(thing));
    if (other?.state === 'sending') {
      this.break('an organization has only what was sent for it', thing);
    }
    this.break('an intent is on the disk before its request leaves', `${thing} is ${row?.state}`);
  }

  /** Whether the history has the request as a single write. It has an import as one entry, without the bodies. */
  #hasPendingEntry({ method, path, body }: Request): boolean {
    const own = path.replace(/^\/api\/v1/, '');
    return this.#open()?.entries.get(method, own, body === '' ? null : body) !== undefined;
  }

  #mustBeWithoutEffect(sent: Sent, thing: string): void {
    const { service } = this.#world();
    if (sent.mayRepeat) return;
    const key = sent.request.headers['x-api-key'];
    const isAbsent = this.#lists.some(
      (list) =>
        list.hasResponse &&
        list.at >= sent.at + this.#settleMs &&
        list.request.headers['x-api-key'] === key,
    );
    if (!isAbsent) {
      this.break('a second request has proof that the first had no effect', thing);
    }
    if (sent.request.method !== 'POST') return;
    if (!sent.isOver || service.countOf(...ofThing(thing)) > 0) {
      this.break('nothing is sent again that was applied or may still be', thing);
    }
  }

  /**
   * Called when a response arrives on the connection of a request. With swapped responses, it answers another
   * request.
   */
  noteResponse(request: Request, message: Message): void {
    if (message.request !== request || message.share < 1) return;
    const { machine } = this.#world();
    const { status, headers } = message;
    for (const list of this.#lists) {
      if (list.request === request && status === 200) list.hasResponse = true;
    }
    const mayRepeat =
      // proc does not retry after a 400. But the file contains the row, and may be imported again.
      status === 400 ||
      status === 429 ||
      status === 401 ||
      (status === 503 && headers['retry-after'] !== undefined);
    const sent = this.#byRequest.get(request);
    if (mayRepeat && sent !== undefined) sent.mayRepeat = true;
    if (sent !== undefined) sent.isContradicted = message.isFalse === true;
    const waitMs = Number(headers['retry-after'] ?? 0) * 1_000;
    if (sent === undefined || waitMs === 0) return;
    const before = this.#waits.get(machine.owner)?.until ?? 0;
    const until = Math.max(before, machine.time + waitMs - 1);
    this.#waits.set(machine.owner, { from: machine.time, until });
  }

  over(request: Request): void {
    const sent = this.#byRequest.get(request);
    if (sent !== undefined) sent.isOver = true;
  }

  /** Called when a person has found out that the write was not applied. */
  personSaysAbsent(thing: string): void {
    for (const sent of this.#sent.get(thing) ?? []) sent.mayRepeat = true;
  }

  /** Called after every commit and every turn. Checks what the commits since the last call have changed. */
  committed(): void {
    const reader = this.#open();
    if (reader === undefined) return;
    const { ledger } = this.#world();
    const runs = reader.begun.all() as unknown as { run: string; organization: string }[];
    const files = runs.flatMap(({ run, organization }) => {
      const file = this.#fileOf(run);
      return file === undefined ? [] : [{ run, organization, file }];
    });
    const version = [reader, ...files.map(({ file }) => file)]
      .map((one) => one.version.get()!.data_version)
      .join(' ');
    if (version === this.#version) return;
    this.#version = version;
    this.#readLocks(reader);
    this.#readIndex(reader);
    const before = this.#rows;
    const rows = new Map<string, Row>();
    const latest = new Map<string, Row>();
    const holders = new Map<string, string>();
    const all = files.flatMap(({ run, organization, file }) =>
      (file.rows.all() as unknown as Found[]).map((found) => ({
        ...{ run, file, ...found },
        organization: ledger === undefined ? organization : 'sandbox',
      })),
    );
    for (const one of all) {
      const { run, row, code, state, id, sentAt, organization, lookedUp, reason, file } = one;
      const thing = `${organization} ${code}`;
      const key = `${run} ${thing}`;
      this.#things.set(`${run} ${row}`, thing);
      const isParked = lookedUp === 1;
      const was = before.get(key);
      const isSame =
        was?.state === state && was.sentAt === sentAt && was.id === id && was.isParked === isParked;
      const now = { run, row, isParked, reason, state, id, sentAt, commit: file.disk.commits };
      rows.set(key, isSame ? was : now);
      latest.set(thing, rows.get(key)!);
      const indexed = this.#index.get(`${run} ${row}`)?.state;
      const isIndexed = indexed === 'created' || indexed === 'maybe' || this.#isShared(thing);
      if (state === 'created' && sentAt !== null && !isIndexed) {
        const what = `${thing} is created, and ${indexed} in the ledger`;
        this.break('what was created or may be is in the ledger', what);
      }
      if (state === 'created' && id !== null) {
        const other = holders.get(`${run} ${id}`);
        holders.set(`${run} ${id}`, thing);
        if (other !== undefined) {
          this.break('no two created rows of a run share an id', `${other} and ${thing}: ${id}`);
        }
      }
      const isBelieved = state === 'created' && was?.state === 'sending';
      if (isBelieved && this.#sent.get(thing)?.at(-1)?.isContradicted === true) {
        this.break('an answer that contradicts its request is not believed', `${thing}: ${id}`);
      }
      if (isSame || this.#isForgotten) continue;
      this.checks++;
      if (was === undefined ? !FIRST.has(state) : !mayBecome(was.state, state)) {
        this.break('a row changes only as the table allows', `${thing}: ${was?.state} → ${state}`);
      }
      if (was?.state === 'created' && was.id !== id) {
        this.break('what was created keeps its id', `${thing}: ${was.id} → ${id}`);
      }
    }
    this.#checkPhases(reader);
    if (!this.#isForgotten && !this.mayRemove && before.size > rows.size) {
      this.break('no row of a run gets lost from the ledger', `${before.size} → ${rows.size}`);
    }
    this.#isForgotten = false;
    this.#rows = rows;
    this.#latest = latest;
    this.#checkReported();
  }

  /** Whether any run of a shared ledger has an entry that the thing was created, or may have been. */
  #isShared(thing: string): boolean {
    if (this.#world().ledger === undefined) return false;
    for (const [at, { state }] of this.#index) {
      if (this.#things.get(at) === thing && (state === 'created' || state === 'maybe')) return true;
    }
    return false;
  }

  #checkPhases(reader: Reader): void {
    const { machine, ledger } = this.#world();
    // A run that another machine continues counts as discarded.
    if (ledger !== undefined) return;
    const now = new Map<string, string>();
    for (const { run, phase, isStaged } of reader.runs.all() as unknown as KnownRun[]) {
      now.set(run, phase);
      const before = this.#phases.get(run);
      const hasBegun = phase === 'begun' && before !== 'begun' && before !== 'ended';
      const verb = this.#verbs.get(machine.owner);
      if (!this.#isForgotten && isStaged === 1 && hasBegun && verb !== 'send') {
        this.break('a staged run is sent only by imports send', `${run}: imports ${verb}`);
      }
    }
    for (const [run, phase] of this.#phases) {
      if (this.#isForgotten || now.has(run) || REMOVED_AT_FAILURE.has(phase)) continue;
      const verb = this.#verbs.get(machine.owner);
      if (verb === 'discard' || (verb === 'prune' && phase === 'ended')) continue;
      this.break('a run that was saved or sent stays', `${run} was ${phase}: imports ${verb}`);
    }
    this.#phases = now;
  }

  /** The phases of all runs that were not discarded, newest first. */
  phases(): readonly { readonly run: string; readonly phase: string }[] {
    return (this.#open()?.runs.all() ?? []) as unknown as KnownRun[];
  }

  /** Called with the summary of a run that a process printed. */
  reported(run: string, created: number): void {
    this.#reported.set(run, Math.max(created, this.#reported.get(run) ?? 0));
    this.#checkReported();
  }

  #checkReported(): void {
    if (this.mayRemove || this.#reported.size === 0) return;
    for (const [run, created] of this.#reported) {
      const count = this.rows.filter((row) => row.run === run && row.state === 'created').length;
      if (count >= created) continue;
      const what = `${run}: ${count} created, not ${created}`;
      this.break('an outcome that proc reported is in the ledger', what);
    }
  }

  /**
   * Checks every request that left: what it created, or may have created, must be in the ledger. Rows
   * of discarded runs may be gone.
   */
  accountedFor(): void {
    this.committed();
    const { service, ledger } = this.#world();
    if (ledger !== undefined) {
      for (const thing of this.#sent.keys()) {
        this.checks++;
        if (service.countOf(...ofThing(thing)) === 0 || this.#isShared(thing)) continue;
        this.break('what was created or may be is in the ledger', `${thing} is in no run`);
      }
    }
    if (this.mayRemove) return;
    const rows = Map.groupBy(this.rows, ({ thing }) => thing);
    for (const [thing, all] of this.#sent) {
      this.checks++;
      const isThere = service.countOf(...ofThing(thing)) > 0;
      const mayBe = all.some(({ isOver, mayRepeat }) => !isOver && !mayRepeat);
      const known = rows.get(thing)?.filter(({ state }) => KNOWN.has(state)) ?? [];
      const isIndexed = known.some(
        ({ run, row, state }) => state === 'existing' || this.#index.has(`${run} ${row}`),
      );
      if (isIndexed || !(isThere || mayBe)) continue;
      const states = rows.get(thing)?.map(({ state }) => state) ?? [];
      this.break('what was created or may be is in the ledger', `${thing} is ${states}`);
    }
  }

  get rows(): readonly (Row & { readonly thing: string })[] {
    return [...this.#rows].map(([key, row]) => ({ ...row, thing: key.slice(row.run.length + 1) }));
  }

  lastOf(thing: string): Row | undefined {
    return this.#latest.get(thing);
  }

  /** Called when a process begins. */
  begins(owner: Owner, argv: readonly string[]): void {
    this.#verbs.set(owner, argv[1] ?? '');
  }

  crashed({ by }: Crash): void {
    this.close();
    this.#isForgotten = by === 'power';
  }

  close(): void {
    this.#reader?.database.close();
    this.#reader = undefined;
    for (const { database } of this.#files.values()) database.close();
    this.#files.clear();
  }

  #readLocks({ locks }: Reader): void {
    const { machine } = this.#world();
    for (const found of locks?.all() ?? []) {
      const { place, holder, expires, note } = found as Record<string, string | null>;
      const { pid, run } = JSON.parse(note!) as Pick<Lock, 'pid' | 'run'>;
      const was = this.#locks.get(place!);
      const isTaken = holder !== null && holder !== 'lost' && holder !== was?.holder;
      const isLost = isTaken && was !== undefined && was.holder !== null && was.holder !== 'lost';
      const lostAt = isLost ? machine.time : was?.lostAt;
      this.#locks.set(place!, { holder: holder!, expires: Number(expires), pid, run, lostAt });
      const left = (was?.expires ?? 0) - machine.time;
      if (!isLost || left <= 0) continue;
      const what = `${place} was taken ${Math.round(left)} ms before it expired`;
      this.break('a lock that is renewed is kept', what);
    }
  }

  #readIndex({ sent }: Reader): void {
    const { disk, machine, ledger } = this.#world();
    const before = this.#index;
    const index = new Map<string, Indexed>();
    for (const found of sent.iterate()) {
      const { run, row, state, intent } = found as never as Indexed & { run: string; row: number };
      const was = before.get(`${run} ${row}`);
      const isSame = was?.state === state && was.intent === intent;
      const now = { state, intent, commit: disk.commits, since: machine.time };
      index.set(`${run} ${row}`, isSame ? was : now);
      if (ledger === undefined || isSame || intent === 0 || was?.intent === intent) continue;
      if (![...this.#locks.values()].some((lock) => lock.run === run && lock.holder !== null)) {
        this.break('only who holds the lock writes intents', `${run}, row ${row}`);
      }
    }
    this.#index = index;
  }

  get #ledger(): string {
    const { ledger, disks } = this.#world();
    return ledger?.path ?? join(disks[0]!.state, 'ledger.db');
  }

  /** Where the file of a run is, if it is anywhere. */
  #placeOf(run: string): { readonly path: string; readonly disk: Disk } | undefined {
    const { ledger, disks } = this.#world();
    for (const disk of disks) {
      const folder = ledger === undefined ? disk.state : sharedFolder(disk.state);
      const path = join(folder, 'imports', `${run}.db`);
      if (existsSync(path)) return { path, disk };
    }
    return undefined;
  }

  /** Undefined if the run was removed. */
  #fileOf(run: string): RunReader | undefined {
    const place = this.#placeOf(run);
    const known = this.#files.get(run);
    if (place !== undefined && known !== undefined) return known;
    known?.database.close();
    this.#files.delete(run);
    if (place === undefined) return undefined;
    const { path, disk } = place;
    const database = this.#opened(path);
    const rows = database.prepare(
      'SELECT row, code, state, id, sent_at AS sentAt, looked_up AS lookedUp, reason FROM rows',
    );
    const version = database.prepare('PRAGMA data_version');
    const file = { path, disk, database, rows, version };
    this.#files.set(run, file);
    return file;
  }

  #opened(path: string): DatabaseSync {
    const { machine } = this.#world();
    return machine.within(
      machine.around,
      () => new DatabaseSync(path, { readOnly: true, timeout: 0 }),
    );
  }

  #open() {
    if (this.#reader !== undefined) return this.#reader;
    if (!existsSync(this.#ledger)) return undefined;
    const database = this.#opened(this.#ledger);
    try {
      const begun = database.prepare(
        'SELECT name AS run, organization FROM runs WHERE has_begun AND NOT is_discarded ORDER BY number',
      );
      const sent = database.prepare(
        'SELECT name AS run, row, state, intent FROM sent JOIN runs ON runs.number = sent.run',
      );
      const version = database.prepare('PRAGMA data_version');
      const entries = database.prepare(
        "SELECT 1 FROM entries WHERE state = 'pending' AND method = ? AND path = ? AND payload IS ?",
      );
      const runs = database.prepare(`
        SELECT name AS run, phase, header ->> 'isStaged' AS isStaged FROM runs
          WHERE NOT is_discarded AND header IS NOT NULL ORDER BY number DESC`);
      const locks =
        this.#world().ledger === undefined
          ? undefined
          : database.prepare('SELECT place, holder, expires, note FROM locks');
      this.#version = '';
      this.#reader = { database, version, entries, runs, begun, sent, locks };
    } catch {
      // The tables of the ledger do not exist yet.
      database.close();
    }
    return this.#reader;
  }
}

function sharedFolder(state: string): string {
  const shared = join(state, 'shared');
  const names = existsSync(shared) ? readdirSync(shared) : [];
  return join(shared, names.find((name) => SHARED.test(name)) ?? 'none');
}

/** Names what a request writes: for a create its organization and code, otherwise its method and path. */
function thingOf({ method, path, headers, body }: Request): string {
  if (method !== 'POST') return `${method} ${path}`;
  const { code, reference } = JSON.parse(body) as { code?: string; reference?: string };
  const organization = headers['x-api-key'] === KEYS[0]!.apiKey ? 'sandbox' : 'contoso';
  return `${organization} ${code ?? reference}`;
}

/** The record that would have the same code in the other organization. */
function ofOther(thing: string): string {
  const [organization, code] = thing.split(' ');
  return `${organization === 'sandbox' ? 'contoso' : 'sandbox'} ${code}`;
}

/** The code and organization id of a record, from its name. */
function ofThing(thing: string): [code: string, organizationId: string] {
  const [organization, code = ''] = thing.split(' ');
  return [code, KEYS[organization === 'sandbox' ? 0 : 1]!.organizationId];
}
