import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TRANSITIONS } from '../../src/import/store/transitions.ts';
import type { Disk } from './machine/disk.ts';
import type { World } from './machine/world.ts';
import type { Request } from './service/network.ts';

/** A row of a run, as proc has it on the disk. */
export interface BookedRow {
  readonly run: string;
  readonly row: number;
  /** What it creates: its organization and code. */
  readonly thing: string;
  readonly state: string;
  readonly id: string | null;
  readonly sentAt: number | null;
  /** Unconfirmed, and no look-up will tell. */
  readonly isParked: boolean;
}

/** The record that a request may have left. */
export interface Intent {
  /** When it was written, simulated ms. */
  readonly since: number;
  /** Whether a loss of power would leave it on the disk. */
  readonly isKept: boolean;
}

/** The lock of imports in a shared ledger. */
export interface BookedLock {
  readonly place: string;
  readonly holder: string | null;
  /** By the clock of the database, ms. */
  readonly expires: number;
  /** Of the process that has it, and that process' run. */
  readonly pid: number;
  readonly run: string | undefined;
}

export interface BookedRun {
  readonly run: string;
  readonly phase: string;
}

/** A new run is removed if its command fails in one of these phases. */
const REMOVED_AT_FAILURE = new Set(['reading', 'planning']);

const NEXT = new Map<string, Set<string>>();
for (const { from, to } of Object.values(TRANSITIONS)) {
  for (const state of from) NEXT.set(state, new Set([...(NEXT.get(state) ?? []), ...to]));
}

const FIRST = new Set<string>([
  ...TRANSITIONS.stage.to,
  'duplicate',
  'existing',
  'unconfirmed',
  'dropped',
]);

/** Whether a row may change so. A single commit may make two transitions, e.g. put a row back and send it. */
export function mayBecome(before: string | undefined, after: string): boolean {
  if (before === undefined) return FIRST.has(after);
  if (before === after) return true;
  const next = NEXT.get(before) ?? new Set();
  return next.has(after) || [...next].some((between) => NEXT.get(between)?.has(after) === true);
}

/** Whether a failed command removes a run in this phase. */
export function isRemovedAtFailure(phase: string): boolean {
  return REMOVED_AT_FAILURE.has(phase);
}

/** The ledger. */
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

interface Found {
  readonly row: number;
  readonly code: string;
  readonly state: string;
  readonly id: string | null;
  readonly sentAt: number | null;
  readonly lookedUp: number;
}

/** A row, and the number of the commit that wrote it to the file of its run. */
type Kept = BookedRow & { readonly commit: number };

/** The folder of the files that belong to the shared ledger of a story. */
const SHARED = /^[0-9a-f]{12}$/;

/**
 * Reads the tables of proc. Everything else in the simulation, also its promises, knows of them only what is said
 * here.
 */
export class Books {
  readonly #world: () => World;
  #reader: Reader | undefined;
  readonly #files = new Map<string, RunReader>();
  #version = '';
  #rows: ReadonlyMap<string, Kept> = new Map();
  #latest: ReadonlyMap<string, Kept> = new Map();
  /** Entries of the ledger, by run and number of the row. */
  #index: ReadonlyMap<string, Indexed> = new Map();
  /** Of each row of each run that ever was, what it creates. */
  readonly #things = new Map<string, string>();
  #locks: readonly BookedLock[] = [];

  constructor(world: () => World) {
    this.#world = world;
  }

