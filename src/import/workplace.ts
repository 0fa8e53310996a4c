import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isShared } from '../ledger/open-ledger.ts';
import { makeFolder } from '../store/folder.ts';
import { type Lock, tryLock } from '../store/lock.ts';
import { tryLockImport } from './import-lock.ts';
import { NEXT } from './phases.ts';
import { runFailure } from './store/ledger-failure.ts';
import { Run } from './store/run-file.ts';
import { eachRun, halfDiscarded, runPath } from './store/runs.ts';

export interface Workplace extends Disposable {
  readonly folder: string;
}

/**
 * A dry run gets a temporary folder, so that it does not change the state folder.
 *
 * @throws ProcError `state_unwritable`
 */
export async function openWorkplace(imports: string, isDryRun: boolean): Promise<Workplace> {
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-plan-'));
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  makeFolder(imports);
  await removeLeftovers(imports);
  const inputs = keepInputs(imports);
  return { folder: imports, [Symbol.dispose]: () => inputs[Symbol.dispose]() };
}

/** `input-…`: copies and unpacked parts of sources. `RUN.db.new`: files of runs that are being created. */
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
    lock = tryLock(inputsLock(folder), { isShared: true, waitMs: BUSY_MS });
  } catch (thrown) {
    throw runFailure(folder, thrown);
  }
  if (lock === undefined) {
    throw runFailure(folder, Object.assign(new Error('database is locked'), { errcode: 5 }));
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
  const lock = tryLock(inputsLock(folder));
  if (lock === undefined) return;
  try {
    const needed = new Set(
      await eachRun(folder, (run) =>
        NEXT[run.phase].resume === 'read' ? run.header.source.path : undefined,
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
      await Run.remove(runPath(folder, header.run));
    } finally {
      lock.release();
    }
  }
}

function inputsLock(folder: string): string {
  return join(folder, 'inputs.lock');
}
