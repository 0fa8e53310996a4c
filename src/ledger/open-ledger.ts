import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type PostgresPlace, parseLedger } from '../config/addresses.ts';
import { type From, resolve, type Selection, settingOf } from '../config/resolve-target.ts';
import { cannotUse, ProcError } from '../core/errors.ts';
import type { GlobalFlags } from '../core/global-flags.ts';
import type { Env, Io } from '../core/io.ts';
import { IN_MEMORY, openDatabase } from '../store/database.ts';
import { stateDir } from '../store/folder.ts';
import type { LedgerLocks } from './ledger-locks.ts';
import { Memory } from './memory.ts';
import { createRunTables, VERSION } from './run-tables.ts';
import type { Sql } from './sql.ts';
import { Sqlite } from './sqlite.ts';

/** The one database: imports with their rows, and single writes. */
export interface Ledger {
  readonly sql: Sql;
  /** The draft of an import reads it too. `:memory:` in a dry run before the first write; undefined if it is shared. */
  readonly path: string | undefined;
  /** Of a shared ledger; the ledger of this machine has files. */
  readonly locks: LedgerLocks | undefined;
  readonly memory: Memory | undefined;
  close(): void;
}

interface Self {
  readonly env: Env;
  readonly flags: GlobalFlags;
  readonly io: Pick<Io, 'say'>;
}

/** @param readOnly changes nothing, and creates no file */
export async function openLedger(self: Self, readOnly: boolean): Promise<Ledger> {
  const shared = sharedLedger(self);
  if (shared !== undefined) return openShared(shared, self, readOnly);
  const path = ledgerPath(self);
  if (!readOnly) return openOwnLedger(self);
  const memory = new Memory(self, { name: path, isOwn: true }, true);
  return existsSync(path)
    ? openLedgerAt(path, true, memory)
    : openLedgerAt(IN_MEMORY, false, memory);
}

/** Whether there is a ledger to read. @throws ProcError `invalid_setting` */
export function ledgerExists(self: Self): boolean {
  return sharedLedger(self) !== undefined || existsSync(ledgerPath(self));
}

function ledgerPath({ env }: Self): string {
  return join(stateDir(env), 'ledger.db');
}

async function openShared(place: PostgresPlace, self: Self, readOnly: boolean): Promise<Ledger> {
  const { Postgres } = await import('./postgres.ts');
  const { LedgerLocks: Locks } = await import('./ledger-locks.ts');
  const empty = readOnly ? () => openLedgerAt(IN_MEMORY).sql : undefined;
  const memory = new Memory(self, { name: place.name, isOwn: false }, readOnly);
  const sql = new Postgres(place, { timeoutMs: self.flags.timeoutMs, empty, memory });
  return { sql, path: undefined, locks: new Locks(sql), memory, close: () => sql.close() };
}

/**
 * The shared ledger, if one is set. A service on loopback belongs to one machine, and so does its ledger, unless
 * `PROC_LEDGER_LOOPBACK=1`.
 *
 * @throws ProcError `invalid_setting`
 */
function sharedLedger(self: Self): PostgresPlace | undefined {
  const setting = sharedSetting(self);
  return setting && parseLedger(setting.value, setting.place, self.env);
}

/** The address of the shared ledger without its password, if only a variable has it. */
export function sharedAddress(self: Self): string | undefined {
  const setting = sharedSetting(self);
  if (setting === undefined || setting.place !== 'PROC_LEDGER') return undefined;
  const url = new URL(setting.value);
  url.password = '';
  return url.href;
}

/** The ledger of this machine, whatever is set. */
export function openOwnLedger(self: Self): Ledger {
  const path = ledgerPath(self);
  return openLedgerAt(path, false, new Memory(self, { name: path, isOwn: true }));
}

function sharedSetting(self: Self): From<string> | undefined {
  const { env } = self;
  const selection = selectionOf(self);
  const setting = settingOf('ledger', { env, known: selection?.known });
  const isLocal = env.PROC_LEDGER_LOOPBACK !== '1' && selection?.url.value.isLoopback === true;
  return isLocal ? undefined : setting;
}

/**
 * Undefined if no target can be selected, which is reported by what needs the target. What was sent from this machine
 * can then still be looked at.
 */
function selectionOf(self: Self): Selection | undefined {
  try {
    return resolve(self);
  } catch (thrown) {
    if (thrown instanceof ProcError) return undefined;
    throw thrown;
  }
}

/**
 * @throws ProcError `state_unwritable`; `config_unreadable` if the file is damaged, or from another version of proc
 */
export function openLedgerAt(path: string, readOnly = false, memory?: Memory): Ledger {
  const database = openDatabase(path, { readOnly });
  try {
    const version = versionIn(database);
    if (version === 0 && readOnly) {
      database.close();
      return openLedgerAt(IN_MEMORY, false, memory);
    }
    if (version === 0) createIn(database);
    refuseOtherVersion(versionIn(database), path);
    // Each checkpoint stops an import for a moment.
    if (!readOnly) database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw cannotUse(path, thrown);
  }
  const sql = new Sqlite(database, path, memory);
  return { sql, path, locks: undefined, memory, close: () => sql.close() };
}

function createIn(database: DatabaseSync): void {
  // The file shrinks with each transaction that removes rows. Only before it has tables this takes no time.
  database.exec('PRAGMA auto_vacuum = FULL; VACUUM; BEGIN IMMEDIATE');
  // Another process may have created the tables in the meantime.
  if (versionIn(database) === 0) createRunTables(database);
  database.exec('COMMIT');
}

function refuseOtherVersion(version: number, path: string): void {
  if (version === VERSION) return;
  throw new ProcError('config_unreadable', `${path} was written by another version of proc`, {
    hint: 'Use that version, or set PROC_STATE_DIR to another folder',
  });
}

function versionIn(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}
