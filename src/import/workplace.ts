import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { SelfPort } from '../core/ports.ts';
import { makeFolder } from '../store/folder.ts';
import { type Lock, tryLock } from '../store/lock.ts';
import { runFailure } from './store/ledger-failure.ts';
import { removableRuns, runPath } from './store/runs.ts';
import { withRemovable } from './with-run.ts';

export interface Workplace extends Disposable {
  readonly folder: string;
}

/**
 * A dry run gets a temporary folder, so that it does not change the state folder.
 *
 * @throws ProcError `state_unwritable`
 */
export async function openWorkplace(
  imports: string,
  isDryRun: boolean,
  self: SelfPort,
): Promise<Workplace> {
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-plan-'));
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  makeFolder(imports);
  await removeLeftovers(imports, self);
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
function keepInputs(folder: string): Disposable {
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
 * Removes runs that have sent nothing and whose process is gone, what is left of removed runs, and
 * temporary files of killed imports. While another import runs, all temporary files stay.
 */
export async function removeLeftovers(folder: string, self: SelfPort): Promise<void> {
  for (const { header, hasBegun } of await removableRuns(folder)) {
    const named = { folder, path: runPath(folder, header.run), header };
    try {
      await withRemovable(named, { self }, (remove) => remove(!hasBegun));
    } catch (thrown) {
      // A run whose lock another process has is left to it.
      if (!(thrown instanceof ProcError)) throw thrown;
    }
  }
  const files = readdirSync(folder).filter((file) => TEMPORARY.test(file));
  if (files.length === 0) return;
  const lock = tryLock(inputsLock(folder));
  if (lock === undefined) return;
  try {
    for (const file of files) rmSync(join(folder, file), { force: true });
  } finally {
    lock.release();
  }
}

function inputsLock(folder: string): string {
  return join(folder, 'inputs.lock');
}
