import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { tryLock } from '../../store/lock.ts';
import { openDatabase } from '../../store/open-database.ts';
import {
  createTables,
  LEDGER_VERSION,
  makeSalt,
  refuseNewer,
  versionOf,
} from '../ledger-schema.ts';
import { copyHistory, EARLIER_HISTORY, keptRows, markHistory } from './earlier-history.ts';
import { copyJournals, markJournal } from './earlier-journals.ts';

/** Long, because another process may be filling a whole ledger. */
const WAIT_MS = 60_000;

/** The files of versions without a ledger: `history.db` and the journals of all runs. */
export interface EarlierState {
  readonly isThere: boolean;
  readonly stateFolder: string;
  readonly historyPath: string | undefined;
  /** Paths of the journals, oldest first. */
  readonly journals: readonly string[];
  /** @throws ProcError `config_unreadable` if `history.db` is damaged, or a newer version wrote it */
  checked(): EarlierState;
}

export function earlierState(stateFolder: string): EarlierState {
  const history = join(stateFolder, 'history.db');
  const imports = join(stateFolder, 'imports');
  const historyPath = existsSync(history) ? history : undefined;
  const journals = existsSync(imports)
    ? readdirSync(imports)
        .filter((file) => /^\d{8}-\d{6}-[0-9a-f]{4}\.db$/.test(file))
        .sort()
        .map((file) => join(imports, file))
    : [];
  const state: EarlierState = {
    isThere: historyPath !== undefined || journals.length > 0,
    stateFolder,
    historyPath,
    journals,
    checked() {
      if (historyPath === undefined) return state;
      const database = openDatabase(historyPath, { readOnly: true });
      try {
        // The next higher version means that a ledger took the file over.
        refuseNewer(database, historyPath, EARLIER_HISTORY + 1);
      } finally {
        database.close();
      }
      return state;
    },
  };
  return state;
}

/**
 * Fills an empty ledger from the files of earlier versions, in one transaction. These files are only read.
 *
 * @throws ProcError `import_busy` while an earlier version runs an import
 */
export function takeOver(database: DatabaseSync, earlier: EarlierState): void {
  const lock = earlier.journals.length === 0 ? undefined : lockImports(earlier.stateFolder);
  try {
    database.exec(`PRAGMA busy_timeout = ${WAIT_MS}; BEGIN IMMEDIATE`);
    // Another process may have created the tables in the meantime.
    if (versionOf(database) === 0) {
      createTables(database);
      const history = readable(earlier.historyPath);
      try {
        if (history !== undefined) copyHistory(history, database);
        copyJournals(earlier.journals, keptRows(history), database);
      } finally {
        history?.close();
      }
      makeSalt(database);
      database.exec(`PRAGMA user_version = ${LEDGER_VERSION - (earlier.isThere ? 1 : 0)}`);
    }
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  } finally {
    lock?.release();
  }
}

/** Marks the files that were taken over, so that earlier versions of proc refuse them. May be repeated. */
export function markTakenOver(database: DatabaseSync, stateFolder: string): void {
  if (versionOf(database) !== LEDGER_VERSION - 1) return;
  const { historyPath, journals } = earlierState(stateFolder);
  if (historyPath !== undefined) markHistory(historyPath);
  for (const path of journals) markJournal(path);
  database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
}

/**
 * Opens `history.db`, unless a ledger has already taken it over. If that ledger was removed since,
 * nothing of `history.db` must come back.
 */
function readable(historyPath: string | undefined): DatabaseSync | undefined {
  if (historyPath === undefined) return undefined;
  const history = openDatabase(historyPath, { readOnly: true });
  const version = versionOf(history);
  if (version > 0 && version <= EARLIER_HISTORY) return history;
  history.close();
  return undefined;
}

/** Takes the lock that every import of an earlier version shares. */
function lockImports(stateFolder: string) {
  const lock = tryLock(join(stateFolder, 'imports', 'inputs.lock'), { waitMs: 5_000 });
  if (lock !== undefined) return lock;
  throw new ProcError('import_busy', 'an earlier version of proc is running an import', {
    hint: 'Wait until it ends, then run the command again',
  });
}
