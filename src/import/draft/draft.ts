import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { foldCode } from '../../core/fold-code.ts';
import { parseResponse } from '../../core/json.ts';
import { numberText } from '../../core/numbers.ts';
import { type StoredProblem, storedProblem } from '../../core/row-problem.ts';
import { someOf } from '../../core/wording.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { canonical, isOpen, type Place } from '../../ledger/rows.ts';
import type { Covered, NewRow } from '../../ledger/run-ledger.ts';
import type { Listed } from '../../listing/listing.ts';
import { IN_MEMORY, openDatabase } from '../../store/database.ts';
import { removeIfPossible } from '../../store/whole-file.ts';
import type { RowPlace } from '../check/locate.ts';
import type { LastSent, OtherName, OtherNames, PlannedCounts } from '../run-header.ts';
import { copyLedger } from './copy-ledger.ts';

export type DraftState =
  | 'pending'
  | 'existing'
  | 'rejected'
  | 'unconfirmed'
  | 'sentBefore'
  | 'repeated';

export interface DraftRow {
  readonly row: number;
  readonly state: 'pending' | 'rejected';
  readonly key: string | null;
  /** As it is sent, if the key is a code and differs from it. */
  readonly code?: string | null;
  /** SHA-256 of the body; null only where the key is a code. */
  readonly digest: string | null;
  /** JSON text; null for a rejected row that has none. */
  readonly body: string | null;
  /** JSON text of the record, or of all records that form the row; null if it equals the body. */
  readonly source: string | null;
  readonly line: number | null;
  readonly reason: StoredProblem | null;
}

/** A row of a file, with what list and ledger know of it. */
export interface ComparedRow extends Omit<DraftRow, 'state'> {
  readonly state: DraftState;
  readonly id: string | null;
  /** Of the row that was sent before. */
  readonly by_run: number | null;
  readonly by_row: number | null;
  /** Of the single write that was sent before. */
  readonly by_entry: string | null;
  /** 1: nobody knows whether what was sent before was created. */
  readonly is_open: number;
}

export interface ComparesBy {
  /** `--send-equal`: of equal rows, as many are sent as were not sent before. */
  readonly sendsEqual: boolean;
  /** `--again`: what completed runs and single writes had sent when the plan was made does not count. */
  readonly again?: boolean;
  /** `--exact-codes`: another spelling is another record. */
  readonly isExact?: boolean;
  /** The field of the body by which messages name a row. */
  readonly keyField?: string;
}

/** What rows are compared with. Without a path it is shared, and perhaps on another machine. */
export type LedgerSource = Pick<Ledger, 'path'> & Partial<Pick<Ledger, 'sql'>>;

const SCHEMA = `
CREATE TABLE draft (row INTEGER PRIMARY KEY, state TEXT NOT NULL, key TEXT, code TEXT, digest TEXT, body TEXT, source TEXT,
  line INTEGER, lines TEXT, reason TEXT, id TEXT, other_name TEXT,
  by_run INTEGER, by_row INTEGER, by_entry TEXT, is_open INTEGER NOT NULL DEFAULT 0);
CREATE TABLE listed (key TEXT NOT NULL, id TEXT NOT NULL, code TEXT NOT NULL, name TEXT);
CREATE TABLE again (run INTEGER PRIMARY KEY);
`;

/** In the last step all rows are there, so the indexes are built once. */
const INDEXES = `
CREATE INDEX IF NOT EXISTS draft_by_key ON draft (key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS draft_by_digest ON draft (digest) WHERE digest IS NOT NULL;
`;

/** So many rows and writes a reason names. */
const MOST_NAMED = 5;

/**
 * Of rows with one code, the later of equal ones are repeated, others are all rejected. Other spellings too, also with
 * `--exact-codes`: a run knows its rows by the folded key.
 */
