import type { DatabaseSync } from 'node:sqlite';
import type { Outcome, SentEntry } from '../../ledger/port.ts';
import { UnconfirmedRows } from './looked-up-rows.ts';
import { Catalogue, PlannedRows } from './planned-rows.ts';
import { ReportedRows } from './reported-rows.ts';
import { LATE_INDEXES, Queries } from './run-database.ts';
import { type Counts, noCounts, type RowState, RowWriter, type StoredRow } from './transitions.ts';

/** SQL condition for unconfirmed rows: the row is parked. */
const PARKED = `(looked_up = 1 OR fingerprint IS NOT NULL OR (code IS NULL AND name IS NULL))`;

const FINGERPRINTED = {
  pending: "state = 'pending'",
  inherited: "state = 'unconfirmed' AND sent_at IS NULL",
} as const;

const FINGERPRINTS = 1_000;

/** The rows of a run, in its file, by what they are read for. */
export class RunRows {
  readonly catalogue: Catalogue;
  readonly planned: PlannedRows;
  readonly writer: RowWriter;
  /** For the ledger. */
  readonly sent: SentHere;
  /** For look-ups and decisions. */
  readonly unconfirmed: UnconfirmedRows;
  readonly reported: ReportedRows;
  readonly sql: Queries;

  constructor(database: DatabaseSync) {
    const sql = new Queries(database);
    this.sql = sql;
    this.writer = new RowWriter(sql);
    this.catalogue = new Catalogue(sql);
    this.planned = new PlannedRows(sql, this.writer);
    this.sent = new SentHere(sql, this.writer);
    this.unconfirmed = new UnconfirmedRows(sql);
    this.reported = new ReportedRows(sql);
  }

  /** Must be called after staging. Queries that find rows by key need the indexes. */
  addIndexes(): void {
    this.sql.exec(LATE_INDEXES);
  }

  /** Must be called in a transaction. */
  empty(): void {
    this.sql.exec('DELETE FROM rows; DELETE FROM records; DELETE FROM catalogue');
  }

  /** Undefined if there is no such row. */
  at(row: number): StoredRow | undefined {
    return this.sql.get(
      'SELECT * FROM rows r LEFT JOIN records b USING (row) WHERE r.row = ?',
      row,
    );
  }

  /** In batches, because a whole file may have been sent before. The caller may change the rows of a batch. */
  fingerprinted(
    which: keyof typeof FINGERPRINTED,
  ): Generator<{ row: number; fingerprint: string }[]> {
    return this.sql.batches(
      `SELECT row, fingerprint FROM rows WHERE row > ? AND ${FINGERPRINTED[which]}
          AND fingerprint IS NOT NULL ORDER BY row LIMIT ${FINGERPRINTS}`,
    );
  }

  /** The number of the last row that was staged; 0 if there is none. */
  last(): number {
    return this.sql.values<number | null>('SELECT max(row) FROM records')[0] ?? 0;
  }

  /** Undefined if a row has a state that this version does not know. */
  counts(): Counts | undefined {
    const counts = noCounts();
    const all = 'SELECT state, count(*) AS n FROM rows GROUP BY state';
    for (const { state, n } of this.sql.all<{ state: RowState; n: number }>(all)) {
      if (!Object.hasOwn(counts, state)) return undefined;
      counts[state] = n;
    }
    return counts;
  }

  countParked(isRunning: boolean): number {
    const states = isRunning ? "state = 'unconfirmed'" : "state IN ('unconfirmed', 'sending')";
    return this.sql.count(`FROM rows WHERE ${states} AND ${PARKED}`);
  }
}

const PER_BATCH = 5_000;

const CREATED = "state = 'created'";

/** A dropped row that was never sent: other runs may send it. */
const UNSENT = "coalesce(reason ->> 'code' = 'given_up', false)";

/** May have been sent by this run, and not only by another one. */
const OPEN = "state IN ('sending', 'unconfirmed') AND sent_at IS NOT NULL AND seen IS NULL";

/** What the ledger is to say about the rows of a run. */
export class SentHere {
  readonly #sql: Queries;
  readonly #writer: RowWriter;

  constructor(sql: Queries, writer: RowWriter) {
    this.#sql = sql;
    this.#writer = writer;
  }

  /** Outcomes of the given rows. Leaves out rows whose outcome is not known. */
  outcomesOf(rows: readonly number[]): Outcome[] {
    const found = this.#sql.all<StoredRow & { readonly unsent: number }>(
      `SELECT r.row, r.state, r.id, ${UNSENT} AS unsent FROM json_each(?) w CROSS JOIN rows r ON r.row = w.value`,
      JSON.stringify(rows),
    );
    return found.flatMap(({ row, state, id, unsent }): Outcome[] => {
      if (state === 'sending' || state === 'unconfirmed') return [];
      if (state === 'created') return [{ row, state, id }];
      return [{ row, state: state === 'dropped' && unsent === 0 ? state : 'none' }];
    });
  }

  countCreated(): number {
    return this.#sql.count(`FROM rows WHERE ${CREATED}`);
  }

  /** Takes over that rows were created. */
  confirm(entries: readonly SentEntry[]): void {
    for (const { row, state, id, at } of entries)
      if (state === 'created' && at !== null) this.#writer.confirm(row, at, id);
  }

  /**
   * Rows that may lack an entry: a person decided about rows that this run had not sent, or the ledger
   * lost commits.
   *
   * @param withCreated whether entries of created rows are missing
   * @param withOpen false if the rows come from the ledger, which may know more of them by now
   */
  *entries(withCreated: boolean, withOpen: boolean): Generator<Outcome[]> {
    const which = `(state = 'dropped' AND NOT ${UNSENT})${withOpen ? ` OR ${OPEN}` : ''}${withCreated ? ` OR ${CREATED}` : ''}`;
    const some = `SELECT row, state, id, code, name, fingerprint, sent_at FROM rows
        WHERE row > ? AND (${which}) ORDER BY row LIMIT ${PER_BATCH}`;
    for (const rows of this.#sql.batches<StoredRow>(some)) {
      yield rows.map(({ row, state, id, code, name, fingerprint, sent_at: at }) => ({
        row,
        state: state === 'created' || state === 'dropped' ? state : 'maybe',
        id,
        entry: { key: keyOf(code, name, fingerprint), at },
      }));
    }
  }
}

/** By what other runs recognize a row. */
export function keyOf(
  code: string | null,
  name: string | null,
  fingerprint: string | null,
): string | null {
  if (fingerprint !== null) return `body ${fingerprint}`;
  if (code !== null) return `code ${code}`;
  return name === null ? null : `name ${name}`;
}
