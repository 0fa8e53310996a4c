import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../core/io.ts';
import { openDatabase } from './open-database.ts';

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
