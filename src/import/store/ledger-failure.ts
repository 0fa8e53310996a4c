import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ProcError, systemCode } from '../../core/errors.ts';
import { CHECK_FOLDER, isDamage, reasonOf } from '../../core/machine-errors.ts';
import { inShell } from '../../core/text/typed.ts';
import { isShared } from '../../ledger/open-ledger.ts';

/**
 * Turns an error of SQLite or of the file system into a `ProcError`. Returns any other error
 * unchanged.
 */
export function runFailure(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError) return thrown;
  const code = Number((thrown as { errcode?: unknown } | null)?.errcode) & 0xff;
  if (isDamage(code)) return damaged(path, thrown);
  if (!(code > 0) && systemCode(thrown) === undefined) return thrown;
  const reason = reasonOf(thrown);
  const isFolder = systemCode(thrown) === 'ERR_FS_EISDIR';
  return new ProcError('state_unwritable', `cannot write the journal ${path}: ${reason}`, {
    hint: isFolder ? 'Remove this folder by hand' : CHECK_FOLDER,
    cause: thrown,
  });
}

/** Whether the file of a run of a shared ledger is on another machine. It may also be lost. */
export function isElsewhere(path: string): boolean {
  return isShared(dirname(dirname(path))) && !existsSync(path);
}

export function elsewhere(path: string): ProcError {
  const run = basename(path, '.db');
  return new ProcError('reference_not_found', `the file of ${run} is on another machine`, {
    hint: `To resume it here, import the same file. Without it, record the outcome of unconfirmed rows: proc imports resolve ${inShell(run)}`,
    details: { run },
  });
}

/** Whether the run can write no more, because of its file or of the ledger. */
export function isRunFailure(error: unknown): error is ProcError {
  return error instanceof ProcError && FAILURES.has(error.code);
}

const FAILURES: ReadonlySet<string> = new Set([
  'state_unwritable',
  'ledger_unreachable',
  'ledger_unsafe',
]);

/** @param path of a run's file, or of the folder of all runs */
export function damaged(path: string, cause?: unknown): ProcError {
  const isRun = path.endsWith('.db');
  const run = isRun ? basename(path, '.db') : 'RUN';
  const resolve = `proc imports resolve ${inShell(run)}`;
  const isLost = isRun && !existsSync(path);
  const repair = isLost
    ? `Record the outcome of unconfirmed rows: ${resolve}`
    : `Restore the state folder. Or remove this file, then record the outcome of its rows: ${resolve}`;
  return new ProcError('config_unreadable', `the journal ${path} is damaged`, {
    hint: `${repair}. Check the service before you import the file again: with --on-sent skip, proc leaves out rows that its ledger knows, and items by their codes`,
    cause,
  });
}

export function removed(path: string): ProcError {
  return new ProcError('state_unwritable', `the journal ${path} was removed during the run`, {
    hint: 'proc no longer knows which rows were sent. Check the service before you import the file again',
  });
}
