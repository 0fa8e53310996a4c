import type { DatabaseSync } from 'node:sqlite';

/**
 * The tables of the one database: runs with their rows, and single writes.
 *
 * - `intents.last`: each transaction that lets requests leave has a number of its own. Its row is the lock of every
 *   writing transaction.
 * - `runs.number` is never used again: a process that lost its run knows it by this number.
 * - `runs.place`: service and organization.
 * - `runs.phase`: `filling`, `sending` or `ended`. A run in `filling` has sent nothing.
 * - `runs.generation`: how often the run was opened. Only the process that opened it last may write.
 * - `runs.planned`: all pending rows were compared with what others had sent up to this intent.
 * - `runs.counts`: how many rows are in each state, as JSON. NULL while a process writes the run, and after a kill.
 * - `rows.at`: the number of the run, shifted by 32 bits, plus that of the row.
 * - `rows.key`: the code, folded, or the key of the noun; NULL if nothing but its values identifies the row.
 * - `rows.code`: of nouns with a list, the code as it is sent, if it differs from the key.
 * - `rows.digest`: SHA-256 of the body; NULL only where the key is a code, and once another run has taken the row over.
 * - `rows.intent`: of the last request. While the row is pending, only later ones of others stop it. NULL: it was not sent.
 * - `rows.state` has no CHECK, because that would double the time of a write.
 * - `moves`: rows of the run `old` went over to `new`.
 * - `bodies`: what is sent, and the record of the source if it differs. Of nouns with a list they go with the end.
 * - `lots`: hashes of the keys of the rows from `at` to `last`. So keys are found without reading all rows, and without an
 *   index of all keys.
 * - `entries`: single writes. In the state `pending`, no outcome is recorded yet. `once` is the key of `--once`.
 * - `entries.request` and `entries.outcome` are JSON.
 * - `organizations.name`: an organization, or the fingerprint of an API key. `place`: how the first key of the organization
 *   was called when it wrote first, which is the organization in `place` of runs and entries.
 * - `ledger`: `salt` makes fingerprints of API keys useless elsewhere. `id`, `accepted` and `writers` are for {@link Memory}:
 *   each config folder counts its transactions, and a person may have accepted an older state. `machine` is a hash.
 */
export const SCHEMA = `
CREATE TABLE intents (last INTEGER NOT NULL) STRICT;
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  noun TEXT NOT NULL,
  place TEXT NOT NULL,
  phase TEXT NOT NULL,
  generation INTEGER NOT NULL,
  header TEXT NOT NULL,
  counts TEXT,
  findings TEXT,
  planned INTEGER NOT NULL,
  last_intent INTEGER NOT NULL DEFAULT 0,
  begun_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX runs_of ON runs (place, noun, last_intent);
CREATE TABLE rows (
  at INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  key TEXT,
  digest TEXT,
  id TEXT,
  intent INTEGER,
  sent_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  status INTEGER,
  reason TEXT,
  line INTEGER,
  code TEXT
) STRICT;
CREATE INDEX rows_open ON rows (key) WHERE state IN ('sending', 'unconfirmed');
CREATE INDEX rows_digest ON rows (digest) WHERE digest IS NOT NULL;
CREATE TABLE moves (old INTEGER NOT NULL, new INTEGER NOT NULL) STRICT;
CREATE TABLE bodies (at INTEGER PRIMARY KEY, body TEXT NOT NULL, source TEXT) STRICT;
CREATE TABLE lots (at INTEGER PRIMARY KEY, last INTEGER NOT NULL, hashes TEXT NOT NULL) STRICT;
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  place TEXT NOT NULL,
  noun TEXT NOT NULL,
  key TEXT,
  digest TEXT NOT NULL,
  intent INTEGER NOT NULL,
  state TEXT NOT NULL,
  created TEXT,
  once TEXT,
  at INTEGER NOT NULL DEFAULT 0,
  resolved_at INTEGER,
  profile TEXT,
  environment TEXT,
  request TEXT NOT NULL DEFAULT '{}',
  outcome TEXT
) STRICT;
CREATE INDEX entries_key ON entries (key) WHERE key IS NOT NULL;
CREATE INDEX entries_digest ON entries (digest);
CREATE INDEX entries_intent ON entries (intent);
CREATE INDEX entries_place ON entries (place, noun);
CREATE INDEX entries_once ON entries (once) WHERE once IS NOT NULL;
CREATE TABLE organizations (service TEXT NOT NULL, name TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (service, name)) STRICT;
CREATE TABLE ledger (id TEXT NOT NULL, salt TEXT NOT NULL, accepted INTEGER NOT NULL) STRICT;
CREATE TABLE writers (id TEXT PRIMARY KEY, machine TEXT, counter INTEGER NOT NULL) STRICT;
INSERT INTO intents VALUES (0);
`;

/** `PRAGMA user_version`: of these tables, so that a ledger with other ones is refused. */
export const VERSION = hashOf(SCHEMA);

/** The 32-bit hashes of keys, as `lots` has them. */
export function hashesOf(keys: Iterable<string>): string {
  return Buffer.from(Int32Array.from(keys, hashOf).buffer).toString('base64');
}

export function hashesIn(text: string): Int32Array {
  return new Int32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
}

/** FNV-1a */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** Call it in a transaction of an empty database. */
export function createRunTables(database: DatabaseSync): void {
  database.exec(SCHEMA);
  database.exec(
    `INSERT INTO ledger SELECT hex(randomblob(16)), hex(randomblob(16)), 0; PRAGMA user_version = ${VERSION}`,
  );
}

/**
 * The same tables in PostgreSQL.
 *
 * - `proc_ledger.timeline`: of the database, as the last one who checked it saw it. After a failover it is another one.
 * - `locks`: who imports at a place; `holder` is NULL once it was released. `expires` is in ms, by the clock of the
 *   database.
 */
export const POSTGRES_SCHEMA = `${SCHEMA.replace(
  /INTEGER PRIMARY KEY AUTOINCREMENT/g,
  'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
)
  .replace(/\bINTEGER\b/g, 'BIGINT')
  .replace(/\) STRICT;/g, ');')}
CREATE TABLE proc_ledger (version BIGINT NOT NULL, timeline TEXT NOT NULL);
CREATE TABLE locks (
  place TEXT PRIMARY KEY,
  holder TEXT,
  note TEXT NOT NULL,
  expires BIGINT NOT NULL
);
`;

export const POSTGRES_VERSION = hashOf(POSTGRES_SCHEMA);
