import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ProcError, systemCode } from '../core/errors.ts';
import { isDamage, reasonOf } from '../core/machine-errors.ts';
import { inShell } from '../core/text/typed.ts';
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
    refuseOtherKinds(path);
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
    throw databaseError(path, thrown);
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

function refuseOtherKinds(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw new ProcError('config_unreadable', `${path} is not a regular file`, {
    hint: `See what it is, then move it away: ls -l ${inShell(path)}`,
  });
}

/**
 * What SQLite throws at work on a file, in words that name it.
 *
 * @returns `config_unreadable` if the file is damaged, `state_unwritable` if it cannot be written; what
 *   is no error of SQLite or the system as it is
 */
export function databaseError(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  if (isDamage((thrown as { errcode?: unknown }).errcode)) {
    return new ProcError('config_unreadable', `${path} is damaged, or not an SQLite database`, {
      hint: `Move it away, and proc begins a new one that knows nothing of earlier writes: mv ${inShell(path)} ${inShell(`${path}.damaged`)}`,
      cause: thrown,
    });
  }
  return new ProcError('state_unwritable', `Cannot use ${path}: ${reasonOf(thrown)}`, {
    hint: 'Check that the disk has room and the folder is yours, or set PROC_STATE_DIR to another folder',
    cause: thrown,
  });
}

/** The same database or statement, whose errors name the file. Not for hot paths. */
export function namingErrors<T extends object>(thing: T, path: string): T {
  return new Proxy(thing, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        try {
          const result: unknown = member.apply(target, args);
          if (key === 'prepare') return namingErrors(result as object, path);
          return key === 'iterate' ? namedRows(result as Iterable<unknown>, path) : result;
        } catch (thrown) {
          throw databaseError(path, thrown);
        }
      };
    },
  });
}

function* namedRows(rows: Iterable<unknown>, path: string): Generator<unknown> {
  try {
    yield* rows;
  } catch (thrown) {
    throw databaseError(path, thrown);
  }
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
