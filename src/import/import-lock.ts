import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Clock, Say } from '../core/ports.ts';
import { type Origin, Scope } from '../core/scope.ts';
import type { LedgerLocks } from '../ledger/ledger-locks.ts';
import { ledgerFolder, sharedLocks } from '../ledger/open-ledger.ts';
import { isLocked, lockWithin } from '../store/lock.ts';
import { readRegularFile } from '../store/regular-file.ts';

const RETRY_MS = 200;

/** What only one process may import at a time: one noun of one organization on one service. */
export interface Lockable extends Origin {
  readonly folder: string;
  readonly noun: string;
}

export interface ImportLock {
  /**
   * Records which run holds the lock, for the messages of other processes. Call it once the run is open: who takes over
   * the lock later opens the run again.
   *
   * @throws ProcError `import_busy` if another process has taken over the lock
   */
  tell(run: string): Promise<void>;
  release(): Promise<void>;
}

/** What a process does that takes over a lock that was not released, before it reads what was sent. */
export interface TakingOver {
  /** How long the service may take to apply a request. */
  readonly settleMs: number;
  readonly say: Say;
}

export interface Waiting {
  readonly clock: Clock;
  readonly pid: number;
  readonly signal: AbortSignal;
  readonly waitMs?: number | undefined;
  readonly run?: string | undefined;
  /** For messages (default `import`). Only an import can wait for another one. */
  /** Undefined if nothing will be sent. */
  readonly takingOver?: TakingOver | undefined;
}

/** How often the lock of a shared ledger is renewed. */
const RENEW_MS = 5_000;

/** A request leaves at most this long after its intent was written. */
const LEAVES_WITHIN_MS = 5_000;

/**
 * Two simultaneous imports of the same rows would create every record twice. The lock does not
 * depend on how the address of the service is spelled.
 *
 * @throws ProcError `import_busy` if another process keeps the lock; `state_unwritable` if locks do not
 *   work in this folder
 */
export async function lockImport(what: Lockable, waiting: Waiting): Promise<ImportLock> {
  const locks = sharedLocks(dirname(what.folder));
  return locks === undefined ? lockFile(what, waiting) : lockRow(locks, what, waiting);
}

async function lockFile(
  what: Lockable,
  { clock, signal, pid, waitMs = 0, run }: Waiting,
): Promise<ImportLock> {
  const path = lockPath(what);
  const lock = await lockWithin(path, waitMs, { clock, signal, everyMs: RETRY_MS });
  if (lock === undefined) throw taken(what, holderOf(path), run);
  const other = livingHolder(path);
  if (other !== undefined) {
    lock.release();
    throw notExclusive(path, other);
  }
  const since = new Date(clock.now()).toISOString();
  noteHolder(path, { pid, run, since });
  return {
    tell: async (name) => noteHolder(path, { pid, run: name, since }),
    async release() {
      forgetHolder(path);
      lock.release();
    },
  };
}

/** The lock of all machines. Without a renewal it expires, also that of a process that is only suspended. */
async function lockRow(
  locks: LedgerLocks,
  what: Lockable,
  { clock, signal, pid, waitMs = 0, run, takingOver }: Waiting,
): Promise<ImportLock> {
  const place = { ...new Scope(what), noun: what.noun };
  const holder = randomUUID();
  const since = new Date(clock.now()).toISOString();
  const note: Holder = { pid, run, since, host: hostname() };
  const giveUpAt = clock.monotonic() + waitMs;
  let got = await locks.acquire(place, holder, note);
  while (!('wasLost' in got)) {
    if (clock.monotonic() >= giveUpAt) throw taken(what, got.note as Holder, run);
    await clock.sleep(Math.min(RENEW_MS, got.expiresInMs), signal);
    got = await locks.acquire(place, holder, note);
  }
  // If it cannot be renewed, the next intent cannot be written either.
  const renewal = setInterval(() => {
    locks.renew(place, holder).catch(() => undefined);
  }, RENEW_MS);
  renewal.unref();
  let isLost = got.wasLost;
  const release = async (): Promise<void> => {
    clearInterval(renewal);
    // If nobody has waited for the last requests, whoever gets the lock next must.
    const released = isLost ? locks.pass(place, holder) : locks.release(place, holder);
    await released.catch(() => undefined);
  };
  if (isLost && takingOver !== undefined) {
    const ms = LEAVES_WITHIN_MS + takingOver.settleMs;
    takingOver.say({
      kind: 'notice',
      text: `the last import of ${what.noun} did not release its lock: waiting ${Math.ceil(ms / 1_000)} s for its last requests`,
    });
    try {
      await clock.sleep(ms, signal);
    } catch (thrown) {
      await release();
      throw thrown;
    }
    isLost = false;
  }
  return {
    async tell(name) {
      if (await locks.tell(place, holder, { ...note, run: name })) return;
      throw new ProcError(
        'import_busy',
        `another process has taken over the import of ${what.noun} while this one was suspended; nothing was sent`,
        {
          hint: 'Wait until it ends, then try again. List all runs: proc imports list',
        },
      );
    },
    release,
  };
}

