import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  databaseError,
  IN_MEMORY,
  type OpenOptions,
  openDatabase,
} from '../store/open-database.ts';
import { createTables, LEDGER_VERSION, makeSalt, refuseNewer, versionOf } from './ledger-schema.ts';
import { earlierState, markTakenOver, takeOver } from './take-over/take-over.ts';

export function ledgerPath(stateFolder: string): string {
  return join(stateFolder, 'ledger.db');
}

/** Whether the folder has a ledger, or files of a version without a ledger. */
export function hasLedger(stateFolder: string): boolean {
  return existsSync(ledgerPath(stateFolder)) || earlierState(stateFolder).isThere;
}

/**
 * Opens the ledger of a state folder. If it does not exist, creates it and takes over the state of
 * earlier versions.
 *
 * @throws ProcError `state_unwritable`; `config_unreadable` if the ledger or the earlier state is
 *   damaged or from a newer version; `import_busy` while an earlier version runs an import
 */
export function openLedger(
  stateFolder: string,
  options: Pick<OpenOptions, 'readOnly' | 'busyTimeoutMs'> = {},
): DatabaseSync {
  const path = ledgerPath(stateFolder);
  const isReadOnly = options.readOnly === true && existsSync(path);
  // Check before the ledger is created, so that a failed check changes nothing.
  const earlier = existsSync(path) ? undefined : earlierState(stateFolder).checked();
  const database = openDatabase(path, { ...options, readOnly: isReadOnly });
  try {
    if (versionOf(database) === LEDGER_VERSION) return database;
    refuseNewer(database, path, LEDGER_VERSION);
    if (isReadOnly) {
      database.close();
      openLedger(stateFolder).close();
      return openLedger(stateFolder, options);
    }
    takeOver(database, earlier ?? earlierState(stateFolder).checked());
    markTakenOver(database, stateFolder);
    return database;
  } catch (thrown) {
    if (database.isOpen) database.close();
    throw databaseError(path, thrown);
  }
}

export function emptyLedger(): DatabaseSync {
  const database = openDatabase(IN_MEMORY);
  createTables(database);
  makeSalt(database);
  return database;
}