const TWINS = `
  WITH twin AS MATERIALIZED (SELECT row, key, count(*) OVER w AS n, min(row) OVER w AS first,
      min(body) OVER w = max(body) OVER w AS is_equal,
      min(json_remove(body, '$.code')) OVER w = max(json_remove(body, '$.code')) OVER w AS is_alike
    FROM draft d WHERE state = 'pending'
      AND key IN (SELECT key FROM draft WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1)
    WINDOW w AS (PARTITION BY key)),
  told AS MATERIALIZED (SELECT t.row, t.is_equal, CASE WHEN t.is_equal THEN 'the same as row ' || t.first
      ELSE iif(t.n = 2, 'row ', 'rows ') || (SELECT group_concat(row, ', ') FROM (SELECT row FROM draft o
            WHERE o.key = t.key AND o.row <> t.row AND o.state = 'pending' ORDER BY row LIMIT ${MOST_NAMED}))
        || iif(t.n > ${MOST_NAMED + 1}, ', …', '') || iif(t.n = 2, ' has the same code ', ' have the same code ')
        || iif(t.is_alike, 'in another spelling; --exact-codes imports it from a file of its own', 'with other values') END AS text
    FROM twin t WHERE t.n > 1 AND NOT (t.is_equal AND t.row = t.first))
  UPDATE draft SET state = iif(t.is_equal, 'repeated', 'rejected'), reason = json_object('text', t.text)
    FROM told t WHERE t.row = draft.row`;

const EQUAL = `UPDATE draft SET state = 'rejected',
    reason = json_object('text', 'equals row ' || e.first || '; to send it too, import the whole file with --send-equal, or only this row with --again')
  FROM (SELECT row, min(row) OVER (PARTITION BY digest) AS first FROM draft WHERE state = 'pending'
    AND digest IN (SELECT digest FROM draft WHERE digest IS NOT NULL GROUP BY digest HAVING count(*) > 1)) e
  WHERE e.row = draft.row AND e.row > e.first`;

/** Nearly all rows that exist, at once. */
const LISTED_ALIKE = `UPDATE draft SET state = 'existing', id = l.id FROM listed l
  WHERE draft.key = l.key AND draft.state = 'pending'
    AND l.code = draft.body ->> '$.code' AND l.name = draft.body ->> '$.name'`;

/**
 * Of several records with the code, that with the name of the row is the one (rank 2), else that with the same spelling
 * (1). Parameter: 1 if other spellings count.
 */
const LISTED = `WITH own AS (SELECT row, key, body ->> '$.code' AS code, body ->> '$.name' AS name FROM draft WHERE state = 'pending'),
    found AS (SELECT d.row, d.code, d.name, l.id, l.code AS listed_code, coalesce(l.name, '') AS listed_name,
        CASE WHEN d.name IS NULL OR plain(d.name) = plain(coalesce(l.name, '')) THEN 2 WHEN d.code = l.code THEN 1 ELSE 0 END AS rank
      FROM listed l JOIN own d ON d.key = l.key WHERE l.code = d.code OR ?),
    best AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY row ORDER BY rank DESC) AS nth FROM found)
  UPDATE draft SET state = iif(b.rank = 0, 'rejected', 'existing'), id = b.id, other_name = iif(b.rank = 2, NULL, b.listed_name),
      reason = iif(b.rank = 0, json_object('text', 'the code ' || json_quote(b.code) || ' differs only in spelling from '
        || json_quote(b.listed_code) || ' (' || b.id || '), which has the name ' || json_quote(b.listed_name) || ', not '
        || json_quote(coalesce(b.name, '')) || '; --exact-codes compares exactly'), NULL)
    FROM best b WHERE b.nth = 1 AND b.row = draft.row`;

const PLANNED = `SELECT count(*) AS rows, ${Object.entries({
  create: "state = 'pending'",
  lookedUp: "state = 'unconfirmed'",
  existing: "state = 'existing'",
  sentBefore: "state = 'sentBefore' AND NOT is_open",
  repeated: "state = 'repeated'",
  rejected: "state = 'rejected'",
  unconfirmed: "state = 'sentBefore' AND is_open",
})
  .map(([name, which]) => `count(*) FILTER (WHERE ${which}) AS "${name}"`)
  .join(', ')} FROM draft`;

const ENTERING = `SELECT row, state, key, code, digest, body, source, line FROM draft
  WHERE state IN ('pending', 'unconfirmed') ORDER BY row`;

