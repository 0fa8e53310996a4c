import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pick, type Random } from '../../support/random.ts';
import type { Owner } from './machine.ts';
import { found, here, type World } from './world.ts';

/** Stops a process after its turn or its write with the number `at`. */
export interface Crash {
  readonly on: 'turn' | 'write';
  readonly at: number;
  /**
   * `kill`: all writes so far stay. `power`: unsynced writes may be lost or damaged. `signal`: Ctrl-C. `full`:
   * the disk is full, so the write fails.
   */
  readonly by: 'kill' | 'power' | 'signal' | 'full';
}

/** What the disk knows of one process. */
interface Life {
  readonly crash: Crash | undefined;
  readonly interrupt: () => void;
  readonly count: { turn: number; write: number; full: number };
}

const openFile = fs.openSync;
const closeFile = fs.closeSync;
const closeSoon = fs.close;

/** The synced part of a write-ahead log, in bytes. */
interface Log {
  bytes: number;
  isDirty: boolean;
}

/** The state folder. Each crash replaces it by a copy of what survives. */
export class Disk {
  readonly #world: () => World;
  readonly #root: string;
  readonly #random: Random;
  readonly #databases = new Map<DatabaseSync, Owner>();
  readonly #files = new Map<number, string>();
  readonly #fileOwners = new Map<number, Owner>();
  readonly #logs = new Map<string, Log>();
  /** Of what a loss of power leaves of the memory. */
  readonly #forgetting: Random;
  #copies = 0;
  readonly #lives = new Map<Owner, Life>();
  /** An older state was put back: the ledger knows less than before. */
  wasPutBack = false;
  /** Number of commits so far, to all databases. */
  commits = 0;
  readonly #kept = new Map<string, number>();

