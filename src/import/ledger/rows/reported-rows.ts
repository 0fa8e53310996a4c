import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import type { RowState } from './states.ts';

/** A row as `--results` writes it. */
export interface ResultRow {
  readonly row: number;
  readonly code: string | null;
  readonly id: string | null;
  readonly state: Exclude<RowState, 'sending' | 'unconfirmed'> | 'unknown';
  readonly name: string | null;
  /** Line of the source on which the row starts; null if not known. */
  readonly line: number | null;
  readonly reason: StoredProblem | null;
}

/** The states that a list of rows can show. A `sending` row is shown as unconfirmed. */
export const LISTED_STATES = [
  'pending',
  'created',
  'existing',
  'duplicate',
  'rejected',
  'unconfirmed',
  'dropped',
  'filtered',
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

/** A row as `--plan` writes it. */
export interface PlannedRow {
  readonly row: number;
  readonly line: number | null;
  readonly state: RowState;
  readonly code: string | null;
  readonly name: string | null;
  readonly id: string | null;
  readonly reason: StoredProblem | null;
  /** JSON text of the body; null if it could not be made. */
  readonly payload: string | null;
  /** JSON text of the record in the source; null if there is a payload. */
  readonly record: string | null;
}

export interface RejectedRow {
  readonly row: number;
  readonly status: number | null;
  readonly reason: StoredProblem | null;
  /**
   * JSON text of the source's record, or of all records that form the row. Null if the row could
   * not be read.
   */
  readonly fields: string | null;
}

type PlacedRow = Pick<ListedRow, 'line' | 'code' | 'name'>;

export interface StagedAs {
  readonly reason: StoredProblem | null;
  /** JSON text of the record in the source; null if it equals the body. */
  readonly fields: string | null;
  /** JSON text. */
  readonly body: string | null;
}

export interface CreatedRow {
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

export class ReportedRows {
  readonly #database: DatabaseSync;
  #creator: StatementSync | undefined;
  #staged: StatementSync | undefined;
  #outcome: StatementSync | undefined;
  #rejected: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Every row, in order. A row that is being sent counts as unconfirmed. */
  all(): Iterable<ResultRow> {
    return this.#each(
      `SELECT r.row, r.code, r.id,
         CASE WHEN r.state IN ('sending', 'unconfirmed') THEN 'unknown' ELSE r.state END AS state,
         coalesce(r.name, b.body ->> 'name', b.body ->> 'title') AS name, b.line, r.reason
       FROM rows r LEFT JOIN records b ON b.row = r.row ORDER BY r.row`,
    );
  }

  /**
   * In order. A row that is being sent is returned as unconfirmed.
   *
   * @param state undefined for every row
   * @param isNamed takes a missing name from the body
   * @param isRunning a process is working on the run, so `unconfirmed` does not select rows that
   *   are being sent
   */
  listed(
    state: ListedRow['state'] | 'sending' | undefined,
    isNamed = false,
    isRunning = false,
  ): Iterable<ListedRow> {
    const name = isNamed ? "coalesce(r.name, b.body ->> 'name', b.body ->> 'title')" : 'r.name';
    const states = state === 'unconfirmed' && !isRunning ? ['unconfirmed', 'sending'] : [state];
    const condition =
      state === undefined ? '' : `WHERE r.state IN (${states.map((one) => `'${one}'`).join(', ')})`;
    return this.#each(
      `SELECT r.row, b.line, CASE r.state WHEN 'sending' THEN 'unconfirmed' ELSE r.state END AS state,
         r.code, ${name} AS name, r.id, r.status, r.reason, r.sent_at AS sentAt
       FROM rows r LEFT JOIN records b ON b.row = r.row ${condition} ORDER BY r.row`,
    );
  }

  /** @param nameField the field of the body that contains the name */
  planned(nameField: string): Iterable<PlannedRow> {
    return this.#each(
      `SELECT r.row, b.line, r.state, r.code,
         coalesce(r.name, CASE WHEN b.body IS NOT NULL THEN json_extract(b.body, '$."${nameField}"') END) AS name,
         r.id, r.reason, b.body AS payload, CASE WHEN b.body IS NULL THEN b.fields END AS record
       FROM rows r LEFT JOIN records b ON b.row = r.row ORDER BY r.row`,
    );
  }

  longestPayload(): number {
    const sql = 'SELECT max(octet_length(body)) AS longest FROM records';
    return Number(this.#database.prepare(sql).get()?.longest ?? 0);
  }

  rejected(): Iterable<RejectedRow> {
    return this.#each(
      "SELECT r.row, r.status, r.reason, coalesce(b.fields, b.body) AS fields FROM rows r JOIN records b ON b.row = r.row WHERE r.state = 'rejected' ORDER BY r.row",
    );
  }

  /** In order. If a row has a status, the reason comes from the service. */
  rejectedReasons(): Iterable<Pick<RejectedRow, 'row' | 'reason' | 'status'>> {
    return this.#each("SELECT row, reason, status FROM rows WHERE state = 'rejected' ORDER BY row");
  }

  /**
   * The caller must pass a rejected row: the query does not check the state. Undefined if the row
   * does not exist.
   */
  rejectedRow(row: number): (RejectedRow & PlacedRow) | undefined {
    this.#rejected ??= this.#database.prepare(
      `SELECT r.row, b.line, r.code, coalesce(r.name, b.body ->> 'name', b.body ->> 'title') AS name,
         r.status, r.reason, coalesce(b.fields, b.body) AS fields
       FROM rows r JOIN records b USING (row) WHERE r.row = ?`,
    );
    return this.#rejected.get(row) as never;
  }

  /** In ms. Undefined if no row was sent. */
  sendingTime(): { readonly first: number; readonly last: number } | undefined {
    const { first, last } = this.#database
      .prepare('SELECT min(sent_at) AS first, max(sent_at) AS last FROM rows')
      .get() as { first: number | null; last: number | null };
    return first === null || last === null ? undefined : { first, last };
  }

  /** For a chart of the rate. Span 0 begins at `first`. Spans without rows are left out. */
  sentPerSpan(first: number, spanMs: number): { readonly span: number; readonly rows: number }[] {
    return this.#database
      .prepare(
        `SELECT (sent_at - ${Math.trunc(first)}) / ${Math.trunc(spanMs)} AS span, count(*) AS rows
         FROM rows WHERE sent_at IS NOT NULL GROUP BY span ORDER BY span`,
      )
      .all() as never;
  }

  /** Searches the records of rejected rows, except records that equal the body of their row. */
  hasRejectedWith(text: string): boolean {
    const found = this.#database
      .prepare(
        "SELECT 1 FROM rows r JOIN records b ON b.row = r.row WHERE r.state = 'rejected' AND instr(b.fields, ?) > 0 LIMIT 1",
      )
      .get(text);
    return found !== undefined;
  }

  unconfirmed(max: number): { row: number; code: string | null; reason: StoredProblem | null }[] {
    return this.#database
      .prepare(
        "SELECT row, code, reason FROM rows WHERE state IN ('unconfirmed', 'sending') ORDER BY row LIMIT ?",
      )
      .all(max) as never;
  }

  stagedAs(row: number): StagedAs | undefined {
    this.#staged ??= this.#database.prepare(
      'SELECT r.reason, b.fields, b.body FROM rows r JOIN records b USING (row) WHERE r.row = ?',
    );
    return this.#staged.get(row) as unknown as StagedAs | undefined;
  }

  /** Undefined if the row does not exist. A row that is being sent counts as unconfirmed. */
  outcomeOf(row: number): Pick<ListedRow, 'state' | 'code' | 'id'> | undefined {
    this.#outcome ??= this.#database.prepare(
      "SELECT CASE state WHEN 'sending' THEN 'unconfirmed' ELSE state END AS state, code, id FROM rows WHERE row = ?",
    );
    return this.#outcome.get(row) as never;
  }

  created(): Iterable<CreatedRow> {
    return this.#each("SELECT id, code, name FROM rows WHERE state = 'created' AND id IS NOT NULL");
  }

  anyCreated(): { readonly code: string; readonly id: string } | undefined {
    return this.#database
      .prepare("SELECT code, id FROM rows WHERE state = 'created' AND code IS NOT NULL LIMIT 1")
      .get() as never;
  }

  creatorOf(id: string): number | undefined {
    this.#creator ??= this.#database.prepare(
      "SELECT row FROM rows WHERE id = ? AND state = 'created'",
    );
    return this.#creator.get(id)?.row as number | undefined;
  }

  #each<T>(sql: string): Iterable<T> {
    return this.#database.prepare(sql).iterate() as Iterable<unknown> as Iterable<T>;
  }
}
