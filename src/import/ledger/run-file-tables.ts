/** Marks a file as one of a run (`PRAGMA application_id`). */
export const RUN_FILE_ID = 0x7072_6a6c;

/**
 * Raised with every change that an earlier version would misread (`PRAGMA user_version`). Files up to
 * version 3 had all of their run; they are taken over by the ledger, and are of this version from then on.
 */
export const RUN_FILE_VERSION = 4;

/**
 * The file of one run, as long as it is read and planned. `records` is wide and never changes once staged:
 * it stays here, as do the keys of `rows`, by whose indexes rows are found; the states of rows are in the
 * ledger when sending begins. `catalogue` is what existed before the first request: an id in it was not
 * created by us.
 */
export const SCHEMA = `
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE rows (
  row INTEGER PRIMARY KEY,
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
  repaired_by TEXT
) STRICT;
CREATE TABLE records (row INTEGER PRIMARY KEY, line INTEGER, fields TEXT, body TEXT) STRICT;
CREATE TABLE catalogue (id TEXT PRIMARY KEY, code TEXT, name TEXT) STRICT, WITHOUT ROWID;
`;

/** Made after staging: building them at once is much faster than keeping them row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS main.rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_name ON rows (name) WHERE name IS NOT NULL;
`;
