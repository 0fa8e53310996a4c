import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ProcError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { type Origin, Scope } from '../../../core/scope.ts';
import { isLocked, type Lock, lockWithin, tryLock } from '../../../store/lock.ts';
import {
  forgetHolder,
  type Holder,
  holderOf,
  holderText,
  livingHolder,
  noteHolder,
} from './holder.ts';

const RETRY_MS = 200;

/** What only one process may import at a time: one noun of one organization on one service. */
export interface Lockable extends Origin {
  readonly folder: string;
  readonly noun: string;
}

export interface ImportLock {
  /** Records which run holds the lock, for the messages of other processes. */
  tell(run: string): void;
  release(): void;
}

export interface Waiting {
  readonly clock: Clock;
  readonly pid: number;
  readonly signal: AbortSignal;
  readonly waitMs?: number | undefined;
  readonly run?: string | undefined;
  /** For messages (default `import`). Only an import can wait for another one. */
  readonly verb?: 'import' | 'discard' | undefined;
}

/**
 * Two simultaneous imports of the same rows would create every record twice. The lock does not
 * depend on how the address of the service is spelled.
 *
 * @throws ProcError `import_busy` if another process keeps the lock; `state_unwritable` if locks do not
 *   work in this folder
 */
export async function lockImport(
  what: Lockable,
  { clock, signal, pid, waitMs = 0, run, verb = 'import' }: Waiting,
): Promise<ImportLock> {
  const path = lockPath(what);
  const lock = await lockWithin(path, waitMs, { clock, signal, everyMs: RETRY_MS });
  if (lock === undefined) throw taken(what, holderOf(path), run, verb);
  const other = livingHolder(path);
  if (other !== undefined) {
    lock.release();
    throw notExclusive(path, other);
  }
  const since = new Date(clock.now()).toISOString();
  noteHolder(path, { pid, run, since });
  return {
    tell: (name) => noteHolder(path, { pid, run: name, since }),
    release() {
      forgetHolder(path);
      lock.release();
    },
  };
}

/** Does not wait. Undefined if another process has the lock. */
export function tryLockImport(what: Lockable): Lock | undefined {
  const path = lockPath(what);
  const lock = tryLock(path);
  if (lock === undefined || livingHolder(path) === undefined) return lock;
  lock.release();
  return undefined;
}

export function processOf(run: string, what: Lockable): Holder | undefined {
  const path = lockPath(what);
  const holder = holderOf(path);
  // Reads the holder first: checking a lock can delay a process that waits for the lock.
  if (holder?.run !== run) return undefined;
  return isLocked(path) ? holder : undefined;
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
  verb: 'import' | 'discard',
): ProcError {
  const isImport = verb === 'import';
  const wait = isImport ? ', or add --wait-lock 5m' : '';
  const hint = `Wait until it ends${wait}. List all runs: proc imports list`;
  if (run !== undefined && holder?.run === run) {
    return new ProcError('import_busy', `${run} is already running (process ${holder.pid})`, {
      hint,
      details: { run, pid: holder.pid },
    });
  }
  const who = holderText(holder);
  const what = `${isImport ? 'another' : 'an'} import of ${noun} into ${new URL(baseUrl).host} is running`;
  return new ProcError('import_busy', who === '' ? what : `${what} (${who})`, {
    hint,
    details: { run: holder?.run ?? null, pid: holder?.pid ?? null },
  });
}
