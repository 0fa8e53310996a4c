import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isShared } from '../../../ledger/open-ledger.ts';
import { type Lock, tryLock } from '../../../store/lock.ts';
import { NEXT } from '../../phases.ts';
import { Journal } from '../journal.ts';
import { journalFailure } from '../ledger-failure.ts';
import { eachRun, halfDiscarded, journalPath } from '../runs.ts';
import { tryLockImport } from './import-lock.ts';

/** `input-…`: copies and unpacked parts of sources. `RUN.db.new`: journals that are being created. */
const TEMPORARY = /^input-|\.db\.new(-wal|-shm|-journal)?$/;

const BUSY_MS = 5_000;

/**
 * Holds a shared lock, so that no other process removes the temporary files of this process.
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
 * Completes discards, and removes temporary files of killed imports, except the sources that a
 * resume still needs. While another import runs, all temporary files stay.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  await completeDiscards(folder);
  const files = readdirSync(folder).filter((file) => TEMPORARY.test(file));
  if (files.length === 0) return;
  const lock = tryLock(lockPath(folder));
  if (lock === undefined) return;
  try {
    const needed = new Set(
      await eachRun(folder, (journal) =>
        NEXT[journal.phase].resume === 'read' ? journal.header.source.path : undefined,
      ),
    );
    for (const path of files.map((file) => join(folder, file))) {
      if (!needed.has(path)) rmSync(path, { force: true });
    }
  } finally {
    lock.release();
  }
}

/** A run whose lock another process has is left to it: it may be discarding the run just now. */
async function completeDiscards(folder: string): Promise<void> {
  // In a shared ledger, the file of such a run may be on another machine.
  if (isShared(dirname(folder))) return;
  for (const header of await halfDiscarded(folder)) {
    const lock = tryLockImport({ folder, ...header });
    if (lock === undefined) continue;
    try {
      await Journal.remove(journalPath(folder, header.run));
    } finally {
      lock.release();
    }
  }
}

function lockPath(folder: string): string {
  return join(folder, 'inputs.lock');
}
