import type { Clock } from '../core/ports.ts';
import { openDatabase } from './open-database.ts';

const SQLITE_BUSY = 5;

export interface Lock {
  release(): void;
}

interface Wanted {
  /** Many may share a lock as long as nobody has it alone. */
  readonly isShared?: boolean;
  /** How long to block for it. Default 0. */
  readonly waitMs?: number;
}

/**
 * The one lock of proc: SQLite's, on a file of its own that holds no data. The operating system keeps
 * it for the process, so it goes however that ends. The file stays: if it were removed, whoever waits
 * for it and whoever makes it anew would both get it.
 *
 * @returns undefined where another process has it
 * @throws ProcError `state_unwritable`, or the error of SQLite
 */
export function tryLock(
  path: string,
  { isShared = false, waitMs = 0 }: Wanted = {},
): Lock | undefined {
  const file = openDatabase(path, { busyTimeoutMs: waitMs, wal: false });
  try {
    if (isShared) {
      // A transaction takes its lock with its first read.
      file.exec('BEGIN');
      file.prepare('SELECT count(*) FROM sqlite_schema').get();
    } else file.exec('BEGIN EXCLUSIVE');
    return { release: () => file.close() };
  } catch (thrown) {
    file.close();
    if ((thrown as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw thrown;
    return undefined;
  }
}

/** Tries again and again, without blocking. */
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

/** Whether some process has it alone. */
export function isLocked(path: string): boolean {
  const lock = tryLock(path, { isShared: true });
  lock?.release();
  return lock === undefined;
}
