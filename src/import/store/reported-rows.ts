import type { StoredProblem } from '../../core/problem/row-problem.ts';
import type { Queries } from './run-database.ts';
import type { RowState } from './transitions.ts';

/** The states that a list of rows can show. A `sending` row is shown as unconfirmed. */
export const LISTED_STATES = [
  'pending',
  'created',
  'existing',
  'duplicate',
  'rejected',
  'unconfirmed',
  'dropped',
] as const satisfies readonly RowState[];

/** A row as `imports rows` lists it. */
export interface ListedRow {
  readonly row: number;
  readonly line: number | null;
  readonly state: (typeof LISTED_STATES)[number];
  readonly code: string | null;
  readonly name: string | null;
  readonly id: string | null;
  readonly status: number | null;
  readonly reason: StoredProblem | null;
  /** ms */
  readonly sentAt: number | null;
}

/** A row with its record, as `report/old-row-layout.ts` lays it out. */
export interface RowWithRecord extends ListedRow {
  /** JSON text; null if it could not be made. */
  readonly body: string | null;
  /** JSON text of the record in the source, or of all records that form the row; null if it equals the body. */
  readonly fields: string | null;
}

export interface CreatedRow {
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

const LISTED = `r.row, b.line, CASE r.state WHEN 'sending' THEN 'unconfirmed' ELSE r.state END AS state, r.code,
  coalesce(r.name, b.body ->> 'name', b.body ->> 'title') AS name, r.id, r.status, r.reason, r.sent_at AS sentAt`;
const WITH_RECORD = `SELECT ${LISTED}, b.body, b.fields
  FROM rows r LEFT JOIN records b ON b.row = r.row`;

/** SQL condition. A row that is being sent counts as unconfirmed, unless a process is working on the run. */
function inState(state: RowState | undefined, isRunning = false): string {
  if (state === undefined) return '';
  return state === 'unconfirmed' && !isRunning
    ? "WHERE r.state IN ('unconfirmed', 'sending')"
    : `WHERE r.state = '${state}'`;
}

export class ReportedRows {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  /**
   * In order. A row that is being sent is returned as unconfirmed.
   *
   * @param state undefined for every row
   * @param isRunning a process is working on the run, so `unconfirmed` does not select rows that
   *   are being sent
   */
  listed(
    state: ListedRow['state'] | 'sending' | undefined,
    isRunning = false,
  ): Iterable<ListedRow> {
    return this.#sql.each(
      `SELECT ${LISTED} FROM rows r LEFT JOIN records b ON b.row = r.row ${inState(state, isRunning)} ORDER BY r.row`,
    );
  }

  /** In order. A row that is being sent is returned as unconfirmed. */
  withRecords(state?: ListedRow['state']): Iterable<RowWithRecord> {
    return this.#sql.each(`${WITH_RECORD} ${inState(state)} ORDER BY r.row`);
  }

  longestPayload(): number {
    return this.#sql.values<number | null>('SELECT max(octet_length(body)) FROM records')[0] ?? 0;
  }

  /** Undefined if the row does not exist. */
  withRecord(row: number): RowWithRecord | undefined {
    return this.#sql.get(`${WITH_RECORD} WHERE r.row = ?`, row);
  }

  unconfirmed(max: number): { row: number; code: string | null; reason: StoredProblem | null }[] {
    return this.#sql.all(
      "SELECT row, code, reason FROM rows WHERE state IN ('unconfirmed', 'sending') ORDER BY row LIMIT ?",
      max,
    );
  }

  /** Undefined if the row does not exist. A row that is being sent counts as unconfirmed. */
  outcomeOf(row: number): Pick<ListedRow, 'state' | 'code' | 'id'> | undefined {
    return this.#sql.get(
      "SELECT CASE state WHEN 'sending' THEN 'unconfirmed' ELSE state END AS state, code, id FROM rows WHERE row = ?",
      row,
    );
  }

  created(): Iterable<CreatedRow> {
    return this.#sql.each(
      "SELECT id, code, name FROM rows WHERE state = 'created' AND id IS NOT NULL",
    );
  }

  anyCreated(): { readonly code: string; readonly id: string } | undefined {
    return this.#sql.get(
      "SELECT code, id FROM rows WHERE state = 'created' AND code IS NOT NULL LIMIT 1",
    );
  }

  creatorOf(id: string): number | undefined {
    return this.#sql.values<number>(
      "SELECT row FROM rows WHERE id = ? AND state = 'created'",
      id,
    )[0];
  }
}
