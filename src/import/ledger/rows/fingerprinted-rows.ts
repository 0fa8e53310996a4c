import type { RunRows } from './run-rows.ts';

/** A row that is identified by its body, because the service has no list. */
export interface FingerprintedRow {
  readonly row: number;
  readonly fingerprint: string;
  /** JSON text. */
  readonly body: string;
}

export type Asked = 'pending' | 'inherited';

const WHICH = {
  pending: "state = 'pending'",
  inherited: "state = 'unconfirmed' AND sent_at IS NULL",
} as const satisfies Record<Asked, string>;

export class FingerprintedRows {
  readonly #rows: RunRows;

  constructor(rows: RunRows) {
    this.#rows = rows;
  }

  some(which: Asked, after: number, max: number): FingerprintedRow[] {
    const { database, base, end } = this.#rows;
    return database
      .prepare(
        `SELECT r.rowid - ${base} AS row, fingerprint, body FROM main.rows r JOIN records b ON b.row = r.rowid - ${base}
          WHERE ${WHICH[which]} AND r.rowid > ? AND r.rowid < ${end} AND fingerprint IS NOT NULL ORDER BY r.rowid LIMIT ?`,
      )
      .all(base + after, max) as unknown as FingerprintedRow[];
  }
}
