import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { cannotUse, ProcError } from '../core/errors.ts';
import { type Lock, tryLock } from '../store/database.ts';
import { makeFolder, stateDir } from '../store/folder.ts';
import { removeIfPossible } from '../store/whole-file.ts';

export interface Workplace extends Disposable {
  readonly folder: string;
}

/** The folder for the locks of imports, and for what they keep while they run. */
export function importsFolder(self: Pick<Context, 'env'>): string {
  return join(stateDir(self.env), 'imports');
}

/**
 * A dry run gets a temporary folder, so that it does not change the state folder.
 *
 * @throws ProcError `state_unwritable`
 */
export function openWorkplace(imports: string, isDryRun: boolean): Workplace {
  if (isDryRun) {
    const folder = mkdtempSync(join(tmpdir(), 'proc-plan-'));
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  makeFolder(imports);
  removeLeftovers(imports);
  const inputs = keepInputs(imports);
  return { folder: imports, [Symbol.dispose]: () => inputs[Symbol.dispose]() };
}

/** `input-…`: copies and unpacked parts of sources. `draft-…`: rows of a file before they are sent. */
const TEMPORARY = /^(?:input|draft)-/;

const BUSY_MS = 5_000;

/**
 * Holds a shared lock, so that no other process removes the temporary files of this process.
 *
 * @throws ProcError `state_unwritable`
 */
function keepInputs(folder: string): Disposable {
  const path = inputsLock(folder);
  let lock: Lock | undefined;
  try {
    lock = tryLock(path, { isShared: true, waitMs: BUSY_MS });
  } catch (thrown) {
    throw cannotUse(path, thrown);
  }
  if (lock === undefined) throw new ProcError('busy', `another process is using ${path}`);
  return { [Symbol.dispose]: lock.release };
}

/** Removes temporary files of killed imports. While another import runs, all of them stay. */
function removeLeftovers(folder: string): void {
  const files = readdirSync(folder).filter((file) => TEMPORARY.test(file));
  if (files.length === 0) return;
  const lock = tryLock(inputsLock(folder));
  if (lock === undefined) return;
  try {
    for (const file of files) removeIfPossible(join(folder, file));
  } finally {
    lock.release();
  }
}

function inputsLock(folder: string): string {
  return join(folder, 'inputs.lock');
}
