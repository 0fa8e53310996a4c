import type { StoredProblem } from '../../../core/problem/row-problem.ts';
import type { Queries } from '../queries.ts';
import { FINDINGS_OF_ROW } from '../rows/reported-rows.ts';
import type { RowState } from '../rows/transitions.ts';

/** A row of a staged run as `--stage` saved it. Empty columns are null. */
export interface SealedRow {
  readonly row: number;
  readonly line: number | null;
  readonly state: RowState;
  readonly code: string | null;
  readonly name: string | null;
  /** Id of the record, if the row exists in the service. */
  readonly id: string | null;
  readonly reason: StoredProblem | null;
  readonly fingerprint: string | null;
  readonly repairs: number | null;
  /** JSON text, sent as it is. */
  readonly body: string | null;
  /** JSON text of the record in the source; null if it equals the body. */
  readonly fields: string | null;
  /** JSON text of an array of `RowFinding`; null if there are none. */
  readonly findings: string | null;
}

/** A reference in rows of a staged run, and the value that replaced it. */
export interface SealedReference {
  readonly field: string;
  readonly typed: string;
  readonly value: string;
  /** JSON of the fields that rows copy from the referenced record, e.g. `{"currency":"EUR"}`. */
  readonly copied: string;
  readonly row: number;
  readonly uses: number;
}

const PER_BATCH = 2_000;

const TABLE = `CREATE TABLE IF NOT EXISTS sealed_references (
  field TEXT NOT NULL, typed TEXT NOT NULL, value TEXT NOT NULL, copied TEXT NOT NULL,
  row INTEGER NOT NULL, uses INTEGER NOT NULL, PRIMARY KEY (field, typed)
) STRICT, WITHOUT ROWID`;

const OTHERS = `r.row, b.line, r.code, r.name, r.fingerprint, r.repairs, b.body, b.fields, ${FINDINGS_OF_ROW} AS findings`;
/** Before sending begins, the rows are as their statement has them. */
const NOW = `r.state, r.id, r.reason, ${OTHERS}`;
const KEPT = `coalesce(r.staged ->> 0, 'pending') AS state, r.staged ->> 1 AS id,
  r.staged ->> 2 AS reason, ${OTHERS}`;

/** The rows and references of a staged run, as its statement has them. Sending does not change them. */
export class SealedRows {
  readonly #sql: Queries;

  constructor(sql: Queries) {
    this.#sql = sql;
  }

  /** Call it in the transaction with which sending begins: from now on, rows change. */
  keep(): void {
    this.#sql.exec(
      `UPDATE rows SET staged = json_array(state, id, reason)
        WHERE state <> 'pending' OR id IS NOT NULL OR reason IS NOT NULL;
      INSERT OR REPLACE INTO run VALUES ('isKept', 'true')`,
    );
  }

  get #columns(): string {
    return this.#sql.has("FROM run WHERE key = 'isKept'") ? KEPT : NOW;
  }

  rows(): Generator<readonly SealedRow[]> {
    return this.#sql.batches<SealedRow>(
      `SELECT ${this.#columns} FROM rows r JOIN records b ON b.row = r.row
        WHERE r.row > ? ORDER BY r.row LIMIT ${PER_BATCH}`,
    );
  }

  between(first: number, last: number): SealedRow[] {
    return this.#sql.all(
      `SELECT ${this.#columns} FROM rows r JOIN records b ON b.row = r.row
        WHERE r.row BETWEEN ? AND ? ORDER BY r.row`,
      ...[first, last],
    );
  }

  counts(): ReadonlyMap<string, number> {
    const counted = this.#sql.all<{
      state: string;
      n: number;
    }>(`SELECT state, count(*) AS n FROM (SELECT ${this.#columns} FROM rows r JOIN records b USING (row))
          GROUP BY state`);
    return new Map(counted.map(({ state, n }) => [state, n]));
  }

  /** All references, sorted, because the digest depends on their order. */
  *references(): Generator<readonly SealedReference[]> {
    if (!this.#sql.has("FROM sqlite_schema WHERE name = 'sealed_references' AND type = 'table'"))
      return;
    const some = `SELECT field, typed, value, copied, row, uses FROM sealed_references
        WHERE (field, typed) > (?, ?) ORDER BY field, typed LIMIT ${PER_BATCH}`;
    for (let last = { field: '', typed: '' }; ; ) {
      const found = this.#sql.all<SealedReference>(some, last.field, last.typed);
      if (found.length === 0) return;
      last = found.at(-1)!;
      yield found;
    }
  }

  /** Must be called before references are noted: creates the table, or empties it. */
  clearReferences(): void {
    this.#sql.exec(`${TABLE}; DELETE FROM sealed_references`);
  }

  noteReference(
    one: Pick<SealedReference, 'field' | 'typed' | 'value' | 'copied' | 'row'>,
    uses = 1,
  ): void {
    this.#sql.run(
      'INSERT INTO sealed_references VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET uses = uses + 1',
      ...[one.field, one.typed, one.value, one.copied, one.row, uses],
    );
  }
}