/** Parameters of what was sent: place, noun, and the last intent that `--again` leaves out, or 0. */
type Ours = readonly [place: string, noun: string, upTo: number];

/** What was sent, or may have been. Nobody has sent a row without an intent. */
const ROWS_SENT = `n.place = ? AND n.noun = ? AND r.intent IS NOT NULL
  AND r.state IN ('sending', 'unconfirmed', 'created', 'abandoned')
  AND NOT (r.intent <= ? AND n.phase = 'ended' AND n.number IN (SELECT run FROM again))`;
const ENTRIES_SENT =
  "e.place = ? AND e.noun = ? AND e.intent > ? AND e.state NOT IN ('not-applied', 'rejected')";

/** Ended runs, but for those whose rest an unfinished run has taken over: the same command again sends only what is left. */
const COMPLETED = `WITH RECURSIVE unfinished (number) AS (SELECT number FROM ledger.runs WHERE phase <> 'ended'
    UNION SELECT old FROM ledger.moves JOIN unfinished ON number = new)
  SELECT number FROM ledger.runs WHERE number NOT IN (SELECT number FROM unfinished)`;

/** The same columns of rows and of single writes. */
const ROW = `r.key, r.digest, r.id, r.at >> 32 AS by_run, r.at & 4294967295 AS by_row, NULL AS by_entry, r.intent,
  n.place, n.noun, ${isOpen('r')} AS is_open`;
const ENTRY = `e.key, e.digest, e.created AS id, NULL AS by_run, NULL AS by_row, e.id AS by_entry, e.intent,
  e.place, e.noun, e.state IN ('pending', 'unknown') AS is_open`;

/** Parameters: twice `Ours`. */
const SENT = `SELECT ${ROW} FROM ledger.runs n JOIN ledger.rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
    WHERE n.last_intent > 0 AND ${ROWS_SENT}
  UNION ALL SELECT ${ENTRY} FROM ledger.entries e WHERE ${ENTRIES_SENT}`;

/** With `--exact-codes`: the list does not show the record under another spelling. */
const IS_SAME = `AND NOT EXISTS (SELECT 1 FROM listed l WHERE l.id = s.id AND l.code <> d.body ->> '$.code')`;

/** An unfinished run, which knew of this write, has the very row still to send: the same command again sends it. */
const IS_LEFT = `(s.digest IS NOT d.digest AND EXISTS (SELECT 1 FROM ledger.rows p JOIN ledger.runs u ON u.number = p.at >> 32
  WHERE p.digest = d.digest AND p.state = 'pending' AND u.phase = 'sending' AND u.place = s.place AND u.noun = s.noun
    AND (u.number = s.by_run OR s.intent <= u.planned)))`;

/** By keys in one walk through the ledger, because it has no index of them; by digests with its index. Parameters: four times `Ours`. */
const found = (
  isExact: boolean,
) => `SELECT d.row, d.key IS NULL AS is_keyless, coalesce(s.digest = d.digest, 0) AS is_equal, s.*
    FROM (${SENT}) s JOIN draft d ON d.key = s.key WHERE d.state = 'pending' AND NOT ${IS_LEFT} ${isExact ? IS_SAME : ''}
  UNION ALL SELECT d.row, d.key IS NULL, 1, ${ROW} FROM draft d CROSS JOIN ledger.rows r ON r.digest = d.digest
    JOIN ledger.runs n ON n.number = r.at >> 32 WHERE d.digest IS NOT NULL AND d.state = 'pending' AND ${ROWS_SENT}
  UNION ALL SELECT d.row, d.key IS NULL, 1, ${ENTRY} FROM draft d CROSS JOIN ledger.entries e ON e.digest = d.digest
    WHERE d.digest IS NOT NULL AND d.state = 'pending' AND ${ENTRIES_SENT}`;

/** Not a condition on each row, which would read the header as often. */
const AGAIN =
  "SELECT number FROM ledger.runs WHERE phase = 'sending' AND header ->> '$.choices.again' IS 1";

