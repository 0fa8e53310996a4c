import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';
import type { Kept, KeptKind, SelfPort } from '../core/ports.ts';
import { ledgerPlace } from '../settings/read/ledger-place.ts';
import {
  databaseError,
  IN_MEMORY,
  type OpenOptions,
  openDatabase,
} from '../store/open-database.ts';
import { privateFolder } from '../store/owner.ts';
import { LedgerLocks } from './ledger-locks.ts';
import { createTables, LEDGER_VERSION, refuseOther, versionOf } from './ledger-schema.ts';
import { Postgres } from './postgres.ts';
import { createRunTables, VERSION } from './run-tables.ts';
import type { Sql } from './sql.ts';
import { Sqlite } from './sqlite.ts';

/** The one database: imports with their rows, and single writes. */
export interface Ledger extends Kept {
  readonly sql: Sql;
  /** The draft of an import reads it too. `:memory:` in a dry run before the first write. */
  readonly path: string;
}

/** `ports.store.open(LEDGER)`. A dry run changes nothing, and creates no file. */
export const LEDGER: KeptKind<Ledger> = {
  open(self, say) {
    const path = pathOf(self);
    const text = privateFolder(dirname(path));
    if (text !== undefined) say({ kind: 'warning', text });
    return openLedgerAt(path);
  },
  twin: (self) => (ledgerExists(self) ? openLedgerAt(pathOf(self), true) : openLedgerAt(IN_MEMORY)),
};

type Self = Pick<SelfPort, 'env' | 'flags'>;

/** Whether there is a ledger to read. */
export function ledgerExists(self: Self): boolean {
  return existsSync(pathOf(self));
}

/** @throws ProcError `invalid_setting` for a shared ledger */
function pathOf(self: Self): string {
  const { folder, postgres } = ledgerPlace(self);
  if (postgres === undefined) return join(folder, 'ledger.db');
  throw new ProcError(
    'invalid_setting',
    `the shared ledger ${postgres.name} cannot be used: this version of proc keeps its ledger in the state folder; nothing was sent`,
    { hint: 'Unset PROC_LEDGER, and the setting "ledger" of the environment' },
  );
}

/**
 * @throws ProcError `state_unwritable`; `config_unreadable` if the file is damaged, or from another version of proc
 */
export function openLedgerAt(path: string, readOnly = false): Ledger {
  const database = openDatabase(path, { readOnly });
  try {
    const version = versionIn(database);
    if (version === 0 && readOnly) {
      database.close();
      return openLedgerAt(IN_MEMORY);
    }
    if (version === 0) createIn(database);
    refuseOtherVersion(versionIn(database), path);
    // Each checkpoint stops an import for a moment.
    if (!readOnly) database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw databaseError(path, thrown);
  }
  const sql = new Sqlite(database, path);
  return { sql, path, close: () => sql.close() };
}

function createIn(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  // Another process may have created the tables in the meantime.
  if (versionIn(database) === 0) createRunTables(database);
  database.exec('COMMIT');
}

function refuseOtherVersion(version: number, path: string): void {
  if (version === VERSION) return;
  const isNewer = version > VERSION;
  throw new ProcError(
    'config_unreadable',
    `${path} was written by ${isNewer ? 'a newer' : 'an older'} version of proc`,
    { hint: `${isNewer ? 'Update proc, or set' : 'Set'} PROC_STATE_DIR to another folder` },
  );
}

function versionIn(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}

/** The shared ledgers that this process uses, by the folder of their files. */
const shared = new Map<string, Sql>();

/**
 * The folder with the files of the ledger of a command: of this machine, or of a shared ledger. So a file of a run tells
 * by its place to which ledger it belongs.
 *
 * @throws ProcError `invalid_setting`
 */
export function ledgerFolder(self: Parameters<typeof ledgerPlace>[0]): string {
  const { folder, postgres } = ledgerPlace(self);
  if (postgres !== undefined && !shared.has(folder)) shared.set(folder, new Postgres(postgres));
  return folder;
}

/** The locks of a shared ledger; undefined for the ledger of this machine. */
export function sharedLocks(folder: string): LedgerLocks | undefined {
  const sql = shared.get(folder);
  return sql === undefined ? undefined : new LedgerLocks(sql);
}

export function isShared(folder: string): boolean {
  return shared.has(folder);
}

export function ledgerPath(stateFolder: string): string {
  return join(stateFolder, 'old-ledger.db');
}

/** Whether there is a ledger to read. */
export function hasLedger(stateFolder: string): boolean {
  return shared.has(stateFolder) || existsSync(ledgerPath(stateFolder));
}

/**
 * Opens the ledger of a state folder, and creates it if it does not exist.
 *
 * @throws ProcError `state_unwritable`; `config_unreadable` if the ledger is damaged or from another
 *   version of proc
 */
export function openLedger(
  stateFolder: string,
  options: Pick<OpenOptions, 'readOnly' | 'busyTimeoutMs'> = {},
): Sql {
  const remote = shared.get(stateFolder);
  if (remote !== undefined) return remote;
  const database = openTables(stateFolder, options);
  // Each checkpoint stops an import for a moment.
  if (options.readOnly !== true)
    database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
  return new Sqlite(database, ledgerPath(stateFolder));
}

function openTables(
  stateFolder: string,
  options: Pick<OpenOptions, 'readOnly' | 'busyTimeoutMs'>,
): DatabaseSync {
  const path = ledgerPath(stateFolder);
  const isReadOnly = options.readOnly === true && existsSync(path);
  const database = openDatabase(path, { ...options, readOnly: isReadOnly });
  try {
    const version = versionOf(database);
    if (version === LEDGER_VERSION) return database;
    refuseOther(version, path);
    if (isReadOnly) {
      database.close();
      openTables(stateFolder, {}).close();
      return openTables(stateFolder, options);
    }
    database.exec('BEGIN IMMEDIATE');
    // Another process may have created the tables in the meantime.
    if (versionOf(database) === 0) {
      createTables(database);
      database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
    }
    database.exec('COMMIT');
    return database;
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw databaseError(path, thrown);
  }
}

export function emptyLedger(): Sql {
  const database = openDatabase(IN_MEMORY);
  createTables(database);
  return new Sqlite(database, IN_MEMORY);
}
