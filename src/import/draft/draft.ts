import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Covered, NewRow } from '../../ledger/run-ledger.ts';
import type { Place } from '../../ledger/sent-since.ts';
import { IN_MEMORY, openDatabase } from '../../store/open-database.ts';

export type DraftState = 'pending' | 'existing' | 'rejected' | 'unconfirmed' | 'sentBefore';

export interface DraftRow {
  readonly row: number;
  readonly state: 'pending' | 'rejected';
  readonly key: string | null;
  /** SHA-256 of the body; null only where the key is a code. */
  readonly digest: string | null;
  /** JSON text; null for a rejected row that has none. */
  readonly body: string | null;
  readonly source: string | null;
  readonly line: number | null;
  readonly reason: string | null;
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

export interface Listed {
  readonly key: string;
  readonly id: string;
}

export interface ComparesBy {
  /** `--send-equal`: of equal rows, as many are sent as were not sent before. */
  readonly sendsEqual: boolean;
}

const SCHEMA = `
CREATE TABLE draft (row INTEGER PRIMARY KEY, state TEXT NOT NULL, key TEXT, digest TEXT, body TEXT, source TEXT,
  line INTEGER, reason TEXT, id TEXT, by_run INTEGER, by_row INTEGER, by_entry TEXT, is_open INTEGER NOT NULL DEFAULT 0);
CREATE TABLE listed (key TEXT NOT NULL, id TEXT NOT NULL);
`;

/** In the last step all rows are there, so the indexes are built once. */
const INDEXES = `
CREATE INDEX IF NOT EXISTS draft_by_key ON draft (key) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS draft_by_digest ON draft (digest) WHERE digest IS NOT NULL;
`;

/** What was sent, or may have been. Nobody has sent a row without an intent. */
const ROWS_SENT = `n.place = ? AND n.noun = ? AND r.intent IS NOT NULL
  AND r.state IN ('sending', 'unconfirmed', 'created', 'abandoned')`;
const ENTRIES_SENT = "e.place = ? AND e.noun = ? AND e.state NOT IN ('not-applied', 'rejected')";

/** The same columns of rows and of single writes. */
const ROW = `r.key, r.digest, r.id, r.at >> 32 AS by_run, r.at & 4294967295 AS by_row, NULL AS by_entry, r.intent,
  r.state IN ('sending', 'unconfirmed') AS is_open`;
const ENTRY = `e.key, e.digest, e.created AS id, NULL AS by_run, NULL AS by_row, e.id AS by_entry, e.intent,
  e.state IN ('pending', 'unknown') AS is_open`;

/** Parameters: place, noun, place, noun. */
const SENT = `SELECT ${ROW} FROM ledger.runs n JOIN ledger.rows r ON r.at >= n.number << 32 AND r.at < (n.number + 1) << 32
    WHERE n.last_intent > 0 AND ${ROWS_SENT}
  UNION ALL SELECT ${ENTRY} FROM ledger.entries e WHERE ${ENTRIES_SENT}`;

/** By keys in one walk through the ledger, because it has no index of them; by digests with its index. Parameters: twice those of `SENT`. */
const FOUND = `SELECT d.row, d.key IS NULL AS is_keyless, coalesce(s.digest = d.digest, 0) AS is_equal, s.*
    FROM (${SENT}) s JOIN draft d ON d.key = s.key WHERE d.state = 'pending'
  UNION ALL SELECT d.row, d.key IS NULL, 1, ${ROW} FROM draft d CROSS JOIN ledger.rows r ON r.digest = d.digest
    JOIN ledger.runs n ON n.number = r.at >> 32 WHERE d.digest IS NOT NULL AND d.state = 'pending' AND ${ROWS_SENT}
  UNION ALL SELECT d.row, d.key IS NULL, 1, ${ENTRY} FROM draft d CROSS JOIN ledger.entries e ON e.digest = d.digest
    WHERE d.digest IS NOT NULL AND d.state = 'pending' AND ${ENTRIES_SENT}`;

/** How messages name the earlier write `b`. */
const TOLD = `id = b.id, by_run = b.by_run, by_row = b.by_row, by_entry = b.by_entry, is_open = b.is_open`;

/**
 * The rows of a file before anything is sent. It belongs to one process, and is worthless when that ends: so its file
 * has no name, where the system allows this, and no journal.
 */
export class Draft {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #insert: StatementSync;

