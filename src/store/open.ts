import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import { createFolder } from './folder.ts';

export interface OpenOptions {
  /** The file must exist; nothing is written, and nothing is left beside it. */
  readonly readOnly?: boolean;
  /**
   * `FULL` (default): a commit is on the disk when it returns. `NORMAL`: a commit survives the end
   * of the process in any way, and a loss of power may take the last ones.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** How long a statement waits for another process. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Bytes of a page of a new file; larger ones suit rows that are written once, in order. Default 4,096. */
  readonly pageSize?: number;
  /** False for a file that serves as a lock and holds no data. Default true. */
  readonly wal?: boolean;
}

/** The path of a database that is no file. */
export const IN_MEMORY = ':memory:';

/**
 * The one opener of SQLite files: WAL, a busy timeout, mode 0600, its folder 0700 where it is made
 * here.
 *
 * @throws ProcError `state_unwritable` where the folder or file cannot be made or read;
 *   `config_unreadable` where the file is no database.
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  const { readOnly = false, synchronous = 'FULL', busyTimeoutMs = 5_000, wal = true } = options;
  const { pageSize } = options;
  let database: DatabaseSync | undefined;
  try {
    if (!readOnly && path !== IN_MEMORY) createPrivately(path);
    // A read-only connection cannot remove the log that SQLite makes beside the file to read it.
    const isClean = readOnly && wal && existsSync(path) && !existsSync(`${path}-wal`);
    database = new (sqlite().DatabaseSync)(isClean ? existing(path) : path, {
      readOnly: readOnly && !isClean,
      timeout: busyTimeoutMs,
    });
    if (isClean) database.exec('PRAGMA query_only = ON');
    // Reads the header, so that a file of another kind is found here and not in mid-work.
    if (wal) database.exec('PRAGMA schema_version');
    if (wal && !readOnly) {
      if (pageSize !== undefined) database.exec(`PRAGMA page_size = ${pageSize}`);
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    }
    return database;
  } catch (thrown) {
    database?.close();
    throw openError(path, thrown);
  }
}

/** Opened for writing where it is there, and not made where it has just gone. */
function existing(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

/**
 * The file is made before SQLite does it: SQLite would take the mode from the umask. A file that is
 * there is not even opened: closing it would drop the locks this process may hold on it.
 */
function createPrivately(path: string): void {
  createFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}

function openError(path: string, thrown: unknown): ProcError {
  if ((thrown as { errcode?: unknown }).errcode === 26) {
    return new ProcError('config_unreadable', `${path} is not an SQLite database`, {
      hint: 'Name another file, or move this one away',
      cause: thrown,
    });
  }
  const reason = systemCode(thrown) === 'EACCES' ? 'permission denied' : messageOf(thrown);
  return new ProcError('state_unwritable', `Cannot open the database ${path}: ${reason}`, {
    hint: 'Check that its folder exists and is yours, or set PROC_STATE_DIR to another folder',
    cause: thrown,
  });
}

type Sqlite = typeof import('node:sqlite');

let loaded: Sqlite | undefined;

/**
 * Node 22 warns that node:sqlite is experimental when the module is loaded. The user can do nothing
 * about that, so this one warning is held back: the module is loaded here and not by an import, with
 * the warning's way out replaced for just this moment.
 */
function sqlite(): Sqlite {
  if (loaded !== undefined) return loaded;
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite')) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    loaded = process.getBuiltinModule('node:sqlite');
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
}