/** Parameters: place and noun. */
const UNFINISHED = `SELECT n.name, o.at, o.state, o.key, o.code, o.digest,
    o.state = 'pending' AND n.number IN (${AGAIN}) AS is_again FROM ledger.runs n
  JOIN ledger.rows o ON o.at >= n.number << 32 AND o.at < (n.number + 1) << 32
  WHERE n.place = ? AND n.noun = ? AND n.phase = 'sending' AND o.state IN ('pending', 'sending', 'unconfirmed')`;

/** That a row was sent before says nothing of one that `--again` still has to send, unless this import has the flag too. */
const IS_TOLD = "NOT (o.is_again AND d.state = 'sentBefore' AND ?)";

/** Of an unfinished row `o` and a row `d` of the file. */
const SAME_CODE = 'AND coalesce(o.code, o.key) = coalesce(d.code, d.key)';

/** How messages name the earlier write `b`. */
const TOLD = `id = b.id, by_run = b.by_run, by_row = b.by_row, by_entry = b.by_entry, is_open = b.is_open`;

const IS_BY_LEDGER = '(d.by_run IS NOT NULL OR d.by_entry IS NOT NULL)';

/**
 * A database that belongs to one process, and is worthless when that ends: so its file has no name, where the system
 * allows this, and no journal.
 */
export class Scratch {
  readonly database: DatabaseSync;
  readonly #path: string;

