import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Clock } from '../core/io.ts';
import { type Origin, Scope } from '../core/service.ts';
import type { LedgerLocks } from '../ledger/ledger-locks.ts';
import type { HasLock } from '../ledger/run-ledger.ts';
import { isLocked, lockWithin } from '../store/database.ts';
import { makeFolder } from '../store/folder.ts';
import { readRegularFile, removeIfPossible } from '../store/whole-file.ts';

const RETRY_MS = 200;

/** What only one process may import at a time: one noun of one organization on one service. */
export interface Lockable extends Origin {
  readonly folder: string;
  readonly noun: string;
}

export interface ImportLock {
  /** False once another process has taken over the lock, or the file of the lock is another one. */
  readonly hasLock: HasLock;
  /** Records which run holds the lock, for the messages of other processes. */
  tell(run: string): Promise<void>;
  release(): Promise<void>;
}

export interface Waiting {
  readonly clock: Clock;
  readonly pid: number;
  readonly signal: AbortSignal;
  readonly waitMs?: number | undefined;
  /** The run that the caller wants to change. */
  readonly run?: string | undefined;
}

/**
 * Two simultaneous imports of the same rows would create every record twice. The lock does not
 * depend on how the address of the service is spelled.
 *
 * @throws ProcError `busy` if another process keeps the lock
 */
export function lockImport(
  what: Lockable,
  waiting: Waiting,
  locks?: LedgerLocks,
): Promise<ImportLock> {
  return locks === undefined ? lockFile(what, waiting) : lockRow(locks, what, waiting);
}

async function lockFile(
  what: Lockable,
  { clock, signal, pid, waitMs = 0, run }: Waiting,
): Promise<ImportLock> {
  makeFolder(what.folder);
  const path = lockPath(what);
  const lock = await lockWithin(path, waitMs, { clock, signal, everyMs: RETRY_MS });
  if (lock === undefined) throw taken(what, holderOf(path), run);
  const file = statSync(path).ino;
  const since = new Date(clock.now()).toISOString();
  noteHolder(path, { pid, run, since });
  return {
    hasLock: () => statSync(path, { throwIfNoEntry: false })?.ino === file,
    tell: async (name) => noteHolder(path, { pid, run: name, since }),
    async release() {
      removeIfPossible(notePath(path));
      lock.release();
    },
  };
}

/** How often the lock in a shared ledger is renewed. */
const RENEW_MS = 5_000;

/** The lock of all machines. Without a renewal it expires, also that of a process that is only suspended. */
async function lockRow(
  locks: LedgerLocks,
  what: Lockable,
  { clock, signal, pid, waitMs = 0, run }: Waiting,
): Promise<ImportLock> {
  const place = placeOf(what);
  const holder = randomUUID();
  const since = new Date(clock.now()).toISOString();
  let note = { pid, run, since, host: hostname(), began: beginOf(pid), where: processSpace() };
  const giveUpAt = clock.monotonic() + waitMs;
  for (;;) {
    const other = await locks.acquire(place, holder, note, isDead);
    if (other === undefined) break;
    if (clock.monotonic() >= giveUpAt) throw taken(what, other.note as Holder, run);
    await clock.sleep(RETRY_MS, signal);
  }
  // If it cannot be renewed, the next intent cannot be written either.
  const renewal = setInterval(() => {
    locks.renew(place, holder, note).catch(() => undefined);
  }, RENEW_MS);
  renewal.unref();
  return {
    hasLock: (sql) => locks.isHeld(sql, place, holder),
    tell(name) {
      note = { ...note, run: name };
      return locks.renew(place, holder, note);
    },
    async release() {
      clearInterval(renewal);
      // If it cannot be released, it expires.
      await locks.release(place, holder).catch(() => undefined);
    },
  };
}

/**
 * Where this process can see whether another one runs: this start of this machine, this container, and this user, because
 * `/proc` may hide the processes of others (`hidepid`). Only known on Linux.
 */
function processSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${statSync('/proc/self').uid}`;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote a note ran here, and does not run any more. */
function isDead(note: unknown): boolean {
  const { pid, began, where } = note as { pid: number; began?: string; where?: string };
  return (
    began !== undefined && where !== undefined && where === processSpace() && began !== beginOf(pid)
  );
}

/**
 * Waits while another process imports, before the plan is made: its list would change while it is read. Takes no lock.
 *
 * @throws ProcError `busy`
 */
export async function waitForOthers(
  what: Lockable,
  { clock, signal, waitMs = 0 }: Waiting,
  locks?: LedgerLocks,
): Promise<void> {
  const giveUpAt = clock.monotonic() + waitMs;
  for (;;) {
    const other = await holderAt(what, locks);
    if (other?.isAlive !== true) return;
    if (clock.monotonic() >= giveUpAt) throw taken(what, other, undefined);
    await clock.sleep(RETRY_MS, signal);
  }
}

/** The process that imports at a place, or was killed while it did. */
async function holderAt(
  what: Lockable,
  locks: LedgerLocks | undefined,
): Promise<Holder | undefined> {
  if (locks === undefined) {
    const path = lockPath(what);
    const holder = holderOf(path);
    // Reads the holder first: checking a lock can delay a process that waits for the lock.
    return holder && { ...holder, isAlive: isLocked(path) };
  }
  const found = await locks.holder(placeOf(what));
  if (found === undefined) return undefined;
  const isAlive = found.expiresInMs > 0 && !isDead(found.note);
  return { ...(found.note as Holder), isAlive };
}

/** The process that works on a run, or was killed while it did. */
export async function holderIn(
  folder: string,
  header: Origin & { readonly run: string; readonly noun: string },
  locks?: LedgerLocks,
): Promise<Holder | undefined> {
  const holder = await holderAt({ folder, ...header }, locks);
  return holder?.run === header.run ? holder : undefined;
}

/**
 * What the ledger answers to a process that holds the lock, or has the run.
 *
 * @throws ProcError `busy` if another process has taken over
 */
export function ours<T>(found: T | undefined | false, run?: string): T {
  if (found !== undefined && found !== false) return found;
  const what = run === undefined ? 'this import' : run;
  throw new ProcError('busy', `another command continues ${what}; nothing was sent`, {
    hint: 'Wait until it ends, then try again. List all runs: proc imports list',
    details: { run: run ?? null },
  });
}

function placeOf({ noun, ...origin }: Lockable) {
  return { place: new Scope(origin).key, noun };
}

function lockPath({ folder, noun, ...origin }: Lockable): string {
  const { key } = new Scope(origin);
  const name = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return join(folder, `${noun}-${name}.lock`);
}

function taken(
  { noun, baseUrl }: Lockable,
  holder: Holder | undefined,
  run: string | undefined,
): ProcError {
  const isOwn = run !== undefined && holder?.run === run;
  const { host } = new URL(baseUrl);
  const by = holder === undefined ? '' : ` (${holderText(holder, isOwn)})`;
  const message = isOwn
    ? `${run} is already running${by}`
    : `another import of ${noun} into ${host} is running${by}`;
  return new ProcError('busy', message, {
    hint: 'Wait until it ends, or add --wait-lock 5m. List all runs: proc imports list',
    details: { run: holder?.run ?? null, pid: holder?.pid ?? null },
  });
}

/** The process that holds the lock of an import. */
export interface Holder {
  readonly pid: number;
  /** Undefined until the process has a run. */
  readonly run: string | undefined;
  /** When the process took the lock, ISO time. */
  readonly since: string;
  readonly host?: string | undefined;
  /** False: it was killed. */
  readonly isAlive?: boolean | undefined;
}

/**
 * Writes a file beside the lock file, because the lock file cannot be read while the lock is held.
 */
function noteHolder(lockPath: string, holder: Holder): void {
  try {
    writeFileSync(notePath(lockPath), JSON.stringify(holder), { mode: 0o600 });
  } catch {
    // The disk may be full. The lock still works, but messages cannot name its holder.
  }
}

/**
 * Undefined until the holder has written its file. The file of a killed process stays until the
 * next holder overwrites it.
 */
function holderOf(lockPath: string): Holder | undefined {
  try {
    const note = JSON.parse(readRegularFile(notePath(lockPath)).text) as Partial<Holder>;
    return typeof note.pid === 'number' ? (note as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When a process began, in ticks since the machine started: another process may get the same number
 * later. Undefined if it does not run, or on another system than Linux.
 */
function beginOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A killed process that nobody has waited for.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** E.g. `run 20260301-093000-1a2b3c, process 4711 on ci-7`. */
export function holderText({ run, pid, host }: Holder, isRunKnown: boolean): string {
  const named = run === undefined || isRunKnown ? '' : `run ${run}, `;
  return `${named}process ${pid}${host === undefined ? '' : ` on ${host}`}`;
}

function notePath(lockPath: string): string {
  return lockPath.replace(/\.lock$/, '.holder');
}
