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

/** A whole ledger of earlier runs is written meanwhile by the process that came first. */
const WAIT_MS = 60_000;

/** What versions before the ledger kept: `history.db`, and a journal of each run. */
export interface EarlierState {
  readonly isThere: boolean;
  readonly stateFolder: string;
  readonly historyPath: string | undefined;
  /** Of all runs, the oldest first. */
  readonly journals: readonly string[];
  /** @throws ProcError `config_unreadable` if a newer version wrote it, or it is damaged */
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
        // One version above: it was taken over already.
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
 * Makes the tables, and fills them with what earlier versions kept, in one transaction: a process that ends
 * on the way leaves an empty file, and the next one begins again. Earlier files are only read.
 *
 * @throws ProcError `import_busy` while an earlier version imports
 */
export function takeOver(database: DatabaseSync, earlier: EarlierState): void {
  const lock = earlier.journals.length === 0 ? undefined : lockImports(earlier.stateFolder);
  try {
    database.exec(`PRAGMA busy_timeout = ${WAIT_MS}; BEGIN IMMEDIATE`);
    // Another process may have done it while this one waited.
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

/**
 * Marks the files that were taken over, so that an earlier version refuses them by name instead of sending
 * again what it does not know of. May be called again at any time.
 */
export function markTakenOver(database: DatabaseSync, stateFolder: string): void {
  if (versionOf(database) !== LEDGER_VERSION - 1) return;
  const { historyPath, journals } = earlierState(stateFolder);
  if (historyPath !== undefined) markHistory(historyPath);
  for (const path of journals) markJournal(path);
  database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
}

/** One that was taken over before, of which the ledger was removed since, is not taken over again. */
function readable(historyPath: string | undefined): DatabaseSync | undefined {
  if (historyPath === undefined) return undefined;
  const history = openDatabase(historyPath, { readOnly: true });
  const version = versionOf(history);
  if (version > 0 && version <= EARLIER_HISTORY) return history;
  history.close();
  return undefined;
}

/** Every import of an earlier version shares this lock. */
function lockImports(stateFolder: string) {
  const lock = tryLock(join(stateFolder, 'imports', 'inputs.lock'), { waitMs: 5_000 });
  if (lock !== undefined) return lock;
  throw new ProcError('import_busy', 'An earlier version of proc is importing', {
    hint: 'Wait for its end: this version then takes over its runs',
  });
}