  constructor(folder: string, schema: string) {
    this.#path = join(folder, `draft-${randomBytes(8).toString('hex')}.db`);
    this.database = openDatabase(this.#path, { wal: false });
    // Newer versions of Node refuse to do without a journal. Older ones do not have this function.
    (this.database as { enableDefensive?(active: boolean): void }).enableDefensive?.(false);
    // `main`: these settings must not hold for the ledger.
    this.database.exec(
      `PRAGMA page_size = 16384; PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF;
       PRAGMA main.locking_mode = EXCLUSIVE; PRAGMA main.cache_size = -8192; PRAGMA temp_store = FILE; ${schema}`,
    );
    removeIfPossible(this.#path);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
    removeIfPossible(this.#path);
  }
}

/** The rows of a file before anything is sent. */
export class Draft extends Scratch {
  readonly #insert: StatementSync;
  readonly #reject: StatementSync;
  #isAttached = false;
  /** Of the ledger, when it was compared, and how. */
  #version: string | undefined;
  #againUpTo: number | undefined;

  constructor(folder: string) {
    super(folder, SCHEMA);
    this.#insert = this.database.prepare(
      `INSERT INTO draft (row, state, key, code, digest, body, source, line, lines, reason)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#reject = this.database.prepare(
      "UPDATE draft SET state = 'rejected', reason = ? WHERE row = ? AND state = 'pending'",
    );
    this.database.exec('BEGIN');
  }

  /** @param lines JSON text of `LinePlaces` */
  add(
    { row, state, key, code = null, digest, body, source, line, reason }: DraftRow,
    lines: string | null = null,
  ): void {
    this.#insert.run(row, state, key, code, digest, body, source, line, lines, reason);
  }

  reject(row: number, reason: StoredProblem): void {
    this.#reject.run(reason, row);
  }

  #run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.database.prepare(sql).run(...values);
  }

  #all<T>(sql: string, ...values: readonly SQLInputValue[]): IterableIterator<T> {
    return this.database.prepare(sql).iterate(...values) as IterableIterator<T>;
  }

  #first<T>(sql: string, ...values: readonly SQLInputValue[]): T | undefined {
    return this.database.prepare(sql).get(...values) as T | undefined;
  }

  /**
   * Rows of the file that are equal, or have the same code. With a list, rows that would be sent alike count once, and
   * rows with one code and other values are all rejected. Without one, the second of equal rows is rejected.
   */
  compareWithin({ isListed }: Pick<Place, 'isListed'>, { sendsEqual }: ComparesBy): void {
    this.database.exec(INDEXES);
    if (isListed) this.#run(TWINS);
    if (!sendsEqual) this.#run(EQUAL);
  }

  /** Whether one of the rows that are to be sent has a key, by which a list can show it, or has none. */
  hasPending(key: 'NULL' | 'NOT NULL'): boolean {
    const pending = `SELECT 1 FROM draft WHERE state = 'pending' AND key IS ${key} LIMIT 1`;
    return this.#first(pending) !== undefined;
  }

  /** Records of the service's list. */
  addListed(records: Iterable<Listed>): void {
    const insert = this.database.prepare('INSERT INTO listed VALUES (?, ?, ?, ?)');
    for (const { id, code, name } of records)
      if (id !== undefined && code !== null && code !== '')
        insert.run(foldCode(code), id, code, name);
  }

  /**
   * Compares all rows with the list. A row exists if the list has its code exactly, or its code by the fold with its
   * name. With another name too, it is rejected, unless the ledger knows that it was created by a row like it.
   */
  compareWithList({ isExact = false }: Partial<ComparesBy> = {}): void {
    this.database.exec(INDEXES);
    this.#run(LISTED_ALIKE);
    this.database.function('plain', (name) => plain(String(name)));
    this.#run(LISTED, isExact ? 0 : 1);
  }

  /** Existing rows whose names differ from those in the list. */
  otherNames(most: number): OtherNames | undefined {
    const renamed = "FROM draft WHERE state = 'existing' AND other_name IS NOT NULL";
    const { count } = this.#first<{ count: number }>(`SELECT count(*) AS count ${renamed}`)!;
    if (count === 0) return undefined;
    const samples = this.#all<OtherName>(
      `SELECT row, line, body ->> '$.code' AS code, body ->> '$.name' AS name, other_name AS catalogueName, id ${renamed}
        ORDER BY row LIMIT ?`,
      most,
    );
    return { count, samples: [...samples] };
  }

  /** SQL: 1 without `--again`. */
  get #isPlain(): number {
    return this.#againUpTo === undefined ? 1 : 0;
  }

  /** See `RunHeader.againUpTo`. */
  get againUpTo(): number | undefined {
    return this.#againUpTo;
  }

  /**
   * Compares all rows with what was sent before: for the plan, and again behind the lock. If nobody has written to the
   * ledger between, the second time changes nothing.
   *
   * @param isConfirmed rows that the confirmed plan leaves out stay out, even if somebody has decided since that they
   *   were not sent: the next import sends them
   */
  async compareWithLedger(
    ledger: LedgerSource,
    where: Place,
    by: ComparesBy,
    isConfirmed = false,
  ): Promise<void> {
    const { database } = this;
    if (database.isTransaction) database.exec('COMMIT');
    database.exec(INDEXES);
    await this.#attach(ledger, where);
    if (!this.#isAttached) return;
    database.exec('BEGIN');
    try {
      // Read first, so that all that is read later is at least as new.
      const { data_version } = database.prepare('PRAGMA ledger.data_version').get()!;
      const version = JSON.stringify([data_version, by]);
      if (version !== this.#version || ledger.path === undefined) {
        this.#run(
          `CREATE TEMP TABLE earlier AS SELECT row, state, reason, id, by_run, by_row, by_entry, is_open FROM draft d
            WHERE ${isConfirmed ? IS_BY_LEDGER : 'false'}`,
        );
        this.#compare(where, by);
        this.#run(
          `UPDATE draft SET ${TOLD}, state = b.state, reason = b.reason FROM earlier b
            WHERE b.row = draft.row AND draft.state = 'pending'`,
        );
        this.#run('DROP TABLE earlier');
      }
      this.#version = version;
      database.exec('COMMIT');
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
    }
  }

  /** A ledger in another place than this machine is copied, as far as it has to do with these rows. */
  async #attach(ledger: LedgerSource, where: Place): Promise<void> {
    const { path } = ledger;
    if (path === undefined) await copyLedger(this.database, ledger.sql!, where);
    else if (path !== IN_MEMORY && !this.#isAttached) this.#run('ATTACH ? AS ledger', path);
    this.#isAttached = path !== IN_MEMORY;
  }

  #compare(where: Place, by: ComparesBy): void {
    this.#run(
      `UPDATE draft AS d SET state = 'pending', id = NULL, reason = NULL, by_run = NULL, by_row = NULL, by_entry = NULL,
        is_open = 0 WHERE ${IS_BY_LEDGER}`,
    );
    if (by.again === true && this.#againUpTo === undefined) {
      this.#againUpTo = this.#first<{ last: number }>('SELECT last FROM ledger.intents')!.last;
      this.#run(`INSERT INTO again ${COMPLETED}`);
    }
    const ours: Ours = [where.place, where.noun, this.#againUpTo ?? 0];
    if (by.sendsEqual) this.#count(ours);
    this.#match(ours, where.isListed, by);
    this.#explain(ours, by.keyField ?? 'code');
    this.#findOwn(ours);
  }

  /**
   * Of several earlier writes, one that was surely created, with equal values, tells most; without a list, the last one
   * with equal values, whose outcome may be unknown. What is open enters the run if a look-up can decide it. With `--send-equal`, equal writes have been counted, and only other values of a key are
   * left.
   */
  #match(ours: Ours, isListed: boolean, { sendsEqual, isExact = false }: ComparesBy): void {
    if (isExact) this.#run('CREATE INDEX IF NOT EXISTS listed_by_id ON listed (id)');
    const isLookedUp = isListed ? 'NOT b.is_keyless' : '0';
    const isEqual = isListed ? '1' : 'b.is_equal';
    this.#run(
      `WITH found AS (${found(isExact)}), best AS (SELECT *, row_number() OVER (PARTITION BY row
          ORDER BY ${isListed ? 'is_open, is_equal DESC' : 'is_equal DESC'}, intent DESC) AS nth FROM found)
        UPDATE draft SET ${TOLD}, state = CASE WHEN b.is_open AND ${isLookedUp} THEN 'unconfirmed'
            WHEN NOT b.is_open AND NOT ${isEqual} THEN 'rejected' ELSE 'sentBefore' END
          FROM best b WHERE b.nth = 1 AND b.row = draft.row ${sendsEqual ? 'AND NOT b.is_equal' : ''}`,
      ...[...ours, ...ours, ...ours, ...ours],
    );
  }

  /** Each earlier write stands for one of the equal rows. */
  #count(ours: Ours): void {
    this.#run(
      `WITH sent AS (SELECT *, row_number() OVER (PARTITION BY digest ORDER BY is_open, intent) AS nth FROM (${SENT})),
        own AS (SELECT row, digest, row_number() OVER (PARTITION BY digest ORDER BY row) AS nth FROM draft
          WHERE state = 'pending')
        UPDATE draft SET ${TOLD}, state = 'sentBefore' FROM own o JOIN sent b ON b.digest = o.digest AND b.nth = o.nth
          WHERE o.row = draft.row`,
      ...[...ours, ...ours],
    );
  }

  /** Rows that were sent with other values: each reason names all that was sent under the key. */
  #explain(ours: Ours, keyField: string): void {
    const isCorrected = `d.state = 'rejected' AND ${IS_BY_LEDGER}`;
    if (this.#first(`SELECT 1 FROM draft d WHERE ${isCorrected} LIMIT 1`) === undefined) return;
    const corrected = this.#all<{ row: number; body: string; writes: string }>(
      `SELECT d.row, d.body, json_group_array(json_object('row', s.by_row, 'entry', s.by_entry, 'run', n.name,
          'sent', coalesce(b.body, e.request ->> '$.payload')) ORDER BY s.intent) AS writes
        FROM (${SENT}) s JOIN draft d ON d.key = s.key LEFT JOIN ledger.bodies b ON b.at = (s.by_run << 32) + s.by_row
        LEFT JOIN ledger.runs n ON n.number = s.by_run LEFT JOIN ledger.entries e ON e.id = s.by_entry
        WHERE ${isCorrected} GROUP BY d.row`,
      ...[...ours, ...ours],
    );
    const explain = this.database.prepare('UPDATE draft SET reason = ? WHERE row = ?');
    for (const { row, body, writes } of corrected) {
      const all = JSON.parse(writes) as readonly SentUnderKey[];
      const told = someOf(
        all.slice(-MOST_NAMED).map((one) => sentText(one, body)),
        all.length,
      );
      const key = shown((JSON.parse(body) as Body)[keyField]);
      const text = `${key} was sent with other values: ${told}; --again sends it`;
      explain.run(storedProblem({ text }), row);
    }
  }

  /** A record with another spelling and another name is that of the row, if a run or a single write has created it. */
  #findOwn(ours: Ours): void {
    const unlike = "d.state = 'rejected' AND d.other_name IS NOT NULL";
    if (this.#first(`SELECT 1 FROM draft d WHERE ${unlike} LIMIT 1`) === undefined) return;
    this.#run(
      `UPDATE draft SET state = 'existing', reason = NULL WHERE row IN (SELECT d.row FROM (${SENT}) s
        JOIN draft d ON d.key = s.key AND d.id = s.id WHERE ${unlike} AND NOT s.is_open)`,
      ...[...ours, ...ours],
    );
  }

  /**
   * Rows of unfinished runs, and open single writes, of which the file knows that they exist: they do not enter its run,
   * so nobody else would settle them. What is open counts only if the list has shown it.
   */
  covered({ place, noun, isExact = false }: Place): Covered {
    if (!this.#isAttached) return { rows: [], entries: [] };
    const isListed = `d.state = 'existing' AND NOT ${IS_BY_LEDGER}`;
    const isKnown = `(d.state = 'existing' OR (d.state = 'sentBefore' AND NOT d.is_open)) AND ${IS_TOLD}`;
    const rows = this.#all<{ at: number; id: string | null }>(
      `WITH unfinished AS MATERIALIZED (${UNFINISHED})
        SELECT o.at, d.id FROM unfinished o JOIN draft d ON d.key = o.key ${isExact ? SAME_CODE : ''}
          WHERE (o.state = 'pending' AND o.digest IS d.digest AND ${isKnown}) OR (${isListed})
        UNION SELECT o.at, d.id FROM unfinished o JOIN draft d ON d.digest = o.digest
          WHERE o.state = 'pending' AND ${isKnown}`,
      ...[place, noun, this.#isPlain, this.#isPlain],
    );
    const entries = this.#all<{ id: string; created: string }>(
      `SELECT e.id, d.id AS created FROM ledger.entries e JOIN draft d ON d.key = e.key
        WHERE e.place = ? AND e.noun = ? AND e.state IN ('pending', 'unknown') AND ${isListed} AND NOT ${isExact}`,
      ...[place, noun],
    );
    return {
      rows: Array.from(rows, ({ at, id }) => [at, id]),
      entries: Array.from(entries, ({ id, created }) => [id, created]),
    };
  }

  /** Rows that unfinished runs have not settled, and of which this file tells nothing, by name of the run. */
  remaining({ place, noun, isExact = false }: Place): Readonly<Record<string, number>> {
    if (!this.#isAttached) return {};
    const rows = this.#all<{ name: string; count: number }>(
      `SELECT name, count(*) AS count FROM (${UNFINISHED}) o
        WHERE NOT EXISTS (SELECT 1 FROM draft d WHERE d.key = o.key AND ${IS_TOLD} ${isExact ? SAME_CODE : ''})
          AND NOT EXISTS (SELECT 1 FROM draft d WHERE d.digest = o.digest AND ${IS_TOLD})
        GROUP BY name ORDER BY min(at)`,
      ...[place, noun, this.#isPlain, this.#isPlain],
    );
    return Object.fromEntries(Array.from(rows, ({ name, count }) => [name, count]));
  }

  /** The last write for which a row is not sent. */
  lastSent(): LastSent | undefined {
    if (!this.#isAttached) return undefined;
    const last = this.#first<{ at: number; run: string | null; entry: string }>(
      `SELECT r.sent_at AS at, n.name AS run, NULL AS entry FROM draft d JOIN ledger.rows r ON r.at = (d.by_run << 32) + d.by_row
          JOIN ledger.runs n ON n.number = d.by_run WHERE d.state = 'sentBefore'
        UNION ALL SELECT e.at, NULL, e.id FROM draft d JOIN ledger.entries e ON e.id = d.by_entry
          WHERE d.state = 'sentBefore' ORDER BY 1 DESC LIMIT 1`,
    );
    if (last === undefined) return undefined;
    const { at, run, entry } = last;
    return { at, ...(run === null ? { entry } : { run }) };
  }

  /** Whether rows are unconfirmed in this run. */
  hasOpenOf(run: number): boolean {
    const open = 'SELECT 1 FROM draft WHERE by_run = ? AND is_open LIMIT 1';
    return this.#first(open, run) !== undefined;
  }

  /** Where a row and its values stand in the source. */
  placeOf(row: number): RowPlace {
    const { line = null, lines = null } =
      this.#first<Record<'line' | 'lines', number | string | null>>(
        'SELECT line, lines FROM draft WHERE row = ?',
        row,
      ) ?? {};
    return { row, line: line as number | null, lines: JSON.parse(String(lines)) ?? undefined };
  }

  /** The counts as a run records them. */
  planned(): PlannedCounts {
    return { ...this.#first<PlannedCounts>(PLANNED)! };
  }

  rows(...states: readonly DraftState[]): IterableIterator<ComparedRow> {
    const marks = states.map(() => '?').join(', ');
    return this.#all(`SELECT * FROM draft WHERE state IN (${marks}) ORDER BY row`, ...states);
  }

  /** The first and the last rows in a state, in their order. */
  ends(state: DraftState, first: number, last: number): readonly ComparedRow[] {
    const rows = 'SELECT * FROM draft WHERE state = ?';
    return [
      ...this.#all<ComparedRow>(
        `SELECT * FROM (${rows} ORDER BY row LIMIT ?) UNION SELECT * FROM (${rows} ORDER BY row DESC LIMIT ?) ORDER BY row`,
        ...[state, first, state, last],
      ),
    ];
  }

  /** The rows that enter the ledger. */
  *lots(size: number): Generator<readonly NewRow[]> {
    let lot: NewRow[] = [];
    for (const row of this.#all<NewRow>(ENTERING)) {
      lot.push(row);
      if (lot.length < size) continue;
      yield lot;
      lot = [];
    }
    if (lot.length > 0) yield lot;
    // It is hardly read from now on.
    this.database.exec('PRAGMA shrink_memory');
  }
}

/** Names differ only if they do so in more than their Unicode form and their spaces. */
function plain(name: string): string {
  return name.normalize('NFC').replace(/\s+/g, ' ').trim();
}

interface SentUnderKey {
  readonly row: number | null;
  readonly entry: string | null;
  readonly run: string | null;
  /** JSON text of the body; null if the ledger no longer has it. */
  readonly sent: string | null;
}

type Body = Readonly<Record<string, unknown>>;

/** `amount 5.25 → 5.20 (run 20260301-093000-1a2b3c row 2)` */
function sentText({ sent, row, ...write }: SentUnderKey, body: string): string {
  const by = sentBy(write);
  const where = row === null ? by : `${by} row ${row}`;
  if (sent === null) return where;
  const [before, after] = [leavesOf(parseResponse(sent)), leavesOf(parseResponse(body))];
  const differences = Object.keys({ ...before, ...after })
    .filter((field) => canonical(before[field]) !== canonical(after[field]))
    .map((field) => `${field} ${shown(before[field])} → ${shown(after[field])}`);
  return differences.length === 0 ? where : `${differences.join(', ')} (${where})`;
}

/** Values by their dotted paths: `groups.0.items.0.quantity`. */
function leavesOf(value: unknown, path: readonly string[] = []): Body {
  if (typeof value !== 'object' || value === null || numberText(value) !== undefined)
    return { [path.join('.')]: value };
  const parts = Object.entries(value).map(([name, part]) => leavesOf(part, [...path, name]));
  return Object.assign({}, ...parts) as Body;
}

/** `run 20260301-093000-1a2b3c`, or the command in the history */
export function sentBy({ run, entry }: Partial<Record<'run' | 'entry', string | null>>): string {
  return run === null || run === undefined ? `the command ${entry} in the history` : `run ${run}`;
}

const SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