  constructor(world: () => World, root: string, random: Random, forgetting: Random) {
    this.#forgetting = forgetting;
    this.#world = world;
    this.#root = root;
    this.#random = random;
    fs.mkdirSync(join(root, 'work'), { recursive: true });
    fs.mkdirSync(this.#copy, { mode: 0o700 });
    fs.symlinkSync(this.#copy, this.state);
  }

  /** A link to the latest copy. Runs store absolute paths, which must stay valid after a crash. */
  get state(): string {
    return join(this.#root, 'state');
  }

  get #copy(): string {
    return join(this.#root, `state-${this.#copies}`);
  }

  get work(): string {
    return join(this.#root, 'work');
  }

  get config(): string {
    return join(this.#root, 'config');
  }

  /** @returns puts the state folder back as it is now, while no process runs */
  backUp(): () => void {
    const backup = join(this.#root, 'backup');
    copy(this.state, backup, () => undefined);
    return () => {
      this.#world().books.close();
      this.#copies++;
      fs.renameSync(backup, this.#copy);
      fs.unlinkSync(this.state);
      fs.symlinkSync(this.#copy, this.state);
      this.wasPutBack = true;
    };
  }

  begin(owner: Owner, crash: Crash | undefined, interrupt: () => void): void {
    this.#lives.set(owner, { crash, interrupt, count: { turn: 0, write: 0, full: 0 } });
  }

  /** Called when a process has ended. The operating system closes its files, and so frees its locks. */
  ended(owner: Owner): void {
    this.#lives.delete(owner);
    for (const [database, of] of this.#databases) {
      if (of !== owner) continue;
      this.#databases.delete(database);
      if (database.isOpen) database.close();
    }
    for (const [file, of] of this.#fileOwners) {
      if (of === owner) this.#close(file);
    }
  }

  point(on: Crash['on'], owner = this.#world().machine.owner): void {
    const life = this.#lives.get(owner);
    if (life === undefined || !owner.isAlive) return;
    const { crash, count, interrupt } = life;
    count[on]++;
    if (crash?.on !== on || crash.at !== count[on] || crash.by === 'full') return;
    if (crash.by === 'signal') interrupt();
    else this.kill(owner, crash);
  }

  /** Ends a process. If others still run, its files stay as they are; a loss of power ends all of them. */
  kill(owner: Owner, crash: Crash): void {
    const { machine, trace, promises } = this.#world();
    trace.add(machine.time, `crash ${crash.on} ${crash.at} ${crash.by}`);
    if (crash.by === 'kill' && this.#lives.size > 1) {
      machine.end(owner);
      this.ended(owner);
      promises.crashed(crash);
      return;
    }
    this.#copies++;
    copy(this.state, this.#copy, (path) => (crash.by === 'power' ? this.#left(path) : undefined));
    fs.unlinkSync(this.state);
    fs.symlinkSync(this.#copy, this.state);
    for (const one of this.#lives.keys()) machine.end(one);
    this.#lives.clear();
    if (crash.by === 'power') {
      machine.within(machine.around, () => this.#forget());
      machine.reboot();
    }
    promises.crashed(crash);
  }

  /**
   * Whether the disk is full at the next write. Call it exactly once before each write, because it counts them.
   */
  fails(): boolean {
    const { owner } = this.#world().machine;
    const life = this.#lives.get(owner);
    if (life?.crash?.by !== 'full' || !owner.isAlive) return false;
    life.count.full++;
    if (life.count.full !== life.crash.at) return false;
    const { machine, trace } = this.#world();
    trace.add(machine.time, `the disk is full at write ${life.crash.at}`);
    return true;
  }

  /**
   * A file after a loss of power: everything synced, and a random part of the rest. Undefined: the file stays
   * as it is.
   */
  #left(path: string): Buffer | undefined {
    const log = this.#logs.get(path);
    if (log?.isDirty !== true) return undefined;
    const bytes = fs.readFileSync(path);
    const rest = bytes.subarray(Math.min(log.bytes, bytes.length));
    switch (pick(this.#random, ['gone', 'cut', 'garbled', 'kept'] as const)) {
      case 'gone':
        return bytes.subarray(0, log.bytes);
      case 'cut':
        return bytes.subarray(0, log.bytes + Math.floor(rest.length * this.#random()));
      case 'garbled':
        for (let at = 0; at < rest.length; at += 7) rest[at] = rest[at]! ^ 0x5a;
        return bytes;
      case 'kept':
        return bytes;
    }
  }

  /** Nobody syncs what a machine remembers of its ledgers: it may be lost, or damaged. */
  #forget(): void {
    const folder = join(this.config, 'memory');
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      const left = pick(this.#forgetting, ['kept', 'kept', 'gone', 'garbled'] as const);
      if (left !== 'kept') fs.truncateSync(join(folder, name), left === 'gone' ? 0 : 30);
    }
  }

  /** Called after a process has ended: closes the files that it left open, and removes old copies. */
  clean(): void {
    for (const database of this.#databases.keys()) if (database.isOpen) database.close();
    this.#databases.clear();
    for (const file of this.#files.keys()) this.#close(file);
    this.#logs.clear();
    for (let copyOf = 0; copyOf < this.#copies; copyOf++) {
      fs.rmSync(join(this.#root, `state-${copyOf}`), { recursive: true, force: true });
    }
  }

  remove(): void {
    this.clean();
    fs.rmSync(this.#root, { recursive: true, force: true });
  }

  opened(database: DatabaseSync, owner: Owner): void {
    this.#databases.set(database, owner);
  }

  openedFile(file: number, path: string): void {
    this.#files.set(file, path);
    this.#fileOwners.set(file, this.#world().machine.owner);
  }

  closedFile(file: number): void {
    this.#files.delete(file);
    this.#fileOwners.delete(file);
  }

  #close(file: number): void {
    this.closedFile(file);
    closeQuietly(file);
  }

  /** Called when a transaction begins. If all commits so far were synced, so is the whole log. */
  beginning(path: string): void {
    const log = this.#logOf(path);
    if (!log.isDirty) log.bytes = sizeOf(`${path}-wal`);
  }

  committed(path: string, isSynced: boolean): void {
    const log = this.#logOf(path);
    this.commits++;
    if (isSynced) {
      log.bytes = sizeOf(`${path}-wal`);
      log.isDirty = false;
      this.#kept.set(path, this.commits);
    } else log.isDirty = true;
    this.#world().promises.inside.committed();
    this.point('write');
  }

  /** Syncs a file as a thread of Node does: it takes time, and later writes are not synced. */
  sync(file: number, done: (error: Error | null) => void): void {
    const { machine, network, life } = this.#world();
    if (this.fails()) {
      const error = noSpace();
      machine.after(1, () => done(error), life);
      return;
    }
    const path = this.#files.get(file) ?? '';
    const bytes = sizeOf(path);
    const commits = this.commits;
    machine.after(
      network.random() * 8,
      () => {
        const log = this.#logs.get(path);
        if (log !== undefined && bytes > log.bytes) log.bytes = bytes;
        if (log !== undefined && bytes >= sizeOf(path)) log.isDirty = false;
        const database = path.replace(/-wal$/, '');
        this.#kept.set(database, Math.max(this.keptOf(database), commits));
        this.point('write');
        if (life.isAlive) done(null);
      },
      life,
    );
  }

  /** The number of the last commit to a database that would survive a loss of power. */
  keptOf(database: string): number {
    return this.#kept.get(database) ?? 0;
  }

  #logOf(path: string): Log {
    const name = `${path}-wal`;
    let log = this.#logs.get(name);
    if (log === undefined) {
      log = { bytes: sizeOf(name), isDirty: false };
      this.#logs.set(name, log);
    }
    return log;
  }
}

function sizeOf(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function closeQuietly(file: number): void {
  try {
    closeFile(file);
  } catch {
    // The file is already closed.
  }
}

function copy(from: string, to: string, left: (path: string) => Buffer | undefined): void {
  fs.mkdirSync(to, { mode: 0o700 });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (entry.isDirectory()) copy(path, join(to, entry.name), left);
    // The next process rebuilds SQLite's shared memory.
    else if (!entry.name.endsWith('-shm')) {
      const bytes = left(path);
      if (bytes === undefined) fs.copyFileSync(path, join(to, entry.name));
      else fs.writeFileSync(join(to, entry.name), bytes, { mode: 0o600 });
    }
  }
}

/** A database of proc, which reports its commits to the simulated disk. */
class Watched extends DatabaseSync {
  readonly #path: string;
  readonly #owner: Owner;
  #isFull = true;

  constructor(path: string | URL, options?: ConstructorParameters<typeof DatabaseSync>[1]) {
    mustLive();
    // Who waits for a database would wait for ever: all processes share one thread.
    super(path, { ...options, timeout: 0 });
    this.#path = typeof path === 'string' ? path : decodeURIComponent(path.pathname);
    this.#owner = here().life;
    here().disk.opened(this, this.#owner);
  }

  override exec(sql: string): void {
    const { disk, life } = here();
    const isOurs = this.#owner === life && life.isAlive && this.#path !== ':memory:';
    if (isOurs && /\bBEGIN\b/.test(sql)) disk.beginning(this.#path);
    if (isOurs && /\bCOMMIT\b/.test(sql) && disk.fails()) throw databaseFull();
    super.exec(sql);
    const mode = [...sql.matchAll(/synchronous = (FULL|NORMAL)/g)].at(-1)?.[1];
    if (mode !== undefined) this.#isFull = mode === 'FULL';
    if (isOurs && /\bCOMMIT\b/.test(sql)) disk.committed(this.#path, this.#isFull);
  }
}

/** What is left of the turn of a process that was killed must change nothing. */
function mustLive(): void {
  const world = found();
  if (world !== undefined && !world.machine.owner.isAlive) throw new Error('the process has ended');
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

function databaseFull(): Error {
  const text = 'database or disk is full';
  return Object.assign(new Error(text), { code: 'ERR_SQLITE_ERROR', errcode: 13, errstr: text });
}

/** Replaces SQLite and the file calls of Node by those of the simulated disk. */
export function replaceDisk(): void {
  process.getBuiltinModule('node:sqlite').DatabaseSync = Watched;
  const { writeSync, renameSync } = fs;
  const living =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      mustLive();
      return work(...given);
    };
  const after =
    <A extends unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      mustLive();
      const disk = found()?.disk;
      if (disk?.fails() === true) throw noSpace();
      const result = work(...given);
      disk?.point('write');
      return result;
    };
  Object.assign(fs, {
    rmSync: living(fs.rmSync),
    unlinkSync: living(fs.unlinkSync),
    mkdirSync: living(fs.mkdirSync),
    writeFileSync: living(fs.writeFileSync),
    openSync: (...given: Parameters<typeof openFile>) => {
      mustLive();
      const file = openFile(...given);
      found()?.disk.openedFile(file, String(given[0]));
      return file;
    },
    closeSync: (file: number) => {
      found()?.disk.closedFile(file);
      closeFile(file);
    },
    close: (file: number, done: (error: Error | null) => void) => {
      found()?.disk.closedFile(file);
      closeSoon(file, done);
    },
    writeSync: after(writeSync as (...given: unknown[]) => number),
    renameSync: after(renameSync),
    fdatasync: (file: number, done: (error: Error | null) => void) => here().disk.sync(file, done),
  });
  syncBuiltinESMExports();
}
