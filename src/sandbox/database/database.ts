import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { makeFolder } from '../../store/folder.ts';
import { tryLock } from '../../store/lock.ts';
import { openDatabase } from '../../store/open-database.ts';
import { seedData, seedOrganizations } from './seed.ts';
import { applySeed, type SeedRecords } from './seed-file.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, TABLES } from './tables.ts';

export interface SandboxDatabase {
  readonly database: DatabaseSync;
  /** Random, and new after each reset. */
  readonly id: string;
  close(): void;
}

/**
 * Opens the database and locks it against a second server. Creates and seeds a new file.
 *
 * Commits do not wait for the disk (`synchronous = NORMAL`). An acknowledged write survives `kill
 * -9`, but a power failure may lose it.
 *
 * @param empty create only the two organizations in a new file
 * @param seed records of a new file; they replace the sample data of their nouns
 * @throws ProcError `sandbox_conflict` if another sandbox uses the file, or if `empty` is set and
 * the file has data
 * @throws ProcError `invalid_usage` if another program or another version of proc created the file
 */
export function openSandboxDatabase(
  path: string,
  empty: boolean,
  seed: SeedRecords = {},
): SandboxDatabase {
  const unlock = lock(path);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(path, { synchronous: 'NORMAL' });
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000');
    const isNew = checkOwner(database, path);
    if (isNew) fill(database, empty, seed);
    else if (empty) refuseEmpty(database, path);
  } catch (thrown) {
    database?.close();
    unlock();
    throw thrown;
  }
  const opened = database;
  return {
    database: opened,
    id: String(opened.prepare('SELECT id FROM database').get()!.id),
    close() {
      opened.close();
      unlock();
    },
  };
}

/**
 * @param empty create only the two organizations
 * @throws ProcError as {@link openSandboxDatabase}
 */
export function resetSandboxDatabase(path: string, empty: boolean): void {
  const { database, close } = openSandboxDatabase(path, false);
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec('DROP TABLE database; DELETE FROM sqlite_sequence');
    create(database, empty);
    database.exec('COMMIT');
    database.exec('VACUUM');
  } finally {
    close();
  }
}

/**
 * Makes the same checks as {@link openSandboxDatabase}, but changes no data.
 *
 * @throws ProcError as {@link openSandboxDatabase}
 */
export function checkSandboxDatabase(path: string, empty: boolean): void {
  if (!existsSync(path)) return;
  if (existsSync(lockFile(path))) lock(path)();
  const database = openDatabase(path, { readOnly: true });
  try {
    if (!checkOwner(database, path) && empty) refuseEmpty(database, path);
  } finally {
    database.close();
  }
}

/**
 * @returns true if the database has no tables yet
 * @throws ProcError `invalid_usage` if another program or another version of proc created it
 */
function checkOwner(database: DatabaseSync, path: string): boolean {
  const owner = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  if (owner === APPLICATION_ID && version === SCHEMA_VERSION) return false;
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()!.n;
  if (tables === 0) return true;
  if (owner === APPLICATION_ID) {
    throw new ProcError('invalid_usage', `${path} belongs to another version of proc`, {
      hint: `Delete the file, or use another one: proc sandbox start --db other.db`,
    });
  }
  throw new ProcError('invalid_usage', `${path} is not a sandbox database`, {
    hint: 'Use another file: proc sandbox start --db other.db',
  });
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`PRAGMA ${name}`).get()![name];
}

function fill(database: DatabaseSync, empty: boolean, seed: SeedRecords): void {
  database.exec('BEGIN IMMEDIATE');
  create(database, empty, seed);
  database.exec('COMMIT');
}

/** Callers run this in a transaction, so that a killed process leaves nothing behind. */
function create(database: DatabaseSync, empty: boolean, seed: SeedRecords = {}): void {
  database.exec(SCHEMA);
  seedOrganizations(database);
  if (!empty) seedData(database);
  applySeed(database, seed);
  database.exec(
    `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`,
  );
}

function refuseEmpty(database: DatabaseSync, path: string): void {
  const filled = TABLES.some(
    (table) =>
      table !== 'organizations' &&
      database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
  if (!filled) return;
  throw new ProcError(
    'sandbox_conflict',
    `${path} already contains data, but --empty needs a new database`,
    {
      hint: 'Empty it first: proc sandbox reset --empty',
    },
  );
}

/** The lock is a separate file, so that other programs can still read the database. */
function lock(path: string): () => void {
  makeFolder(dirname(path));
  const held = tryLock(lockFile(path));
  if (held !== undefined) return held.release;
  throw new ProcError('sandbox_conflict', `a running sandbox uses ${path}`, {
    hint: 'Stop it (proc sandbox stop, or Ctrl-C in its terminal), or start a separate one: proc sandbox start --ephemeral --port 0',
  });
}

function lockFile(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}-lock`;
}
