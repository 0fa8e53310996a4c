/** Marks a database as the file of a run (`PRAGMA application_id`). */
export const RUN_FILE_ID = 0x7072_6a6c;

/**
 * `PRAGMA user_version`. Raise it with every change that an earlier version would misread. The
 * ledger converts files of versions 1 to 3.
 */
export const RUN_FILE_VERSION = 4;

/**
 * `taken_ids`: ids that no answer can give to a row. This machine knew them before the run, or two answers of
 * the run had them.
 *
 * Once sending begins, only the ledger has the current states of rows. Queries still find rows by
 * code or name in the file of the run, because it has the indexes.
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
CREATE TABLE taken_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** Created after staging: building an index once is much faster than updating it row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS main.rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_name ON rows (name) WHERE name IS NOT NULL;
`;
