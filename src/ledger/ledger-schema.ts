import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';

/**
 * Raised with every change that an earlier version would misread (`PRAGMA user_version`). One less: what
 * earlier versions kept is taken over, and their files are still to be marked so.
 */
export const LEDGER_VERSION = 2;

/** How many rows a run can have: the number of the run stands above that of the row in its key. */
export const RUN_SPAN = 2 ** 32;

/**
 * Single writes are `entries`; their state may be `pending`: the intent was written, the outcome not yet.
 * JSON in text columns. A key may have several names in `organizations`, the latest counts; the salt makes
 * fingerprints of keys useless elsewhere.
 *
 * `runs` has every run from its beginning, `rows` those that may have been sent: they enter when sending
 * begins, and until then lie in the file of their run. `key` is the number of the run times 2^32, and that
 * of the row; with a primary key of both SQLite looks through a whole run for each row of a list.
 * `fingerprint` is there if what was created cannot be listed; `repairs` is the row of the earlier run that
 * this one repairs, `repaired_by` the run that created what this one could not, `answered_by` the row of a
 * later run that inherited this one, and at which a person recorded the outcome. Of a run that is discarded
 * only rows are kept by which a repeat is recognised; one that is forgotten wrote to a sandbox whose data
 * are gone. That a state is one of `STATES` is held by types, and by the run where it counts them: a CHECK
 * of eight texts takes as long as the rest of a write.
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
  resolvedAt INTEGER
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

/** In a transaction of a database that has no tables yet. */
export function createTables(database: DatabaseSync): void {
  database.exec(SCHEMA);
}

/** A ledger that takes nothing over begins with a salt of its own. */
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
