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
  /** Random. */
  readonly id: string;
  close(): void;
}

/** What a new database begins with. */
export interface Beginning {
  /** Only the two organizations. */
  readonly empty?: boolean | undefined;
  /** The day of the newest sample order, e.g. `2026-01-31`. The other dates move with it. */
  readonly asOf?: string | undefined;
  /** Also the sample items. */
  readonly hasItems?: boolean | undefined;
  /** Records that replace the sample data of their nouns. */
  readonly seed?: SeedRecords | undefined;
}

/**
 * Opens the database and locks it against a second server. Creates and seeds a new file.
 *
 * Commits do not wait for the disk (`synchronous = NORMAL`). An acknowledged write survives `kill
 * -9`, but a power failure may lose it.
 *
 * @throws ProcError `sandbox_conflict` if another sandbox uses the file, or if the file has data and `beginning`
 * is empty or has a seed
 * @throws ProcError `invalid_usage` if another program or another version of proc created the file
 */
export function openSandboxDatabase(path: string, beginning: Beginning = {}): SandboxDatabase {
  const unlock = lock(path);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(path, { synchronous: 'NORMAL' });
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000');
    const isNew = checkOwner(database, path);
    if (isNew) fill(database, beginning);
    else refuseFilled(database, path, beginning);
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

function fill(database: DatabaseSync, beginning: Beginning): void {
  database.exec('BEGIN IMMEDIATE');
  create(database, beginning);
  database.exec('COMMIT');
}

/** Callers run this in a transaction, so that a killed process leaves nothing behind. */
function create(
  database: DatabaseSync,
  { empty, asOf, hasItems = false, seed = {} }: Beginning,
): void {
  database.exec(SCHEMA);
  seedOrganizations(database);
  if (empty !== true) seedData(database, { asOf, hasItems });
  applySeed(database, seed);
  database.exec(
    `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`,
  );
}

/** Only a new database can be empty, or have the records of a seed. */
function refuseFilled(database: DatabaseSync, path: string, { empty, seed }: Beginning): void {
  if (empty !== true && seed === undefined) return;
  const filled = TABLES.some(
    (table) =>
      table !== 'organizations' &&
      database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
  if (!filled) return;
  const flag = empty === true ? '--empty' : '--seed';
  throw new ProcError(
    'sandbox_conflict',
    `${path} already contains data, but ${flag} needs a new database`,
    { hint: 'Delete the file, or use another one: proc sandbox start --db other.db' },
  );
}

/** The lock is a separate file, so that other programs can still read the database. */
function lock(path: string): () => void {
  makeFolder(dirname(path));
  const held = tryLock(lockFile(path));
  if (held !== undefined) return held.release;
  throw new ProcError('sandbox_conflict', `a running sandbox uses ${path}`, {
    hint: 'Stop it with Ctrl-C in its terminal, or start a separate one: proc sandbox start --port 0',
  });
}

function lockFile(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}-lock`;
}
