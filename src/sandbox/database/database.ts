import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../../core/errors.ts';
import { show } from '../../core/validate.ts';
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

/** What a new database begins with. */
export interface Beginning {
  /** Only the two organizations. */
  readonly empty?: boolean | undefined;
  /**
   * The day of the newest sample order: `2026-01-31` or `today`. The other dates move with it. Undefined: the orders as
   * their source has them.
   */
  readonly asOf?: string | undefined;
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
 * is empty or has a date
 * @throws ProcError `invalid_usage` if another program or another version of proc created the file
 */
export function openSandboxDatabase(path: string, beginning: Beginning = {}): SandboxDatabase {
  // Before the file is made.
  dayOf(beginning.asOf);
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

/** @throws ProcError as {@link openSandboxDatabase} */
export function resetSandboxDatabase(path: string, beginning: Beginning): void {
  const { database, close } = openSandboxDatabase(path);
  try {
    database.exec('BEGIN IMMEDIATE');
    for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec('DROP TABLE database; DELETE FROM sqlite_sequence');
    create(database, beginning);
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
export function checkSandboxDatabase(path: string, beginning: Beginning = {}): void {
  dayOf(beginning.asOf);
  if (!existsSync(path)) return;
  if (existsSync(lockFile(path))) lock(path)();
  const database = openDatabase(path, { readOnly: true });
  try {
    if (!checkOwner(database, path)) refuseFilled(database, path, beginning);
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

function fill(database: DatabaseSync, beginning: Beginning): void {
  database.exec('BEGIN IMMEDIATE');
  create(database, beginning);
  database.exec('COMMIT');
}

/** Callers run this in a transaction, so that a killed process leaves nothing behind. */
function create(database: DatabaseSync, { empty, asOf, seed = {} }: Beginning): void {
  database.exec(SCHEMA);
  seedOrganizations(database);
  if (empty !== true) seedData(database, dayOf(asOf));
  applySeed(database, seed);
  database.exec(
    `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`,
  );
}

/**
 * @returns UTC midnight, ms
 * @throws ProcError `invalid_usage`
 */
export function dayOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const day = text === 'today' ? new Date().toISOString().slice(0, 10) : text;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // `2026-02-30` is parsed as a day in March, or not at all.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)) return ms;
  throw new ProcError('invalid_usage', `--as-of ${show(text)}: expected a day`, {
    hint: 'Use e.g. --as-of 2026-01-31',
  });
}

/** Only a new database can be empty, or have orders of another day. */
function refuseFilled(database: DatabaseSync, path: string, { empty, asOf }: Beginning): void {
  const isDated = asOf !== undefined && asOf !== 'today';
  if (empty !== true && !isDated) return;
  const flags = empty === true ? '--empty' : `--as-of ${asOf}`;
  const filled = TABLES.some(
    (table) =>
      table !== 'organizations' &&
      database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
  if (!filled) return;
  throw new ProcError(
    'sandbox_conflict',
    `${path} already contains data, but ${flags} needs a new database`,
    {
      hint: `Replace the data first: proc sandbox reset ${flags}`,
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
