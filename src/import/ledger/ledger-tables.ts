/** Marks a file as a journal (`PRAGMA application_id`). */
export const JOURNAL_ID = 0x7072_6a6c;

/** Raised with every change that an earlier version would misread (`PRAGMA user_version`). */
export const JOURNAL_VERSION = 3;

/** Version 3 records the organization; without it a run still can be read and resumed. */
export const OLDEST_JOURNAL = 2;

/**
 * `rows` is narrow, as it changes with every request; `records` is wide and never changes once
 * staged. `fingerprint` is there where what was created cannot be listed; `mends` is the row of the run
 * that this one repairs, `repaired_by` the run that created what this one could not. `catalogue` is what
 * existed before the first request: an id in it was not created by us. That a state is one of `STATES` is
 * held by types, and by the journal where it counts them: a CHECK of eight texts takes as long as the rest
 * of a write.
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
  mends INTEGER,
  repaired_by TEXT
) STRICT;
CREATE TABLE records (row INTEGER PRIMARY KEY, line INTEGER, fields TEXT, body TEXT) STRICT;
CREATE TABLE catalogue (id TEXT PRIMARY KEY, code TEXT, name TEXT) STRICT, WITHOUT ROWID;
CREATE INDEX rows_unknown ON rows (sent_at) WHERE state = 'unknown';
CREATE INDEX rows_conflicting ON rows (row) WHERE status = 409;
`;

/** Made after staging: building them at once is much faster than keeping them row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_by_name ON rows (name) WHERE name IS NOT NULL;
`;
