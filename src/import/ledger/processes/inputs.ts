import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Lock, tryLock } from '../../../store/lock.ts';
import { removeFiles } from '../files.ts';
import { endForgetting } from '../known-runs.ts';
import { journalFailure } from '../ledger-failure.ts';
import { eachRun, journalPath } from '../runs.ts';

/**
 * Standard input, unpacked workbooks and their texts, kept beside the journals while they are read;
 * and journals that were about to be made.
 */
const PASSING = /^input-|\.db\.new(-wal|-shm|-journal)?$/;

const BUSY_MS = 5_000;

/**
 * Says that this process has such files, or will: a lock that many may share.
 *
 * @throws ProcError `state_unwritable`
 */
export function keepInputs(folder: string): Disposable {
  let lock: Lock | undefined;
  try {
    lock = tryLock(lockPath(folder), { isShared: true, waitMs: BUSY_MS });
  } catch (thrown) {
    throw journalFailure(folder, thrown);
  }
  if (lock === undefined) {
    throw journalFailure(folder, Object.assign(new Error('database is locked'), { errcode: 5 }));
  }
  return { [Symbol.dispose]: lock.release };
}

/**
 * Removes what imports left behind because they were killed. What a run still needs to be resumed is
 * kept, and everything is while an import is reading: it may be its.
 */
export function removeLeftovers(folder: string): void {
  endForgetting(dirname(folder), (run) => removeFiles(journalPath(folder, run)));
  const files = readdirSync(folder).filter((file) => PASSING.test(file));
  if (files.length === 0) return;
  const lock = tryLock(lockPath(folder));
  if (lock === undefined) return;
  try {
    const needed = new Set(
      eachRun(folder, (journal) =>
        journal.phase === 'staging' ? journal.header.source.path : undefined,
      ),
    );
    for (const path of files.map((file) => join(folder, file))) {
      if (!needed.has(path)) rmSync(path, { force: true });
    }
  } finally {
    lock.release();
  }
}

function lockPath(folder: string): string {
  return join(folder, 'inputs.lock');
}
