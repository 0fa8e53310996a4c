import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';

/**
 * `PRAGMA user_version`. Raise it with every change that an earlier version would misread. While
 * the ledger takes over files of earlier versions of proc, its version is lower by one, until all
 * these files are marked. If the process ends before that, the next process marks the rest.
 */
export const LEDGER_VERSION = 2;

/**
 * Maximum number of rows of a run. The key of a row is the number of the run times `RUN_SPAN`, plus
 * the number of the row.
 */
export const RUN_SPAN = 2 ** 32;

/**
 * `entries` is the history: single writes, and one entry for each run that began to send. The state
 * `pending` means that no outcome is recorded yet. Objects and lists are JSON text. An API key may
 * have several names in `organizations`; the latest name counts. `key_salt` makes fingerprints of
 * API keys useless on other machines.
 *
 * `runs` contains every run from its start. `is_forgotten`: the run wrote to a sandbox whose data
 * are gone.
 *
 * `rows` contains rows that may have been sent. Until sending begins, the rows of a run are only in
 * its file. Of a discarded run, only rows that identify a repeat are kept. The columns:
 *
 * - `key` is the number of the run times 2^32, plus the number of the row. With a primary key of
 *   two columns, a statement that changes many rows at once (`markCreated`) would search the whole
 *   run for each row.
 * - `state` has no CHECK, because that would double the time of a write. Types check the state, and
 *   so does the journal when it counts rows.
 * - `fingerprint` is set if the service cannot list the created records.
 * - `repairs` is the row of the earlier run that this row repairs. `repaired_by` is the run that
 *   repaired this row.
 * - `answered_by` is the key of a row in a later run. The later run inherited this row, and a
 *   person recorded the outcome there.
 */
const SCHEMA = `
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  service TEXT NOT NULL,
  organization TEXT,
  fingerprint TEXT NOT NULL,
  what TEXT NOT NULL,
  noun TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  payload TEXT,
  before TEXT,
  profile TEXT,
  environment TEXT,
  baseUrl TEXT NOT NULL,
  state TEXT NOT NULL,
  created TEXT,
  response TEXT,
  status INTEGER,
  message TEXT,
  requestId TEXT,
  endedAt INTEGER,
  resolvedAt INTEGER,
  actor TEXT,
  host TEXT,
  version TEXT
) STRICT;
CREATE INDEX entries_repeats ON entries (service, fingerprint);
CREATE TABLE sandboxes (service TEXT PRIMARY KEY, db TEXT NOT NULL) STRICT;
CREATE TABLE organizations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  service TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (service, fingerprint, name)
) STRICT;
CREATE TABLE key_salt (salt TEXT NOT NULL) STRICT;
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  noun TEXT,
  service TEXT,
  organization TEXT,
  header TEXT,
  is_entered INTEGER NOT NULL DEFAULT 0,
  is_discarded INTEGER NOT NULL DEFAULT 0,
  is_forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE facts (
  run INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE rows (
  key INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  code TEXT,
  name TEXT,
  id TEXT,
  status INTEGER,
  reason TEXT,
  sent_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  looked_up INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT,
  repairs INTEGER,
  repaired_by TEXT,
  answered_by INTEGER
) STRICT;
CREATE INDEX rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX rows_unconfirmed ON rows (looked_up) WHERE state = 'unconfirmed';
CREATE INDEX rows_conflicting ON rows (looked_up) WHERE status = 409;
CREATE INDEX rows_answered ON rows (answered_by) WHERE answered_by IS NOT NULL;
`;

/** Must be called in a transaction of an empty database. */
export function createTables(database: DatabaseSync): void {
  database.exec(SCHEMA);
}

/** Columns added without raising `LEDGER_VERSION`, because older releases of proc just ignore them. */
const WRITER_COLUMNS = ['actor', 'host', 'version'];

export function addWriterColumns(database: DatabaseSync): void {
  const missing = () => {
    const names = database
      .prepare('PRAGMA table_info(entries)')
      .all()
      .map(({ name }) => name);
    return WRITER_COLUMNS.filter((name) => !names.includes(name));
  };
  if (missing().length === 0) return;
  database.exec('BEGIN IMMEDIATE');
  // Another process may have added the columns meanwhile.
  for (const name of missing()) database.exec(`ALTER TABLE entries ADD COLUMN ${name} TEXT`);
  database.exec('COMMIT');
}

/** Keeps a salt that was taken over from an earlier version. */
export function makeSalt(database: DatabaseSync): void {
  database.exec(
    'INSERT INTO key_salt SELECT hex(randomblob(16)) WHERE NOT EXISTS (SELECT 1 FROM key_salt)',
  );
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}

/** @throws ProcError `config_unreadable` */
export function refuseNewer(database: DatabaseSync, path: string, known: number): void {
  if (versionOf(database) <= known) return;
  throw new ProcError('config_unreadable', `${path} was written by a newer version of proc`, {
    hint: 'Update proc, or set PROC_STATE_DIR to another folder',
  });
}
