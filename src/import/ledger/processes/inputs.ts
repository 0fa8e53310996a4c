import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../store/open-database.ts';
import { journalFailure } from '../ledger-failure.ts';
import { eachRun } from '../runs.ts';

/**
 * Standard input, unpacked workbooks and their texts, kept beside the journals while they are read;
 * and journals that were about to be made.
 */
const PASSING = /^input-|\.db\.new(-wal|-shm|-journal)?$/;

const BUSY_MS = 5_000;
const SQLITE_BUSY = 5;

/**
 * Says that this process has such files, or will: a lock that many may share. The operating system
 * holds it for the process, so it goes however that ends.
 *
 * @throws ProcError `state_unwritable`
 */
export function keepInputs(folder: string): Disposable {
  let lock: DatabaseSync | undefined;
  try {
    lock = openLock(folder, BUSY_MS);
    lock.exec('BEGIN');
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (thrown) {
    lock?.close();
    throw journalFailure(folder, thrown);
  }
  const held = lock;
  return { [Symbol.dispose]: () => held.close() };
}

/**
 * Removes what imports left behind because they were killed. What a run still needs to be resumed is
 * kept, and everything is while an import is reading: it may be its.
 */
export function removeLeftovers(folder: string): void {
  const files = readdirSync(folder).filter((file) => PASSING.test(file));
  if (files.length === 0) return;
  const lock = openLock(folder, 0);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    const needed = new Set(
      eachRun(folder, (journal) =>
        journal.phase === 'staging' ? journal.header.source.path : undefined,
      ),
    );
    for (const path of files.map((file) => join(folder, file))) {
      if (!needed.has(path)) rmSync(path, { force: true });
    }
  } catch (thrown) {
    if ((thrown as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw thrown;
  } finally {
    lock.close();
  }
}

function openLock(folder: string, busyTimeoutMs: number): DatabaseSync {
  return openDatabase(join(folder, 'inputs.lock'), { busyTimeoutMs, wal: false });
}
