import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';

/**
 * `PRAGMA user_version` of a ledger. Raise this number with every change of the ledger that another
 * version of proc would misread.
 */
export const LEDGER_VERSION = 3;

/**
 * Maximum number of rows of a run. The key of a row is the number of the run × `RUN_SPAN` + the number of
 * the row.
 */
export const RUN_SPAN = 2 ** 32;

/**
 * - `entries`: the history. It has single writes, and one entry for each run that began to send. In the
 *   state `pending`, no outcome is recorded yet.
 * - `organizations`: an API key may have several names of organizations; the latest name counts.
 * - `key_salt` makes fingerprints of API keys useless on other machines.
 * - `runs.phase`: only `src/import/phases.ts` knows the names of the phases.
 * - `runs.generation`: how often the run was opened for writing. Only the process that opened it last
 *   may write.
 * - `runs.is_forgotten`: the run wrote to a sandbox whose data are gone.
 * - `rows`: all rows of each run that began to send. A discarded run keeps only the rows by which proc
 *   recognizes a repeat.
 * - `rows.key`: see `RUN_SPAN`. With a key of two columns, a statement that changes many rows would scan
 *   the whole run for each row.
 * - `rows.state` has no CHECK, because that would double the time of a write.
 * - `rows_created`: no two created rows of a run share an id. `key >> 32` is the number of the run.
 * - `rows.fingerprint` is set if the service cannot list the created records.
 * - `rows.repairs`: the row of an earlier run that this row repairs.
 * - `rows.repaired_by`: the run that repaired this row.
 * - `rows.answered_by`: the row of a later run that inherited this row. A person recorded the outcome
 *   there.
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
  user TEXT,
  host TEXT,
  job TEXT,
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
  phase TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
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
CREATE UNIQUE INDEX rows_created ON rows (key >> 32, id) WHERE state = 'created' AND id IS NOT NULL;
CREATE INDEX rows_unconfirmed ON rows (looked_up) WHERE state = 'unconfirmed';
CREATE INDEX rows_conflicting ON rows (looked_up) WHERE status = 409;
CREATE INDEX rows_answered ON rows (answered_by) WHERE answered_by IS NOT NULL;
`;

/** Call it in a transaction of an empty database. */
export function createTables(database: DatabaseSync): void {
  database.exec(SCHEMA);
  database.exec('INSERT INTO key_salt SELECT hex(randomblob(16))');
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}

/** @throws ProcError `config_unreadable` if another version of proc wrote the ledger */
export function refuseOther(version: number, path: string): void {
  if (version === 0 || version === LEDGER_VERSION) return;
  const isNewer = version > LEDGER_VERSION;
  throw new ProcError(
    'config_unreadable',
    `${path} was written by ${isNewer ? 'a newer' : 'an older'} version of proc`,
    { hint: `${isNewer ? 'Update proc, or set' : 'Set'} PROC_STATE_DIR to another folder` },
  );
}
