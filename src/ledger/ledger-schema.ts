import type { DatabaseSync } from 'node:sqlite';
import { ProcError } from '../core/errors.ts';

/**
 * `PRAGMA user_version` of a ledger. Raise this number with every change of the ledger that another
 * version of proc would misread.
 */
export const LEDGER_VERSION = 5;

/**
 * - `entries`: the history. It has single writes, and one entry for each run that began to send. In the
 *   state `pending`, no outcome is recorded yet.
 * - `entries.once`: the key of `--once`. Such an entry is never pruned.
 * - `entries.is_forgotten`: it wrote to a service that was reset since, and only its key counts.
 * - `organizations`: an API key may have several names of organizations; the latest name counts.
 * - `key_salt` makes fingerprints of API keys useless on other machines.
 * - `runs.phase`: only `src/import/phases.ts` knows the names of the phases.
 * - `runs.generation`: how often the run was opened for writing. Only the process that opened it last
 *   may write.
 * - `runs.commits`: the number of the last commit of the run's file whose outcomes are in `sent`. A
 *   file with fewer commits has lost some.
 * - `runs.counts`: how many rows are in each state, as JSON. NULL while a process writes the run, and
 *   after a kill: then only the file of the run knows.
 * - `runs.is_forgotten`: the run wrote to a sandbox whose data are gone.
 * - `intents.last`: each intent has a number of its own.
 * - `sent`: an index of the rows that were sent, or may have been. Their home is the file of the run.
 * - `sent.key`: by what other runs recognize the row: `code X`, `name X` or `body SHA256`.
 * - `sent.state`: `maybe`, `created` or `dropped`. It has no CHECK, because that would double the time
 *   of a write.
 * - `sent.at`: when the intent was written; NULL if this run never sent the row.
 * - `sent.body`: only while the state is `maybe`.
 * - `sent.answer_run`, `sent.answer_row`: the row of a later run that inherited this row. A person
 *   recorded the outcome there.
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
  version TEXT,
  once TEXT,
  is_forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX entries_repeats ON entries (service, fingerprint);
CREATE INDEX entries_once ON entries (service, once) WHERE once IS NOT NULL;
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
  commits INTEGER NOT NULL DEFAULT 0,
  counts TEXT,
  finished_at INTEGER,
  entry TEXT,
  has_begun INTEGER NOT NULL DEFAULT 0,
  is_discarded INTEGER NOT NULL DEFAULT 0,
  is_forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE intents (last INTEGER NOT NULL) STRICT;
CREATE TABLE sent (
  run INTEGER NOT NULL,
  row INTEGER NOT NULL,
  key TEXT,
  state TEXT NOT NULL,
  id TEXT,
  at INTEGER,
  intent INTEGER NOT NULL,
  body TEXT,
  answer_run INTEGER,
  answer_row INTEGER,
  PRIMARY KEY (run, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_by_key ON sent (key) WHERE key IS NOT NULL;
CREATE INDEX sent_answered ON sent (run) WHERE answer_run IS NOT NULL;
`;

/**
 * The same tables in PostgreSQL.
 *
 * - `proc_ledger.timeline`: of the database, as the last one who checked it saw it. After a failover it is another one.
 * - `locks`: who imports at a place. NULL: the last holder has released it; `lost`: it has not, and nobody has waited
 *   for its requests since. `expires` is in ms, by the clock of the database.
 */
export const POSTGRES_SCHEMA = `${SCHEMA.replace(
  /INTEGER PRIMARY KEY AUTOINCREMENT/g,
  'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
)
  .replace(/\bINTEGER\b/g, 'BIGINT')
  .replace(/\) STRICT(, WITHOUT ROWID)?;/g, ');')
  // Names that PostgreSQL would read as another word, or in small letters.
  .replace(/^ {2}(user|[a-z]+[A-Z]\w*) /gm, '  "$1" ')}
INSERT INTO intents VALUES (0);
CREATE TABLE proc_ledger (version BIGINT NOT NULL, timeline TEXT NOT NULL);
CREATE TABLE locks (
  place TEXT PRIMARY KEY,
  holder TEXT,
  note TEXT NOT NULL,
  generation BIGINT NOT NULL,
  expires BIGINT NOT NULL
);
`;

/** Call it in a transaction of an empty database. */
export function createTables(database: DatabaseSync): void {
  database.exec(SCHEMA);
  database.exec('INSERT INTO key_salt SELECT hex(randomblob(16)); INSERT INTO intents VALUES (0)');
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version);
}

/**
 * @param version not this one; 0: nobody has written the ledger
 * @throws ProcError `config_unreadable` if another version of proc wrote the ledger
 */
export function refuseOther(version: number, path: string): void {
  if (version === 0) return;
  const isNewer = version > LEDGER_VERSION;
  throw new ProcError(
    'config_unreadable',
    `${path} was written by ${isNewer ? 'a newer' : 'an older'} version of proc`,
    { hint: `${isNewer ? 'Update proc, or set' : 'Set'} PROC_STATE_DIR to another folder` },
  );
}
