import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import type { Key } from './catalogue-before.ts';
import type { CreatedRow } from './shown-rows.ts';

/**
 * Rows to look up: sent until a given time and unconfirmed, or refused because the key was taken
 * (409).
 */
const OPEN = `
  SELECT row, code, name, state, sent_at AS at FROM rows
    WHERE state = 'unconfirmed' AND sent_at <= ? AND looked_up = 0
  UNION ALL SELECT row, code, name, state, 0 FROM rows
    WHERE status = 409 AND state = 'rejected' AND looked_up = 0`;

/** Rows that no look-up can find, because they have neither code nor name. */
const KEYLESS = `SELECT row, state FROM (${OPEN}) WHERE code IS NULL AND name IS NULL`;

/** Created rows up to this many rows away count as near. */
const NEAR = 20_000;
const MOST_NEAR = 1_000;

const EVER = Number.MAX_SAFE_INTEGER;

export interface OpenRow {
  readonly row: number;
  readonly code: string | null;
  readonly name: string | null;
  readonly state: 'unconfirmed' | 'rejected';
}

export interface RowResponse {
  readonly status: number | null;
  readonly reason: StoredProblem | null;
}

export interface Member extends RowResponse {
  readonly row: number;
  readonly state: 'unconfirmed' | 'rejected' | 'created' | 'sending';
  readonly id: string | null;
  readonly sent_at: number | null;
  readonly looked_up: number;
  readonly tries: number;
}

/** Still to be looked up: unconfirmed, or refused because the key was taken (409). */
export function isOpen(
  member: Member,
): member is Member & { readonly state: 'unconfirmed' | 'rejected' } {
  const { state, looked_up: looked } = member;
  return looked === 0 && (state === 'unconfirmed' || state === 'rejected');
}

export interface Unconfirmed {
  readonly row: number;
  readonly code: string | null;
  /** Null if rows of the run are not identified by name. */
  readonly name: string | null;
  readonly reason: StoredProblem | null;
  readonly status: number | null;
  readonly sent_at: number | null;
  /** 1 if proc looks the row up only when the run is resumed, or never. */
  readonly looked_up: number;
  /** JSON text. */
  readonly body: string;
  /** Null if the service has a list of the noun. */
  readonly fingerprint: string | null;
}

export class UnconfirmedRows {
  readonly #database: DatabaseSync;
  #responseTo: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(): Unconfirmed[] {
    return this.#database
      .prepare(
        "SELECT r.row, r.code, r.name, r.reason, r.status, r.sent_at, r.looked_up, r.fingerprint, b.body FROM rows r JOIN records b USING (row) WHERE r.state IN ('unconfirmed', 'sending') ORDER BY r.row",
      )
      .all() as unknown as Unconfirmed[];
  }

  lastSentAt(): number | undefined {
    const { last } = this.#database
      .prepare("SELECT max(sent_at) AS last FROM rows WHERE state = 'unconfirmed'")
      .get() as { last: number | null };
    return last ?? undefined;
  }

  /**
   * When the first row to look up was sent, ms. A row whose key was taken counts as sent at 0.
   * Undefined if no row is left.
   */
  firstOpenAt(): number | undefined {
    const { at, n } = this.#database
      .prepare(`SELECT min(at) AS at, count(*) AS n FROM (${OPEN})`)
      .get(EVER) as { at: number | null; n: number };
    return n === 0 ? undefined : Number(at ?? 0);
  }

  /**
   * Rows to look up that were sent until a time, ordered by code.
   *
   * @param max undefined for all rows
   */
  openUntil(until: number, max: number | undefined): OpenRow[] {
    return this.#database
      .prepare(`${OPEN} ORDER BY code LIMIT ?`)
      .all(until, max ?? -1) as unknown as OpenRow[];
  }

  keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    const rows = this.#database.prepare(KEYLESS).all(EVER);
    return rows as unknown as Pick<OpenRow, 'row' | 'state'>[];
  }

  /**
   * Rows with this key that may have a record, or that were refused because the key was taken
   * (409).
   */
  members(key: Key, value: string): Member[] {
    return this.#database
      .prepare(
        `SELECT r.row, r.state, r.id, r.status, r.sent_at, r.looked_up, r.tries, r.reason
         FROM rows r WHERE r.${key} = ? AND (r.state IN ('unconfirmed', 'created', 'sending') OR (r.state = 'rejected' AND r.status = 409))
         ORDER BY r.row`,
      )
      .all(value) as unknown as Member[];
  }

  responseTo(row: number): RowResponse {
    this.#responseTo ??= this.#database.prepare('SELECT status, reason FROM rows WHERE row = ?');
    return this.#responseTo.get(row) as unknown as RowResponse;
  }

  /**
   * Created rows that have a code and a row number near `row`.
   *
   * @param sentUntil only rows that were sent until this time, ms
   */
  *createdNear(row: number, sentUntil: number): Generator<CreatedRow> {
    const near = (range: string, order: string) =>
      this.#database
        .prepare(
          `SELECT code AS key, id FROM rows
           WHERE ${range} AND state = 'created' AND repaired_by IS NULL AND code IS NOT NULL AND sent_at <= ?
           ORDER BY row ${order} LIMIT ${MOST_NEAR}`,
        )
        .all(sentUntil) as unknown as CreatedRow[];
    yield* near(`row > ${row} AND row < ${row + NEAR}`, 'ASC');
    yield* near(`row < ${row} AND row > ${row - NEAR}`, 'DESC');
  }
}
