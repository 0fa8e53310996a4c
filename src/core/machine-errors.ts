import { messageOf, ProcError, systemCode } from './errors.ts';
import { inShell } from './wording.ts';

const CHECK_FOLDER =
  'Check the free disk space and who owns the folder, or set PROC_STATE_DIR to another folder';

/** Limits of the system, and a file system that is read-only. */
const LIMITS: ReadonlySet<string> = new Set(['EFBIG', 'EROFS', 'EMFILE', 'ENFILE']);

/** Primary codes of SQLite: BUSY; FULL; and CORRUPT, FORMAT, NOTADB. */
const BUSY = 5;
const FULL = 13;
/** Extended code of IOERR: the file beside a database that its processes share cannot grow. */
const SHARED_FULL = 4874;
const DAMAGED: ReadonlySet<number> = new Set([11, 24, 26]);

/**
 * proc's error for a problem of the machine, such as a full disk or a damaged database; undefined for all others.
 *
 * @param file where the error does not name the file itself
 */
export function machineError(thrown: unknown, file?: string): ProcError | undefined {
  const {
    syscall,
    path = file,
    errcode,
  } = (thrown ?? {}) as { syscall?: unknown; path?: string; errcode?: unknown };
  const code = systemCode(thrown) ?? '';
  // The lower byte of an extended code is its primary code.
  const sqlite = code === 'ERR_SQLITE_ERROR' ? Number(errcode) & 0xff : undefined;
  const at = path === undefined ? '' : `: ${path}`;
  const name = path ?? 'a database of proc';
  const error =
    (own: 'invalid_usage' | 'config_unreadable' | 'state_unwritable' | 'disk_full' | 'busy') =>
    (message: string, hint: string) =>
      new ProcError(own, message, { hint, cause: thrown });
  if (syscall === 'uv_cwd') {
    const hint = 'Change to a folder that exists, for instance: cd ~';
    return error('invalid_usage')('The working directory no longer exists', hint);
  }
  if (code === 'ENOSPC' || code === 'EDQUOT' || sqlite === FULL || errcode === SHARED_FULL) {
    const hint = 'Free some disk space, then run the command again';
    return error('disk_full')(`The disk is full${at}`, hint);
  }
  if (sqlite === BUSY) return error('busy')(`another process is using ${name}`, 'Wait for it');
  if (sqlite !== undefined && DAMAGED.has(sqlite)) {
    const move = path === undefined ? '' : `: mv ${inShell(path)} ${inShell(`${path}.damaged`)}`;
    const hint = `To start over without the record of earlier writes, move the file away${move}`;
    return error('config_unreadable')(`${name} is damaged, or not an SQLite database`, hint);
  }
  if (sqlite !== undefined) {
    return error('state_unwritable')(`cannot use ${name}: ${messageOf(thrown)}`, CHECK_FOLDER);
  }
  if (!LIMITS.has(code)) return undefined;
  return error('state_unwritable')(messageOf(thrown), `${CHECK_FOLDER}. See the limits: ulimit -a`);
}

/** proc's error for a file or folder of its own that cannot be used. Errors that are bugs stay as they are. */
export function cannotUse(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  const message = `cannot use ${path}: ${messageOf(thrown)}`;
  return (
    machineError(thrown, path) ??
    new ProcError('state_unwritable', message, { hint: CHECK_FOLDER, cause: thrown })
  );
}
