import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import type { Queries } from '../queries.ts';
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
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  all(): Unconfirmed[] {
    return this.#sql.all(
      "SELECT r.row, r.code, r.name, r.reason, r.status, r.sent_at, r.looked_up, r.fingerprint, b.body FROM rows r JOIN records b USING (row) WHERE r.state IN ('unconfirmed', 'sending') ORDER BY r.row",
    );
  }

  lastSentAt(): number | undefined {
    const [last] = this.#sql.values<number | null>(
      "SELECT max(sent_at) FROM rows WHERE state = 'unconfirmed'",
    );
    return last ?? undefined;
  }

  /**
   * When the first row to look up was sent, ms. A row whose key was taken counts as sent at 0.
   * Undefined if no row is left.
   */
  firstOpenAt(): number | undefined {
    const { at, n } = this.#sql.get<{ at: number | null; n: number }>(
      `SELECT min(at) AS at, count(*) AS n FROM (${OPEN})`,
      EVER,
    )!;
    return n === 0 ? undefined : (at ?? 0);
  }

  /**
   * Rows to look up that were sent until a time, ordered by code.
   *
   * @param max undefined for all rows
   */
  openUntil(until: number, max: number | undefined): OpenRow[] {
    return this.#sql.all(`${OPEN} ORDER BY code LIMIT ?`, until, max ?? -1);
  }

  keyless(): Pick<OpenRow, 'row' | 'state'>[] {
    return this.#sql.all(KEYLESS, EVER);
  }

  /**
   * Rows with this key that may have a record, or that were refused because the key was taken
   * (409).
   */
  members(key: Key, value: string): Member[] {
    return this.#sql.all(
      `SELECT r.row, r.state, r.id, r.status, r.sent_at, r.looked_up, r.tries, r.reason
         FROM rows r WHERE r.${key} = ? AND (r.state IN ('unconfirmed', 'created', 'sending') OR (r.state = 'rejected' AND r.status = 409))
         ORDER BY r.row`,
      value,
    );
  }

  responseTo(row: number): RowResponse {
    return this.#sql.get<RowResponse>('SELECT status, reason FROM rows WHERE row = ?', row)!;
  }

  /**
   * Created rows that have a code and a row number near `row`.
   *
   * @param sentUntil only rows that were sent until this time, ms
   */
  *createdNear(row: number, sentUntil: number): Generator<CreatedRow> {
    const near = (range: string, order: string) =>
      this.#sql.all<CreatedRow>(
        `SELECT code AS key, id FROM rows
           WHERE ${range} AND state = 'created' AND repaired_by IS NULL AND code IS NOT NULL AND sent_at <= ?
           ORDER BY row ${order} LIMIT ${MOST_NEAR}`,
        sentUntil,
      );
    yield* near(`row > ${row} AND row < ${row + NEAR}`, 'ASC');
    yield* near(`row < ${row} AND row > ${row - NEAR}`, 'DESC');
  }
}
