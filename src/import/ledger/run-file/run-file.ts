import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../../core/errors.ts';
import { openDatabase } from '../../../store/open-database.ts';
import { FactTable } from '../facts.ts';
import type { RunHeader } from '../header.ts';
import { damaged } from '../ledger-failure.ts';
import { removeFiles } from './files.ts';
import { RUN_FILE_ID, RUN_FILE_VERSION, SCHEMA } from './run-file-tables.ts';

/** With pages of 4 KiB, staging takes twice as long. */
const PAGE_BYTES = 16_384;

export function stateFolderOf(path: string): string {
  return dirname(dirname(path));
}

/**
 * Creates the file of a run atomically, with its header.
 *
 * @param beforeItAppears called before the file gets its final name
 */
export async function createRunFile(
  path: string,
  header: RunHeader,
  beforeItAppears: () => Promise<void>,
): Promise<DatabaseSync> {
  const draft = `${path}.new`;
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(draft, { pageSize: PAGE_BYTES });
    database.exec('BEGIN IMMEDIATE');
    database.exec(SCHEMA);
    const facts = new FactTable(database);
    facts.set('header', header);
    database.exec(
      `PRAGMA application_id = ${RUN_FILE_ID}; PRAGMA user_version = ${RUN_FILE_VERSION}; COMMIT`,
    );
    // Moves the log into the file, because only the file is renamed. `close` would move it too, but
    // would not report a failing disk.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    await beforeItAppears();
    renameSync(draft, path);
  } catch (thrown) {
    if (database?.isOpen) database.close();
    removeFiles(draft);
    throw thrown;
  }
  database = openDatabase(path);
  tune(database);
  return database;
}

/** @throws ProcError `config_unreadable` */
export function openRunFile(path: string, readOnly: boolean): DatabaseSync {
  const database = openOrDamaged(path, readOnly);
  try {
    if (!readOnly) tune(database);
    checkVersion(database, path);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** The file of a run is no record of earlier writes to start over without, so its hint is another. */
function openOrDamaged(path: string, readOnly: boolean): DatabaseSync {
  try {
    return openDatabase(path, { readOnly });
  } catch (thrown) {
    throw thrown instanceof ProcError && thrown.code === 'config_unreadable'
      ? damaged(path, thrown)
      : thrown;
  }
}

function checkVersion(database: DatabaseSync, path: string): void {
  const { application_id: id } = database.prepare('PRAGMA application_id').get()!;
  if (id !== RUN_FILE_ID) throw damaged(path);
  const { user_version: version } = database.prepare('PRAGMA user_version').get()!;
  if (version === RUN_FILE_VERSION) return;
  const age = Number(version) > RUN_FILE_VERSION ? 'a newer' : 'an older';
  throw new ProcError('config_unreadable', `${path} is from ${age} version of proc`, {
    hint: 'Resume it with the version of proc that started it',
  });
}

function tune(database: DatabaseSync): void {
  // Each checkpoint stops the run for a moment. 2000 pages are 32 MiB in the log of a run's file.
  database.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -4096');
}
