import type { RunRows } from './run-rows.ts';

/** A row that is recognised by its body, as nothing can be listed. */
export interface FingerprintedRow {
  readonly row: number;
  readonly fingerprint: string;
  /** JSON text. */
  readonly body: string;
}

/** Which rows may have been sent before: those to create, or those that were inherited as unconfirmed. */
export type Asked = 'pending' | 'inherited';

const WHICH = {
  pending: "state = 'pending'",
  inherited: "state = 'unconfirmed' AND sent_at IS NULL",
} as const satisfies Record<Asked, string>;

/** Rows of nouns that cannot be listed. */
export class FingerprintedRows {
  readonly #rows: RunRows;

  constructor(rows: RunRows) {
    this.#rows = rows;
  }

  /** In order, after a row. */
  some(which: Asked, after: number, most: number): FingerprintedRow[] {
    const { database, base, end } = this.#rows;
    return database
      .prepare(
        `SELECT r.rowid - ${base} AS row, fingerprint, body FROM main.rows r JOIN records b ON b.row = r.rowid - ${base}
          WHERE ${WHICH[which]} AND r.rowid > ? AND r.rowid < ${end} AND fingerprint IS NOT NULL ORDER BY r.rowid LIMIT ?`,
      )
      .all(base + after, most) as unknown as FingerprintedRow[];
  }
}
