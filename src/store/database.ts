import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { cannotUse, ProcError, systemCode } from '../core/errors.ts';
import type { Clock } from '../core/io.ts';
import { inShell } from '../core/wording.ts';
import { createFolder } from './folder.ts';

export interface OpenOptions {
  /** The file must exist. Nothing is written or left next to the file. */
  readonly readOnly?: boolean;
  /**
   * `FULL` (default): a commit survives a power failure. `NORMAL`: a commit survives the end of the
   * process, but a power failure may lose the last commits.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** How long a statement waits for another process (default 5,000). */
  readonly busyTimeoutMs?: number;
  /** If false, proc does not set the journal mode, e.g. for a lock file (default true). */
  readonly wal?: boolean;
}

export const IN_MEMORY = ':memory:';

/**
 * The only function that opens SQLite files. New files and folders are private to the user.
 *
 * @throws ProcError `state_unwritable` if the folder or file cannot be created or read;
 * `config_unreadable` if the file is not a database
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  const { readOnly = false, synchronous = 'FULL', busyTimeoutMs = 5_000, wal = true } = options;
  let database: DatabaseSync | undefined;
  try {
    refuseOtherKinds(path);
    if (!readOnly && path !== IN_MEMORY) createPrivately(path);
    // Even for reading, SQLite creates a missing WAL file, which a read-only connection cannot
    // remove. So proc opens the database for writing, and query_only prevents changes.
    const isClean = readOnly && wal && existsSync(path) && !existsSync(`${path}-wal`);
    const existing = new URL(`${pathToFileURL(path)}?mode=rw`);
    database = new (sqlite().DatabaseSync)(isClean ? existing : path, {
      readOnly: readOnly && !isClean,
      timeout: busyTimeoutMs,
    });
    if (isClean) database.exec('PRAGMA query_only = ON');
    // Reads the header, to detect a file of another kind here.
    if (wal) database.exec('PRAGMA schema_version');
    if (wal && !readOnly) {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    }
    return database;
  } catch (thrown) {
    database?.close();
    throw cannotUse(path, thrown);
  }
}

/**
 * Creates the file with mode 0600, because SQLite would use the umask. An existing file is not
 * opened: closing it would release the locks that this process holds on the file.
 */
function createPrivately(path: string): void {
  createFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}

function refuseOtherKinds(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new ProcError('config_unreadable', `${path} is not a regular file`, {
    hint: `Check what it is, and move it away: ls -l ${inShell(path)}`,
  });
}

/** Node 22 warns that node:sqlite is experimental, so nothing is emitted while it is loaded. */
function sqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

const SQLITE_BUSY = 5;

/** Without a reference, the garbage collector would close the file and so release the lock. */
const heldFiles = new Set<DatabaseSync>();

export interface Lock {
  release(): void;
}

interface Wanted {
  /** Several processes may share the lock; none can then hold the lock exclusively. */
  readonly isShared?: boolean;
  /** How long to block the process until the lock is free (default 0). */
  readonly waitMs?: number;
}

/**
 * An SQLite lock on a file without data. The operating system releases the lock however the process ends. The file is
 * never removed: otherwise one process could lock the old file, and another a new file.
 *
 * @returns undefined if another process holds the lock
 * @throws ProcError `state_unwritable`, or the error of SQLite
 */
export function tryLock(
  path: string,
  { isShared = false, waitMs = 0 }: Wanted = {},
): Lock | undefined {
  const file = openDatabase(path, { busyTimeoutMs: waitMs, wal: false });
  try {
    if (isShared) {
      // A transaction takes its lock at its first read.
      file.exec('BEGIN');
      file.prepare('SELECT count(*) FROM sqlite_schema').get();
    } else file.exec('BEGIN EXCLUSIVE');
    heldFiles.add(file);
    return {
      release() {
        heldFiles.delete(file);
        file.close();
      },
    };
  } catch (thrown) {
    file.close();
    if ((thrown as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw thrown;
    return undefined;
  }
}

/**
 * Like `tryLock`, but tries again for `waitMs`, without blocking the process. Undefined if another
 * process keeps the lock.
 */
export async function lockWithin(
  path: string,
  waitMs: number,
  { clock, signal, everyMs }: { clock: Clock; signal?: AbortSignal; everyMs: number },
): Promise<Lock | undefined> {
  const giveUpAt = clock.monotonic() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== undefined || clock.monotonic() >= giveUpAt) return lock;
    await clock.sleep(everyMs, signal);
  }
}

/** Whether a process holds the lock exclusively. */
export function isLocked(path: string): boolean {
  const lock = tryLock(path, { isShared: true });
  lock?.release();
  return lock === undefined;
}