  constructor(folder: string) {
    this.#path = join(folder, `draft-${randomBytes(8).toString('hex')}.db`);
    this.#database = openDatabase(this.#path, { wal: false });
    // Newer versions of Node refuse to do without a journal. Older ones do not have this function.
    (this.#database as { enableDefensive?(active: boolean): void }).enableDefensive?.(false);
    // `main`: these settings must not hold for the ledger.
    this.#database.exec(
      `PRAGMA page_size = 16384; PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF;
       PRAGMA main.locking_mode = EXCLUSIVE; PRAGMA main.cache_size = -8192; PRAGMA temp_store = FILE; ${SCHEMA}`,
    );
    removeOpen(this.#path);
    this.#insert = this.#database.prepare(
      'INSERT INTO draft (row, state, key, digest, body, source, line, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#database.exec('BEGIN');
  }

  add({ row, state, key, digest, body, source, line, reason }: DraftRow): void {
    this.#insert.run(row, state, key, digest, body, source, line, reason);
  }

  reject(row: number, reason: string): void {
    const reject =
      "UPDATE draft SET state = 'rejected', reason = ? WHERE row = ? AND state = 'pending'";
    this.#database.prepare(reject).run(reason, row);
  }

  /** What the service's list shows; it is compared with all rows at once. */
  compareWithList(listed: Iterable<Listed>): number {
    const insert = this.#database.prepare('INSERT INTO listed VALUES (?, ?)');
    for (const { key, id } of listed) insert.run(key, id);
    this.#database.exec(INDEXES);
    const found = this.#database.prepare(
      `UPDATE draft SET state = 'existing', id = l.id FROM listed l
        WHERE draft.key = l.key AND draft.state = 'pending'`,
    );
    return Number(found.run().changes);
  }

  /**
   * Compares all rows with what was sent before: for the plan, and again behind the lock.
   *
   * @param ledger path of the ledger
   */
  compareWithLedger(ledger: string, where: Place, { sendsEqual }: ComparesBy): void {
    const database = this.#database;
    if (database.isTransaction) database.exec('COMMIT');
    database.exec(INDEXES);
    if (ledger === IN_MEMORY) return;
    database.prepare('ATTACH ? AS ledger').run(ledger);
    try {
      database.exec('BEGIN');
      const known = 'by_run = NULL, by_row = NULL, by_entry = NULL, is_open = 0';
      database
        .prepare(
          `UPDATE draft SET state = 'pending', id = NULL, reason = NULL, ${known}
            WHERE by_run IS NOT NULL OR by_entry IS NOT NULL`,
        )
        .run();
      const ours = [where.place, where.noun, where.place, where.noun];
      if (sendsEqual) this.#count(ours);
      else this.#match(ours, where.isListed);
      database.exec('COMMIT');
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK');
      database.exec('DETACH ledger');
    }
  }

  /**
   * Of several earlier writes, one that was surely created, with equal values, tells most. What is open enters the run
   * if a look-up can decide it.
   */
  #match(ours: readonly string[], isListed: boolean): void {
    const isLookedUp = isListed ? 'NOT b.is_keyless' : '0';
    const isEqual = isListed ? '1' : 'b.is_equal';
    this.#database
      .prepare(
        `WITH found AS (${FOUND}), best AS (SELECT *, row_number() OVER (PARTITION BY row
            ORDER BY is_open, is_equal DESC, intent DESC) AS nth FROM found)
          UPDATE draft SET ${TOLD}, state = CASE WHEN b.is_open AND ${isLookedUp} THEN 'unconfirmed'
              WHEN b.is_open THEN 'sentBefore' WHEN NOT ${isEqual} THEN 'rejected'
              ELSE ${isListed ? "'existing'" : "'sentBefore'"} END
            FROM best b WHERE b.nth = 1 AND b.row = draft.row`,
      )
      .run(...ours, ...ours);
  }

