/** Marks a database as the file of a run (`PRAGMA application_id`). */
export const RUN_FILE_ID = 0x7072_6a6c;

/**
 * `PRAGMA user_version`. Raise it with every change that an earlier version would misread. Files up
 * to version 3 contained the whole run. The ledger takes them over and gives them this version.
 */
export const RUN_FILE_VERSION = 4;

/**
 * The tables in the file of one run. When sending begins, the rows are copied to the ledger, and
 * from then on only the ledger has their states. `records` is wide and sending does not change it,
 * so it stays here. proc still finds rows by code or name here, where the indexes are. `catalogue`
 * contains the records that existed before the first request, and those that a resume found to be
 * created by others.
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

/** Created after staging: building an index once is much faster than updating it row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS main.rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_name ON rows (name) WHERE name IS NOT NULL;
`;
