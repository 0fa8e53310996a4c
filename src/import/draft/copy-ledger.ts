import type { DatabaseSync } from 'node:sqlite';
import type { Place } from '../../ledger/rows.ts';
import { hashesIn, hashOf } from '../../ledger/run-tables.ts';
import { listOf, rowsOf, type Sql, type SqlRow } from '../../ledger/sql.ts';

/** So many rows are read, or looked for, with one statement: none takes long. */
const PER_LOT = 20_000;
/** So many `lots` of the ledger are read with one statement. */
const LOTS = 100;

const TABLES = `
CREATE TABLE ledger.intents (last INTEGER);
CREATE TABLE ledger.runs (number INTEGER PRIMARY KEY, name, noun, place, phase, last_intent, planned, header);
CREATE TABLE ledger.rows (at INTEGER PRIMARY KEY, state, key, code, digest, id, intent, sent_at);
CREATE TABLE ledger.moves (old, new);
CREATE INDEX ledger.rows_digest ON rows (digest);
CREATE TABLE ledger.hashes (hash, key, PRIMARY KEY (hash, key)) WITHOUT ROWID;
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
      `SELECT number, name, noun, place, phase, last_intent, planned, CASE phase WHEN 'sending' THEN header END AS header
        FROM runs WHERE ${ours}`,
      ...[place, noun],
    ),
  );
  copy(
    'entries',
    await sql.all(
      `SELECT id, place, noun, key, digest, intent, state, created, at${isListed ? '' : ', request'} FROM entries
        WHERE ${ours}`,
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
  await copyKeyed();
  await copyEqual();
  // Reasons name the values of rows that were sent with other ones.
  if (!isListed) await copyBodies();
  database.exec('COMMIT');

  /** Rows with a key of the draft: the hashes in `lots` tell among which. */
  async function copyKeyed(): Promise<void> {
    const add = database.prepare('INSERT INTO ledger.hashes VALUES (?, ?)');
    const all = database.prepare('SELECT DISTINCT key FROM draft WHERE key IS NOT NULL');
    for (const { key } of all.iterate()) add.run(hashOf(key as string), key as string);
    const sorted = database.prepare('SELECT hash FROM ledger.hashes ORDER BY hash').all();
    const mine = Int32Array.from(sorted, ({ hash }) => Number(hash));
    const keysOf = database.prepare(
      'SELECT key FROM ledger.hashes WHERE hash IN (SELECT value ->> 0 FROM json_each(?))',
    );
    for (let after = 0; ; ) {
      const lots = await sql.all(
        `SELECT l.at, l.last, l.hashes FROM runs n JOIN lots l ON l.at >= n.number << 32 AND l.at < (n.number + 1) << 32
          WHERE n.place = ? AND n.noun = ? AND l.at > ? ORDER BY l.at LIMIT ${LOTS}`,
        ...[place, noun, after],
      );
      if (lots.length === 0) return;
      after = Number(lots.at(-1)!.at);
      const hits = lots.map(({ at, last, hashes }) => {
        const common = hashesIn(hashes as string).filter((hash) => isIn(mine, hash));
        return { at: Number(at), last: Number(last), common };
      });
      const among = hits.filter(({ common }) => common.length > 0);
      const hashes = new Set(among.flatMap(({ common }) => [...common]));
      const keys = keysOf.all(listOf(hashes)).map(({ key }) => key);
      if (keys.length === 0) continue;
      const found = await sql.all(
        `SELECT ${ROWS} FROM json_each(?) l JOIN rows r ON r.at >= CAST(l.value ->> 0 AS BIGINT)
            AND r.at <= CAST(l.value ->> 1 AS BIGINT) WHERE r.key IN (SELECT w.value ->> 0 FROM json_each(?) w)`,
        ...[rowsOf(among.map(({ at, last }) => [at, last])), listOf(keys)],
      );
      copy('rows', found);
    }
  }

  /** Rows with a digest of the draft, by the index. */
  async function copyEqual(): Promise<void> {
    const digests = database.prepare(
      `SELECT DISTINCT digest FROM draft WHERE digest > ? ORDER BY 1 LIMIT ${PER_LOT}`,
    );
    for (let after = ''; ; ) {
      const lot = digests.all(after).map(({ digest }) => digest as string);
      if (lot.length === 0) return;
      after = lot.at(-1)!;
      const found = await sql.all(
        `SELECT ${ROWS} FROM json_each(?) w JOIN rows r ON r.digest = w.value ->> 0
            JOIN runs n ON n.number = r.at >> 32 WHERE n.place = ? AND n.noun = ?`,
        ...[listOf(lot), place, noun],
      );
      copy('rows', found);
    }
  }

  async function copyBodies(): Promise<void> {
    const others = database.prepare(
      `SELECT at FROM ledger.rows r WHERE at > ? AND NOT EXISTS (SELECT 1 FROM draft d WHERE d.digest = r.digest)
        AND EXISTS (SELECT 1 FROM draft d WHERE d.key = r.key) ORDER BY at LIMIT ${PER_LOT}`,
    );
    for (let after = 0; ; ) {
      const lot = others.all(after).map(({ at }) => Number(at));
      if (lot.length === 0) return;
      after = lot.at(-1)!;
      const found = await sql.all(
        'SELECT b.at, body FROM json_each(?) w JOIN bodies b ON b.at = CAST(w.value ->> 0 AS BIGINT)',
        listOf(lot),
      );
      copy('bodies', found);
    }
  }
}

/** @param sorted numbers */
function isIn(sorted: Int32Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