  /** Each earlier write stands for one of the equal rows. */
  #count(ours: readonly string[]): void {
    this.#database
      .prepare(
        `WITH sent AS (SELECT *, row_number() OVER (PARTITION BY digest ORDER BY is_open, intent) AS nth FROM (${SENT})),
          own AS (SELECT row, digest, row_number() OVER (PARTITION BY digest ORDER BY row) AS nth FROM draft
            WHERE state = 'pending')
          UPDATE draft SET ${TOLD}, state = 'sentBefore' FROM own o JOIN sent b ON b.digest = o.digest AND b.nth = o.nth
            WHERE o.row = draft.row`,
      )
      .run(...ours);
  }

  /**
   * Rows of unfinished runs, and open single writes, of which the file knows that they exist: they do not enter its run,
   * so nobody else would settle them. What is open counts only if the list has shown it.
   */
  covered(ledger: string, { place, noun }: Place): Covered {
    const database = this.#database;
    const isListed = "d.state = 'existing' AND d.by_run IS NULL AND d.by_entry IS NULL";
    const isKnown = "d.state = 'existing' OR (d.state = 'sentBefore' AND NOT d.is_open)";
    const unfinished = `ledger.runs n JOIN ledger.rows o ON o.at >= n.number << 32 AND o.at < (n.number + 1) << 32`;
    const ours = "n.place = ? AND n.noun = ? AND n.phase = 'sending'";
    database.prepare('ATTACH ? AS ledger').run(ledger);
    try {
      const rows = database.prepare(
        `SELECT o.at, d.id FROM ${unfinished} JOIN draft d ON d.key = o.key
            WHERE ${ours} AND o.state IN ('pending', 'sending', 'unconfirmed')
              AND ((o.state = 'pending' AND o.digest IS d.digest AND (${isKnown})) OR (${isListed}))
          UNION SELECT o.at, d.id FROM ${unfinished} JOIN draft d ON d.digest = o.digest
            WHERE ${ours} AND o.state = 'pending' AND (${isKnown})`,
      );
      const entries = database.prepare(
        `SELECT e.id, d.id AS created FROM ledger.entries e JOIN draft d ON d.key = e.key
          WHERE e.place = ? AND e.noun = ? AND e.state IN ('pending', 'unknown') AND ${isListed}`,
      );
      return {
        rows: rows
          .all(place, noun, place, noun)
          .map(({ at, id }) => [Number(at), id as string | null]),
        entries: entries
          .all(place, noun)
          .map(({ id, created }) => [id as string, created as string]),
      };
    } finally {
      database.exec('DETACH ledger');
    }
  }

  counts(): Readonly<Record<DraftState, number>> {
    const counts = { pending: 0, existing: 0, rejected: 0, unconfirmed: 0, sentBefore: 0 };
    const rows = this.#database.prepare('SELECT state, count(*) AS n FROM draft GROUP BY state');
    for (const { state, n } of rows.iterate()) counts[state as DraftState] = Number(n);
    return counts;
  }

  *rows(...states: readonly DraftState[]): Generator<ComparedRow> {
    const marks = states.map(() => '?').join(', ');
    const rows = this.#database.prepare(
      `SELECT * FROM draft WHERE state IN (${marks}) ORDER BY row`,
    );
    yield* rows.iterate(...states) as unknown as Iterable<ComparedRow>;
  }

  /** The rows that enter the ledger. */
  *lots(size: number): Generator<readonly NewRow[]> {
    let lot: NewRow[] = [];
    for (const { row, state, key, digest, body, source, line } of this.rows(
      'pending',
      'unconfirmed',
    )) {
      const entering = state === 'unconfirmed' ? state : 'pending';
      lot.push({ row, state: entering, key, digest, body: body!, source, line });
      if (lot.length < size) continue;
      yield lot;
      lot = [];
    }
    if (lot.length > 0) yield lot;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    removeOpen(this.#path);
  }
}

/** Windows removes no file that is open. */
function removeOpen(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It goes when it is closed.
  }
}