  /** Reads what was committed since the last call. False: nothing was. */
  read(): boolean {
    const reader = this.#open();
    if (reader === undefined) return false;
    const runs = reader.begun.all() as unknown as { run: string; organization: string }[];
    const files = runs.flatMap(({ run, organization }) => {
      const file = this.#fileOf(run);
      return file === undefined ? [] : [{ run, organization, file }];
    });
    const version = [reader, ...files.map(({ file }) => file)]
      .map((one) => one.version.get()!.data_version)
      .join(' ');
    if (version === this.#version) return false;
    this.#version = version;
    this.#readLocks(reader);
    this.#readIndex(reader);
    const rows = new Map<string, Kept>();
    const latest = new Map<string, Kept>();
    for (const { run, organization, file } of files) {
      const of = this.#world().ledger === undefined ? organization : 'sandbox';
      for (const found of file.rows.all() as unknown as Found[]) {
        const { row, code, state, id, sentAt, lookedUp } = found;
        const thing = `${of} ${code}`;
        const key = `${run} ${thing}`;
        this.#things.set(`${run} ${row}`, thing);
        const isParked = lookedUp === 1;
        const was = this.#rows.get(key);
        const isSame =
          was?.state === state &&
          was.sentAt === sentAt &&
          was.id === id &&
          was.isParked === isParked;
        const commit = file.disk.commits;
        const now = isSame ? was : { run, row, thing, state, id, sentAt, isParked, commit };
        rows.set(key, now);
        latest.set(thing, now);
      }
    }
    this.#rows = rows;
    this.#latest = latest;
    return true;
  }

  /** By run and thing. A row that did not change is the same object as before. */
  get rows(): ReadonlyMap<string, BookedRow> {
    return this.#rows;
  }

  /** The row of the latest run. */
  lastOf(thing: string): BookedRow | undefined {
    return this.#latest.get(thing);
  }

  /** Two machines may have rows of the same thing: the row that the process of this turn sends. */
  sending(thing: string): BookedRow | undefined {
    const { ledger, disk } = this.#world();
    if (ledger !== undefined) {
      for (const row of this.#rows.values()) {
        const isHere = this.#files.get(row.run)?.disk === disk;
        if (row.thing === thing && row.state === 'sending' && isHere) return row;
      }
    }
    const last = this.#latest.get(thing);
    return last?.state === 'sending' ? last : undefined;
  }

  /** The record that the request of a row may have left. */
  intentOf({ run, row, thing }: BookedRow): Intent | undefined {
    const { ledger, disks } = this.#world();
    const indexed = this.#index.get(`${run} ${row}`);
    const kept = this.#rows.get(`${run} ${thing}`);
    if (indexed?.state !== 'maybe' || kept === undefined) return undefined;
    const file = this.#files.get(run);
    const isInFile = kept.commit <= (file?.disk.keptOf(file.path) ?? 0);
    const isInLedger = ledger !== undefined || indexed.commit <= disks[0]!.keptOf(this.#ledger);
    return { since: indexed.since, isKept: isInFile && isInLedger };
  }

  /** Whether a later command would know that the row was created, or may have been. */
  isSentBefore({ run, row, thing }: BookedRow): boolean {
    const { ledger } = this.#world();
    const isSent = (state: string | undefined) => state === 'created' || state === 'maybe';
    if (isSent(this.#index.get(`${run} ${row}`)?.state)) return true;
    return ledger !== undefined && this.isSentByAny(thing);
  }

  /** Whether any run has an entry that the thing was created, or may have been; also a run that is gone. */
  isSentByAny(thing: string): boolean {
    for (const [at, { state }] of this.#index) {
      if (this.#things.get(at) === thing && (state === 'created' || state === 'maybe')) return true;
    }
    return false;
  }

  /** The rows with an intent that was written since the last call. */
  newIntents(before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const intents = new Map<string, number>();
    for (const [at, { intent }] of this.#index) {
      if (intent !== 0 && before.get(at) !== intent) intents.set(at, intent);
    }
    return intents;
  }

  /** Whether the history has the request as a single write whose outcome is not known yet. */
  isPendingWrite({ method, path, body }: Request): boolean {
    const own = path.replace(/^\/api\/v1/, '');
    return this.#open()?.entries.get(method, own, body === '' ? null : body) !== undefined;
  }

  /** The phases of all runs that are there, newest first. */
  phases(): readonly BookedRun[] {
    return (this.#open()?.runs.all() ?? []) as unknown as BookedRun[];
  }

  get locks(): readonly BookedLock[] {
    return this.#locks;
  }

  /** Closes everything, because files may be replaced. */
  close(): void {
    this.#reader?.database.close();
    this.#reader = undefined;
    for (const { database } of this.#files.values()) database.close();
    this.#files.clear();
  }

  #readLocks({ locks }: Reader): void {
    this.#locks = (locks?.all() ?? []).map((found) => {
      const { place, holder, expires, note } = found as Record<string, string | null>;
      const { pid, run } = JSON.parse(note!) as Pick<BookedLock, 'pid' | 'run'>;
      return { place: place!, holder: holder!, expires: Number(expires), pid, run };
    });
  }

  #readIndex({ sent }: Reader): void {
    const { disk, machine } = this.#world();
    const index = new Map<string, Indexed>();
    for (const found of sent.iterate()) {
      const { run, row, state, intent } = found as never as Indexed & { run: string; row: number };
      const was = this.#index.get(`${run} ${row}`);
      const isSame = was?.state === state && was.intent === intent;
      const now = { state, intent, commit: disk.commits, since: machine.time };
      index.set(`${run} ${row}`, isSame ? was : now);
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
      'SELECT row, code, state, id, sent_at AS sentAt, looked_up AS lookedUp FROM rows',
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

  #open(): Reader | undefined {
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
        SELECT name AS run, phase FROM runs
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
