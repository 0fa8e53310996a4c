/** Marks a database as the file of a run (`PRAGMA application_id`). */
export const RUN_FILE_ID = 0x7072_6a6c;

/** `PRAGMA user_version`. Raise it with every change that an earlier version would misread. */
export const RUN_FILE_VERSION = 6;

/**
 * - `rows.fingerprint` is set if the service cannot list the created records.
 * - `rows.repairs`: the row of an earlier run that this row repairs. `repaired_by`: the run that repaired this
 *   row.
 * - `rows.seen`: the number of another run's intent that stopped this row. A look at the service decides.
 * - `rows.staged`: of a staged run, `[state, id, reason]` as its statement has them, once it begins to send.
 * - `rows.state` has no CHECK, because that would double the time of a write.
 * - `findings.finding`: a `RowFinding` as JSON. A row may have several.
 * - `taken_ids`: ids that no answer can give to a row. This machine knew them before the run, or two answers
 *   of the run had them.
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
  repaired_by TEXT,
  seen INTEGER,
  staged TEXT
) STRICT;
CREATE TABLE records (row INTEGER PRIMARY KEY, line INTEGER, fields TEXT, body TEXT) STRICT;
CREATE TABLE findings (
  row INTEGER NOT NULL, kind TEXT NOT NULL, finding TEXT NOT NULL, PRIMARY KEY (row, kind, finding)
) STRICT, WITHOUT ROWID;
CREATE TABLE catalogue (id TEXT PRIMARY KEY, code TEXT, name TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE taken_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** Created after staging: building an index once is much faster than updating it row by row. */
export const LATE_INDEXES = `
CREATE INDEX IF NOT EXISTS main.rows_by_code ON rows (code) WHERE code IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_by_name ON rows (name) WHERE name IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS main.rows_created ON rows (id) WHERE state = 'created' AND id IS NOT NULL;
CREATE INDEX IF NOT EXISTS main.rows_unconfirmed ON rows (looked_up) WHERE state = 'unconfirmed';
CREATE INDEX IF NOT EXISTS main.rows_conflicting ON rows (looked_up) WHERE status = 409;
`;
