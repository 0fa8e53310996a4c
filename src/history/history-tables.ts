import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';

const VERSION = 5;

/** `state` may be `pending` here: the intent was written, the outcome not yet. JSON in text columns. */
const SCHEMA = `
  CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    service TEXT NOT NULL,
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
  CREATE TABLE sandboxes (
    service TEXT PRIMARY KEY,
    db TEXT NOT NULL
  ) STRICT;
`;

/** Version 2: rows that imports sent of nouns that cannot be listed. Two rows may say the same. */
const SENT_ROWS = `
  CREATE TABLE sent_rows (
    run TEXT NOT NULL,
    row INTEGER NOT NULL,
    service TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    PRIMARY KEY (run, row)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sent_rows_repeats ON sent_rows (service, fingerprint);
`;

/** Version 3: what became of a row, once its journal is gone; null if nobody wrote it down. */
const OUTCOMES = `
  ALTER TABLE sent_rows ADD COLUMN outcome TEXT;
  ALTER TABLE sent_rows ADD COLUMN created TEXT;
`;

/** Version 4: the row of a later run that tells what became of this one, as a person decided it there. */
const HEIRS = `
  ALTER TABLE sent_rows ADD COLUMN heir_run TEXT;
  ALTER TABLE sent_rows ADD COLUMN heir_row INTEGER;
`;

/**
 * Version 5: whose key it was; null in what earlier versions wrote. A key may have several names, the
 * latest counts. The salt makes fingerprints of keys useless elsewhere.
 */
const ORGANIZATIONS = `
  ALTER TABLE entries ADD COLUMN organization TEXT;
  ALTER TABLE sent_rows ADD COLUMN organization TEXT;
  CREATE TABLE organizations (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (service, fingerprint, name)
  ) STRICT;
  CREATE TABLE key_salt (salt TEXT NOT NULL) STRICT;
  INSERT INTO key_salt VALUES (hex(randomblob(16)));
  PRAGMA user_version = ${VERSION};
`;

/** Each leads from the version before it to the next. */
const STEPS = [SCHEMA, SENT_ROWS, OUTCOMES, HEIRS, ORGANIZATIONS];

/**
 * Makes the tables that are missing; two processes may do so at once.
 *
 * @throws ProcError `config_unreadable` if a newer proc wrote the file
 */
export function prepareSchema(database: DatabaseSync, path: string): void {
  if (versionOf(database) === VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > VERSION) {
      throw new ProcError('config_unreadable', `${path} was written by a newer version of proc`, {
        hint: 'Update proc, or set PROC_STATE_DIR to another folder',
      });
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}
