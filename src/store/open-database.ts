import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf, ProcError, systemCode } from '../core/errors.ts';
import { CHECK_FOLDER, machineError } from '../core/machine-errors.ts';
import { inShell } from '../core/text/typed.ts';
import { createFolder } from './folder.ts';

export interface OpenOptions {
  /** The file must exist. Nothing is written or left next to the file. */
  readonly readOnly?: boolean;
  /**
   * `FULL` (default): a commit survives a power failure. `NORMAL`: a commit survives the end of the
   * process, but a power failure may lose the last commits.
   */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** How long a statement waits for another process (default 5,000). */
  readonly busyTimeoutMs?: number;
  /**
   * Page size of a new file in bytes (default 4,096). Large pages suit rows that are written once,
   * in order.
   */
  readonly pageSize?: number;
  /** If false, proc does not set the journal mode, e.g. for a lock file (default true). */
  readonly wal?: boolean;
}

export const IN_MEMORY = ':memory:';

/**
 * The only function that opens SQLite files. New files and folders are private to the user.
 *
 * @throws ProcError `state_unwritable` if the folder or file cannot be created or read;
 * `config_unreadable` if the file is not a database
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  const { readOnly = false, synchronous = 'FULL', busyTimeoutMs = 5_000, wal = true } = options;
  const { pageSize } = options;
  let database: DatabaseSync | undefined;
  try {
    refuseOtherKinds(path);
    if (!readOnly && path !== IN_MEMORY) createPrivately(path);
    // Even for reading, SQLite creates a missing WAL file, which a read-only connection cannot
    // remove. So proc opens the database for writing, and query_only prevents changes.
    const isClean = readOnly && wal && existsSync(path) && !existsSync(`${path}-wal`);
    database = new (sqlite().DatabaseSync)(isClean ? existing(path) : path, {
      readOnly: readOnly && !isClean,
      timeout: busyTimeoutMs,
    });
    if (isClean) database.exec('PRAGMA query_only = ON');
    // Reads the header, to detect a file of another kind here.
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

/** A URI that opens an existing file for writing and creates none. */
function existing(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

/**
 * Creates the file with mode 0600, because SQLite would use the umask. An existing file is not
 * opened: closing it would release the locks that this process holds on the file.
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
    hint: `Check what it is, and move it away: ls -l ${inShell(path)}`,
  });
}

/**
 * @returns an error that names the file: `config_unreadable` if it is damaged, `disk_full`, otherwise
 * `state_unwritable`. A ProcError, or an error without a system code, stays unchanged
 */
export function databaseError(path: string, thrown: unknown): unknown {
  if (thrown instanceof ProcError || systemCode(thrown) === undefined) return thrown;
  return (
    machineError(thrown, path) ??
    new ProcError('state_unwritable', `cannot use ${path}: ${messageOf(thrown)}`, {
      hint: CHECK_FOLDER,
      cause: thrown,
    })
  );
}

/** Wraps a database or statement so that its errors name the file. Not for hot paths. */
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
 * Node 22 warns that node:sqlite is experimental. So `process.emitWarning` is replaced while the
 * module is loaded.
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
