import type { DatabaseSync } from 'node:sqlite';
import type { Place } from '../../ledger/sent-since.ts';
import { listOf, type Sql, type SqlRow } from '../../ledger/sql.ts';

/** So many rows are read, or rows of a draft looked for, with one statement. */
const PER_LOT = 20_000;

const TABLES = `
CREATE TABLE ledger.intents (last INTEGER);
CREATE TABLE ledger.runs (number INTEGER PRIMARY KEY, name, noun, place, phase, last_intent, planned);
CREATE TABLE ledger.rows (at INTEGER PRIMARY KEY, state, key, code, digest, id, intent, sent_at);
CREATE TABLE ledger.moves (old, new);
CREATE INDEX ledger.rows_digest ON rows (digest);
CREATE TABLE ledger.bodies (at INTEGER PRIMARY KEY, body);
CREATE TABLE ledger.entries (id, place, noun, key, digest, intent, state, created, at, request);
CREATE INDEX ledger.entries_digest ON entries (digest);
`;

const ROWS = 'r.at, r.state, r.key, r.code, r.digest, r.id, r.intent, r.sent_at';

/**
 * Copies what a shared ledger knows of the rows of a draft into a temporary database that is called `ledger`, as the
 * ledger of this machine is: runs and single writes of the place, rows with a key or digest of the draft, and rows that
 * unfinished runs have not settled.
 */
export async function copyLedger(
  database: DatabaseSync,
  sql: Sql,
  { place, noun, isListed }: Place,
): Promise<void> {
  const attached = database.prepare('PRAGMA database_list').all();
  if (attached.some(({ name }) => name === 'ledger')) database.exec('DETACH ledger');
  database.exec(`ATTACH '' AS ledger; ${TABLES}`);
  const copy = (table: string, rows: readonly SqlRow[]) => {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const insert = database.prepare(
      `INSERT OR IGNORE INTO ledger.${table} (${columns}) VALUES (${columns.map(() => '?')})`,
    );
    for (const row of rows) insert.run(...columns.map((column) => row[column]!));
  };
  database.exec('BEGIN');
  // Read first: what is read later is at least as new.
  copy('intents', await sql.all('SELECT last FROM intents'));
  const ours = 'place = ? AND noun = ?';
  copy(
    'runs',
    await sql.all(
      `SELECT number, name, noun, place, phase, last_intent, planned FROM runs WHERE ${ours}`,
      ...[place, noun],
    ),
  );
  copy(
    'entries',
    await sql.all(
      `SELECT id, place, noun, key, digest, intent, state, created, at, request FROM entries WHERE ${ours}`,
      ...[place, noun],
    ),
  );
  const ofRuns = `FROM runs n JOIN rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
    WHERE n.place = ? AND n.noun = ?`;
  const open = "r.state IN ('pending', 'sending', 'unconfirmed')";
  for (let after = 0; ; ) {
    const rows = await sql.all(
      `SELECT ${ROWS} ${ofRuns} AND n.phase = 'sending' AND ${open} AND r.at > ? ORDER BY r.at LIMIT ?`,
      ...[place, noun, after, PER_LOT],
    );
    copy('rows', rows);
    if (rows.length < PER_LOT) break;
    after = Number(rows.at(-1)!.at);
  }
  copy('moves', await sql.all('SELECT old, new FROM moves'));
  for (const column of ['key', 'digest']) {
    const values = database.prepare(
      `SELECT DISTINCT ${column} AS value FROM draft WHERE ${column} > ? ORDER BY 1 LIMIT ${PER_LOT}`,
    );
    for (let after = ''; ; ) {
      const lot = values.all(after).map(({ value }) => value as string);
      if (lot.length === 0) break;
      after = lot.at(-1)!;
      const found = `${ofRuns} AND r.${column} IN (SELECT w.value ->> 0 FROM json_each(?) w)`;
      const asked = [place, noun, listOf(lot)];
      copy('rows', await sql.all(`SELECT ${ROWS} ${found}`, ...asked));
      // Only for the values of rows that were sent otherwise.
      if (isListed) continue;
      copy(
        'bodies',
        await sql.all(`SELECT at, body FROM bodies WHERE at IN (SELECT r.at ${found})`, ...asked),
      );
    }
  }
  database.exec('COMMIT');
}