/** Of each run, the process that works on it. */
export async function processesIn(
  folder: string,
): Promise<
  (header: Origin & { readonly run: string; readonly noun: string }) => Holder | undefined
> {
  const locks = sharedLocks(dirname(folder));
  if (locks !== undefined) {
    const holders = (await locks.notes()) as readonly Holder[];
    return ({ run }) => holders.find((one) => one.run === run);
  }
  return (header) => {
    const holder = holderIn(folder, header);
    return holder?.isAlive === true ? holder : undefined;
  };
}

/** The folder with the locks of imports. */
export function locksFolder(self: Parameters<typeof ledgerFolder>[0]): string {
  return join(ledgerFolder(self), 'imports');
}

/** The process that works on a run, or was killed while it did. */
export function holderIn(
  folder: string,
  header: Origin & { readonly run: string; readonly noun: string },
): Holder | undefined {
  const path = lockPath({ folder, ...header });
  const holder = holderOf(path);
  // Reads the holder first: checking a lock can delay a process that waits for the lock.
  return holder?.run === header.run ? { ...holder, isAlive: isLocked(path) } : undefined;
}

function notExclusive(path: string, { pid }: Holder): ProcError {
  return new ProcError(
    'state_unwritable',
    `the lock ${path} keeps no other process out: process ${pid} holds it too`,
    {
      hint: 'Wait until that process ends. If the file was not removed, its volume has no working locks: set PROC_STATE_DIR to a folder on a local disk',
      details: { pid },
    },
  );
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
  const hint = `Wait until it ends, or add --wait-lock 5m. List all runs: proc imports list`;
  if (run !== undefined && holder?.run === run) {
    const message = `${run} is already running (process ${holder.pid})`;
    return new ProcError('import_busy', message, { hint, details: { run, pid: holder.pid } });
  }
  const who = holderText(holder);
  const { host } = new URL(baseUrl);
  const by = who === '' ? '' : ` (${who})`;
  const message = `another import of ${noun} into ${host} is running${by}`;
  return new ProcError('import_busy', message, {
    hint,
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
  /** With a shared ledger: where the process runs. */
  readonly host?: string | undefined;
  readonly user?: string | undefined;
  readonly job?: string | undefined;
  /** False: it was killed. */
  readonly isAlive?: boolean | undefined;
}

/**
 * Writes a file beside the lock file, because the lock file cannot be read while the lock is held.
 */
function noteHolder(lockPath: string, holder: Holder): void {
  try {
    const note = { ...holder, began: beginOf(holder.pid) };
    writeFileSync(notePath(lockPath), JSON.stringify(note), { mode: 0o600 });
  } catch {
    // The disk may be full. The lock still works, but messages cannot name its holder.
  }
}

/** Must be called before the lock is released. */
function forgetHolder(lockPath: string): void {
  rmSync(notePath(lockPath), { force: true });
}

/**
 * The process that has not released the lock and still runs. Whoever gets the lock nevertheless knows
 * that the lock does not work. Only known on Linux.
 */
function livingHolder(lockPath: string): Holder | undefined {
  const note = holderOf(lockPath);
  const isAlive = note?.began !== undefined && note.began === beginOf(note.pid);
  return isAlive ? note : undefined;
}

/**
 * Undefined until the holder has written its file. The file of a killed process stays until the
 * next holder overwrites it.
 */
function holderOf(lockPath: string): (Holder & { readonly began?: string }) | undefined {
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
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** E.g. `run 20260301-093000-1a2b, process 4711`. Empty if the holder is unknown. */
function holderText(holder: Holder | undefined): string {
  if (holder === undefined) return '';
  const { run, pid, host } = holder;
  const process = host === undefined ? `process ${pid}` : `process ${pid} on ${host}`;
  return run === undefined ? process : `run ${run}, ${process}`;
}

function notePath(lockPath: string): string {
  return lockPath.replace(/\.lock$/, '.holder');
}
